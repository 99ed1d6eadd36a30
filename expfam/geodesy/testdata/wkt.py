"""Writes wkt.json with pyproj 3.7.2 (PROJ 9.5.1): python wkt.py >wkt.json

Of each system: its text by the two versions of well-known text, by ESRI and as PROJJSON, and a place in its coordinates with the longitude and
latitude of its own datum. "near" says whether that datum is within 2 m of WGS 84.
"""

import json

from pyproj import CRS, Transformer

NEAR = {
    4326: (30, -1), 4269: (-80, 35), 4258: (10, 50), 4674: (-50, -15), 7844: (145, -30), 4283: (145, -30), 4148: (28, -26),
    6318: (-80, 35), 4617: (-75, 45), 4167: (174, -41), 4612: (139, 36), 4490: (110, 30),
    32736: (34, -2), 32618: (-76, 42), 26918: (-76, 42), 25832: (10, 50), 31983: (-46, -23), 7856: (152, -30), 28355: (146, -37),
    3857: (10, 5), 5070: (-95, 40), 2154: (3, 47), 3035: (10, 50), 2264: (-79, 35.5), 32119: (-79, 35.5), 3577: (134, -25),
    2193: (173, -41), 3301: (25, 58.5), 2953: (-66, 46), 3347: (-95, 60), 2180: (19, 52), 5880: (-54, -15),
    2048: (19, -34), 2326: (114, 22), 31370: (4, 51),
}
FAR = {
    4267: (-81, 34), 4277: (-2, 53), 4210: (37, -1), 4301: (139, 36), 4222: (20, -30), 26718: (-76, 42), 27700: (-2, 53), 21037: (37, -1),
    4813: (0.25, -6), 4817: (0.3, 60), 4807: (0.5, 50), 5514: (15, 50), 3395: (10, 5),
}


def short(crs):
    """The PROJJSON of a system without what describes its use."""
    said = crs.to_json_dict()
    for key in ("$schema", "scope", "area", "bbox", "usages", "remarks"):
        said.pop(key, None)
    for part in (said, said.get("base_crs", {})):
        part.get("datum_ensemble", {}).pop("members", None)
    return json.dumps(said)


out = []
for code, (lon, lat) in {**NEAR, **FAR}.items():
    crs = CRS.from_epsg(code)
    texts = {}
    for version in ("WKT1_GDAL", "WKT1_ESRI", "WKT2_2019"):
        try:
            texts[version] = crs.to_wkt(version)
        except Exception:
            pass
    texts["PROJJSON"] = short(crs)
    x, y = lon, lat
    if crs.is_projected:
        x, y = Transformer.from_crs(crs.geodetic_crs, crs, always_xy=True).transform(lon, lat)
    out.append({"code": code, "near": code in NEAR, "texts": texts, "lon": lon, "lat": lat, "x": round(x, 6), "y": round(y, 6)})
for name, text in {"Moon": "IAU_2015:30100", "Mars": "IAU_2015:49900"}.items():
    try:
        crs = CRS.from_string(text)
    except Exception:
        continue
    out.append({"code": 0, "near": False, "texts": {"WKT2_2019": crs.to_wkt(), "WKT1_ESRI": crs.to_wkt("WKT1_ESRI"),
                "PROJJSON": short(crs)}, "lon": 1, "lat": 2,
                "x": 1, "y": 2})
print(json.dumps(out, indent=0))
