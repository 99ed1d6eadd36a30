// Package geopackage reads districts and places from GeoPackage files (OGC 12-128r18), which are SQLite databases, and
// writes them:
//
//	tracts, err := geopackage.Layer{}.Read("tracts.gpkg")
//	err = geopackage.Write("risks.gpkg", geopackage.Features{Regions: tracts})
//
// SQLite is the package modernc.org/sqlite. Programs that import this package take about 20 s to compile for the first
// time. SQLite sees a copy of a file in memory, and touches no file.
package geopackage
