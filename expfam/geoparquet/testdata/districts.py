"""Writes GeoParquet files with GeoPandas 1.2, and what it reads from them: python districts.py FOLDER

districts.parquet  12 squares of UTM zone 18N, one with a hole, one of two parts, with columns of every kind, one of which has a gap
places.parquet     points in longitude and latitude, packed by zstd in groups of two rows
unknown.parquet    without a reference system
nad83.parquet      in another one
points.parquet     points encoded as GeoArrow's
table.parquet      no geometry at all
square.wkb         the unit square in well-known binary
"""

import datetime
import decimal
import json
import sys

import geopandas
import pandas
import pyarrow
import pyarrow.parquet
import shapely

folder = sys.argv[1] + "/"


def square(x, y, side=1000):
    return shapely.box(x, y, x + side, y + side)


n = 12
shapes = [square(1000 * (400 + k % 4), 1000 * (4600 + k // 4)) for k in range(n)]
shapes[3] = shapes[3].difference(square(403200, 4600200, 500))
shapes[7] = shapely.MultiPolygon([square(403000, 4601000, 400), square(403500, 4601500, 400)])
frame = geopandas.GeoDataFrame(
    {
        "CODE": [f"{k:05d}" for k in range(n)],
        "cases": pandas.array([None if k == 5 else k * k for k in range(n)], dtype="Int32"),
        "people": [10**16 + k for k in range(n)],  # beyond 2**53
        "rate": [k / 7 for k in range(n)],
        "small": pandas.array([k / 4 for k in range(n)], dtype="float32"),
        "byte": pandas.array([250 + k % 6 for k in range(n)], dtype="uint8"),
        "huge": pandas.array([2**64 - 1 - k for k in range(n)], dtype="uint64"),
        "open": [k % 3 == 0 for k in range(n)],
        "day": [datetime.date(1969, 12, 30) + datetime.timedelta(k) for k in range(n)],
        "hour": pandas.date_range("1969-12-31T23:59:59.5", periods=n, freq="500ms"),
        "zoned": pandas.date_range("2026-01-01", periods=n, freq="h", tz="Europe/Paris"),
        "price": [decimal.Decimal(k - 3) / 100 for k in range(n)],
        "kind": pandas.Categorical(["a", "b", "c"] * 4),
        "list": [[k] for k in range(n)],
        "bytes": [b"\xff"] * n,
    },
    geometry=shapes,
    crs="EPSG:32618",
)
frame.to_parquet(folder + "districts.parquet", compression="snappy", write_covering_bbox=True)
places = geopandas.GeoDataFrame({"site": list("aabcd")}, geometry=shapely.points([[6.5 + k, 0.25 - k] for k in range(5)]), crs="EPSG:4326")
places.to_parquet(folder + "places.parquet", compression="zstd", row_group_size=2)
places.set_crs(None, allow_override=True).to_parquet(folder + "unknown.parquet")
places.to_crs("EPSG:4269").to_parquet(folder + "nad83.parquet")
places.to_parquet(folder + "points.parquet", geometry_encoding="geoarrow")
pandas.DataFrame({"a": [1, 2]}).to_parquet(folder + "table.parquet", index=False)
with open(folder + "square.wkb", "wb") as out:
    out.write(shapely.box(0, 0, 1, 1).wkb)

back = geopandas.read_parquet(folder + "districts.parquet")
lonlat = back.to_crs("EPSG:4326")
texts = back.drop(columns=["geometry", "bbox", "list", "bytes"], errors="ignore")
texts["day"] = texts["day"].astype(str)
texts["hour"] = [t.isoformat().replace("500000", "5") for t in texts["hour"]]
texts["zoned"] = [t.tz_convert("UTC").isoformat().replace("+00:00", "Z") for t in texts["zoned"]]
truth = {
    "rows": [
        {key: None if pandas.isna(v) else str(int(v)) if key in ("people", "huge") else v if isinstance(v, (str, bool)) else float(v) for key, v in row.items()}
        for row in texts.to_dict("records")
    ],
    "bounds": [list(shape.bounds) for shape in lonlat.geometry],
    "rings": [sum(1 + len(p.interiors) for p in getattr(shape, "geoms", [shape])) for shape in lonlat.geometry],
}
with open(folder + "districts.json", "w") as out:
    json.dump(truth, out, indent=1, default=str)
