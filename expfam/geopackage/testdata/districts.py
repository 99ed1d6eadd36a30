"""Writes districts.gpkg with Python's sqlite3: python districts.py districts.gpkg

Layer "tracts" has 150 squares of a kilometre in UTM zone 18N, with the south-western corners (400 + k % 15, 4600 + k // 15) km.
Square 7 has a corner every metre, so that it needs pages of its own. Layer "old" has one square of a degree in NAD27. Pages have
512 bytes, so that the tables have several levels.
"""

import os
import sqlite3
import struct
import sys

path = sys.argv[1]
if os.path.exists(path):
    os.remove(path)
db = sqlite3.connect(path)
db.execute("PRAGMA page_size = 512")
db.executescript("""
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,
  srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL, CONSTRAINT pk PRIMARY KEY (table_name, column_name));
CREATE TABLE "tracts" ( "fid" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "geom" POLYGON, "COUNTY" TEXT(20), "CODE" TEXT(8), "cases" REAL, people MEDIUMINT);
CREATE TABLE "old" ("fid" INTEGER PRIMARY KEY, "geom" MULTIPOLYGON, "name" TEXT);
""")
db.execute("INSERT INTO gpkg_spatial_ref_sys VALUES ('WGS 84 / UTM zone 18N', 32618, 'EPSG', 32618, 'PROJCS', NULL)")
db.execute("INSERT INTO gpkg_spatial_ref_sys VALUES ('NAD27', 4267, 'EPSG', 4267, 'GEOGCS', NULL)")
db.execute("INSERT INTO gpkg_geometry_columns VALUES ('tracts', 'geom', 'POLYGON', 32618, 0, 0)")
db.execute("INSERT INTO gpkg_geometry_columns VALUES ('old', 'geom', 'MULTIPOLYGON', 4267, 0, 0)")


def polygon(ring):
    return struct.pack("<BIII", 1, 3, 1, len(ring)) + b"".join(struct.pack("<dd", *p) for p in ring)


def header(srs, box=None):
    return b"GP\0" + struct.pack("<Bi", 3 if box else 1, srs) + (struct.pack("<dddd", *box) if box else b"")


for k in range(150):
    x, y = 1000 * (400 + k % 15), 1000 * (4600 + k // 15)
    step = 1 if k == 7 else 1000
    ring = [(x + s, y) for s in range(0, 1000, step)] + [(x + 1000, y + s) for s in range(0, 1000, step)]
    ring += [(x + 1000 - s, y + 1000) for s in range(0, 1000, step)] + [(x, y + 1000 - s) for s in range(0, 1000, step)]
    blob = header(32618, (x, x + 1000, y, y + 1000)) + polygon(ring + ring[:1])
    db.execute("INSERT INTO tracts (geom, COUNTY, CODE, cases, people) VALUES (?, ?, ?, ?, ?)", (blob, "county", f"{k:05d}", k / 4, -k * 1000))
square = [(-81, 34), (-80, 34), (-80, 35), (-81, 35), (-81, 34)]
db.execute("INSERT INTO old (geom, name) VALUES (?, ?)", (header(4267) + struct.pack("<BII", 1, 6, 1) + polygon(square), "São Tomé"))
db.commit()
