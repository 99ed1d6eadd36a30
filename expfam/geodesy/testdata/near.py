"""Writes ../near.txt with pyproj 3.7.2 (PROJ 9.5.1, EPSG 11.022): python near.py >../near.txt

A line for each system of longitude and latitude in EPSG's register whose datum is within 2 m of WGS 84 by PROJ's best
transformation in the middle of its area (2.5 m for PZ-90.11), on the ellipsoids of WGS 84 and GRS 80 and from Greenwich:
its code, that of its datum, and the names of both, by WKT2, GDAL and ESRI. Then a line for each of them with heights: its
code, 0 and its name. Then a line for each zone of UTM on one of them, by whatever name, such as SWEREF99 TM and
TM35FIN: its code, the zone and the code of the system. PROJ moves NAD83 by grids and has no transformation of CGCS2000; both
are within 2 m (EPSG's operations 1188 and 15918), and are added.
"""

import json
import math
import re
import warnings

from pyproj import CRS
from pyproj.database import query_crs_info
from pyproj.enums import PJType
from pyproj.transformer import TransformerGroup

warnings.filterwarnings("ignore")


def fold(name):
    flat = re.sub("[^a-z0-9]", "", name.lower())
    return re.sub("^d(?=[a-z])", "", flat) if name.startswith("D_") else flat


def near(code, c):
    if code in (4269, 4490):
        return True
    if c.prime_meridian is None or c.prime_meridian.longitude or {a.unit_name for a in c.axis_info} != {"degree"}:
        return False
    if not 6378130 < c.ellipsoid.semi_major_metre < 6378140 or not c.area_of_use:
        return False
    a = c.area_of_use
    lat, lon = (a.south + a.north) / 2, (a.west + a.east + (360 if a.east < a.west else 0)) / 2
    lon = (lon + 180) % 360 - 180
    found = TransformerGroup(c, CRS.from_epsg(4326), always_xy=True).transformers
    if not found or not 0 <= found[0].accuracy <= 3:
        return False
    x, y = found[0].transform(lon, lat)
    return math.hypot((x - lon) * 111320 * math.cos(math.radians(lat)), (y - lat) * 111320) <= 2.5


names, systems = {}, {}
for info in query_crs_info(auth_name="EPSG", pj_types=[PJType.GEOGRAPHIC_2D_CRS], allow_deprecated=False):
    code, c = int(info.code), CRS.from_epsg(int(info.code))
    if not near(code, c):
        continue
    datum = json.loads(c.to_json())
    datum = datum.get("datum") or datum.get("datum_ensemble")
    texts = {fold(c.name), fold(datum["name"]), fold(datum["name"].removesuffix(" ensemble"))}
    for version in ("WKT1_GDAL", "WKT1_ESRI"):
        try:
            text = c.to_wkt(version)
        except Exception:
            continue
        texts |= {fold(m) for m in re.findall(r'DATUM\["([^"]*)"', text or "")}
    systems[code] = c
    number = json.loads(c.datum.to_json()).get("id", {}).get("code", 0)
    print(code, number, c.name.replace(" ", "_"), *sorted(texts - {""}), sep=" ")
for info in query_crs_info(auth_name="EPSG", pj_types=[PJType.GEOGRAPHIC_3D_CRS], allow_deprecated=False):
    c = CRS.from_epsg(int(info.code))
    flat = next((k for k, v in systems.items() if v.name == c.name), None)
    if flat and [a.unit_name for a in c.axis_info[:2]] == ["degree", "degree"]:
        print(info.code, 0, c.name.replace(" ", "_"), sep=" ")
for info in query_crs_info(auth_name="EPSG", pj_types=[PJType.PROJECTED_CRS], allow_deprecated=False):
    c = CRS.from_epsg(int(info.code))
    base = c.geodetic_crs.to_epsg()
    if base not in systems or c.coordinate_operation.method_name != "Transverse Mercator":
        continue
    if {a.unit_name for a in c.axis_info} != {"metre"}:
        continue
    p = {q.name: q.value for q in c.coordinate_operation.params}
    zone, south = round((p["Longitude of natural origin"] + 183) / 6), p["False northing"] == 1e7
    want = {
        "Latitude of natural origin": 0,
        "Longitude of natural origin": 6 * zone - 183,
        "Scale factor at natural origin": 0.9996,
        "False easting": 500000,
        "False northing": 1e7 * south,
    }
    if 1 <= zone <= 60 and all(abs(p[k] - v) < 1e-9 for k, v in want.items()):
        print(info.code, f"{zone}{'S' if south else 'N'}", base)
