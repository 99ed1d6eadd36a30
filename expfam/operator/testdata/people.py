"""Sums of a raster over districts: people.py RASTER.tif DISTRICTS.geojson, with rasterio 1.4.4 and shapely 2.2.0.

It prints {"exact": [...], "centre": [...]}. "exact" takes of every cell the share of its area that lies in the
district, by shapely. "centre" takes cells whose centre lies in the district, by rasterio, as zonal statistics usually
do. Cells without a value have nobody.
"""
import json
import sys

import numpy as np
import rasterio
import rasterio.features
import shapely

with rasterio.open(sys.argv[1]) as raster:
    people = raster.read(1, masked=True).filled(np.nan).astype("float64")
    t = raster.transform
    shape = raster.shape
with open(sys.argv[2]) as file:
    districts = [f["geometry"] for f in json.load(file)["features"]]
rows, cols = np.indices(shape)
west, north = t.c + cols * t.a, t.f + rows * t.e
cells = shapely.box(west, north + t.e, west + t.a, north)
out = {"exact": [], "centre": []}
for d in districts:
    share = shapely.area(shapely.intersection(cells, shapely.geometry.shape(d))) / abs(t.a * t.e)
    out["exact"].append(float(np.nansum(share * people)))
    inside = rasterio.features.geometry_mask([d], shape, t, invert=True)
    out["centre"].append(float(np.nansum(people[inside])))
print(json.dumps(out))
