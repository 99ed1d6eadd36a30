// Package geopackage reads districts from GeoPackage files (OGC 12-128r18), which are SQLite databases:
//
//	tracts, err := geopackage.Layer{}.Read("tracts.gpkg")
//
// It reads SQLite's file format (sqlite.org/fileformat.html) by itself, because a layer needs a small part of it:
// tables with row numbers, and no indices, queries or journals.
package geopackage
