"""What rasterio 1.4.4 reads of a GeoTIFF: cog.py FILE.tif, as JSON.

"order" are the places of the directories and of the first tiles, from the full resolution on. GDAL's rules for cloud-optimised
GeoTIFF are that directories stand in this order before all tiles, and tiles in the opposite one.
"""

import json
import sys

import numpy as np
import rasterio

with rasterio.open(sys.argv[1]) as raster:
    levels = len(raster.overviews(1))
    directories = [raster.get_tag_item("IFD_OFFSET", "TIFF", bidx=1)]
    blocks = [raster.get_tag_item("BLOCK_OFFSET_0_0", "TIFF", bidx=1)]
    directories += [raster.get_tag_item("IFD_OFFSET", "TIFF", bidx=1, ovr=k) for k in range(levels)]
    blocks += [raster.get_tag_item("BLOCK_OFFSET_0_0", "TIFF", bidx=1, ovr=k) for k in range(levels)]
    out = {
        "names": raster.descriptions,
        "epsg": raster.crs and raster.crs.to_epsg(),
        "transform": list(raster.transform)[:6],
        "tiled": raster.profile["tiled"],
        "tiles": raster.block_shapes,
        "overviews": raster.overviews(1),
        "order": [int(v) for v in directories + blocks[::-1]],
        "nodata": str(raster.nodata),
        "means": [np.nanmean(raster.read(b)) .item() for b in raster.indexes],
    }
    full = [raster.read(b) for b in raster.indexes]
for level in range(levels):
    with rasterio.open(sys.argv[1], overview_level=level) as raster:
        for b in raster.indexes:
            # the mean of the cells that are there
            h, w = full[b - 1].shape
            padded = np.full((h + h % 2, w + w % 2), np.nan)
            padded[:h, :w] = full[b - 1]
            with np.errstate(all="ignore"):
                full[b - 1] = np.nanmean(padded.reshape((h + 1) // 2, 2, (w + 1) // 2, 2), axis=(1, 3)).astype("float32")
            np.testing.assert_array_equal(raster.read(b), full[b - 1])
print(json.dumps(out))
