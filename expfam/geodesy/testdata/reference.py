"""Writes reference.json with pyproj 3.7.2 (PROJ 9.5.1): python reference.py >reference.json

Projections are on one datum each, without shifts. The shifts are those of PROJ's helmert between geocentric coordinates, for places
on the ellipsoid.
"""

import json

from pyproj import Proj, Transformer

UTM = "+proj=utm +ellps=WGS84 +zone="
PROJECTIONS = {
    "UTM 18 north": UTM + "18",
    "UTM 60 south": UTM + "60 +south",
    "web Mercator": "EPSG:3857",
    "North Carolina": "+proj=lcc +lat_0=33.75 +lon_0=-79 +lat_1=36.1666666666666 +lat_2=34.3333333333333 +x_0=609601.22 +ellps=GRS80",
    "one parallel": "+proj=lcc +lat_0=46.5 +lon_0=3 +lat_1=46.5 +k_0=0.9998 +x_0=700000 +y_0=6600000 +ellps=clrk66",
    "southern cone": "+proj=lcc +lat_0=-37 +lon_0=145 +lat_1=-36 +lat_2=-38 +x_0=2500000 +y_0=2500000 +ellps=GRS80",
    "conterminous United States": "+proj=aea +lat_0=23 +lon_0=-96 +lat_1=29.5 +lat_2=45.5 +ellps=GRS80",
    "Australia": "+proj=aea +lat_0=0 +lon_0=132 +lat_1=-18 +lat_2=-36 +ellps=GRS80",
    "National Grid": "+proj=tmerc +lat_0=49 +lon_0=-2 +k=0.9996012717 +x_0=400000 +y_0=-100000 +ellps=airy",
}
CENTRES = {"UTM 18 north": (-75, 40), "UTM 60 south": (179, -18), "web Mercator": (10, 5), "North Carolina": (-79, 35),
           "one parallel": (3, 46), "southern cone": (145, -37), "conterminous United States": (-96, 38), "Australia": (134, -25),
           "National Grid": (-2, 53)}
STEPS = [(0, 0), (2.6, 1.3), (-3.1, -2.4), (14.7, 9.2), (-21.3, -12.9)]
SHIFTS = {"NAD27": ("clrk66", (-8, 160, 176)), "OSGB36": ("airy", (375, -111, 431))}

out = {"projections": {}, "shifts": {}}
for name, text in PROJECTIONS.items():
    proj = Proj(text)
    lon, lat = CENTRES[name]
    places = [((lon + a + 180) % 360 - 180, lat + b) for a, b in STEPS]
    out["projections"][name] = [[round(a, 9), b, *(round(v, 6) for v in proj(a, b))] for a, b in places]
for name, (ellipsoid, (x, y, z)) in SHIFTS.items():
    shift = Transformer.from_pipeline(
        f"+proj=pipeline +step +proj=unitconvert +xy_in=deg +xy_out=rad +step +proj=cart +ellps={ellipsoid} "
        f"+step +proj=helmert +x={x} +y={y} +z={z} +step +inv +proj=cart +ellps=WGS84 +step +proj=unitconvert +xy_in=rad +xy_out=deg")
    places = {"NAD27": [(-81, 34.2), (-120.4, 47.1), (-69, 45)], "OSGB36": [(-2, 53), (1.4, 51.2), (-5.9, 58)]}[name]
    out["shifts"][name] = [[a, b, *(round(v, 12) for v in shift.transform(a, b, 0)[:2])] for a, b in places]
print(json.dumps(out, indent=1))
