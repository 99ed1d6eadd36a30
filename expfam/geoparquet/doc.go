// Package geoparquet reads districts and places from GeoParquet files (OGC GeoParquet 1.1), as GeoPandas, GDAL, DuckDB
// and Overture write them, and from the columns of geometry that Parquet itself has since 2.11:
//
//	tracts, err := geoparquet.File{}.Read("tracts.parquet")
//
// Parquet is read by the package github.com/parquet-go/parquet-go. Programs that import this package grow by 10 MB, and
// take about 20 s to compile for the first time. A damaged file is refused, but parquet-go may take gigabytes of memory
// before it finds out, because it believes the lengths of runs.
package geoparquet
