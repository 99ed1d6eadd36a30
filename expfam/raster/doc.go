// Package raster reads and writes fields on lattices: GeoTIFF, ESRI ASCII grids, NumPy arrays, images, FITS images, and
// tables of text with their columns and points.
//
//	people, err := raster.GeoTIFF{}.Read("nga_ppp_2020.tif")
//	counts, err := raster.CSV{}.Read("counts.csv")
//	cases, err := raster.Column{Name: "cases"}.Read("weeks.csv")
//	err = raster.Layers{Grid: g, Layers: []raster.Layer{{Name: "median", Values: post.Median()}}}.GeoTIFF("map.tif")
//
// Readers give a [grid.Field]. They also read what GDAL keeps in files beside a raster: its place, its projection, its
// mask and its number of missing data. What a reader doesn't know, it refuses, and the error says what to do.
package raster
