"""Shapefiles with code pages, written byte by byte."""

import struct

import shapely
from rasterio.crs import CRS

from dirty import verdict
from regions import codes, exact, facts, opened, places

PAGES = {
    "cp1252": (0x57, 0x03, "ANSI 1252"),
    "cp850": (0x02, 0x25, "850"),
    "cp437": (0x01, 0x09, "437"),
    "cp852": (0x64, 0x1F, "OEM 852"),
    "cp866": (0x65, 0x26, "866"),
    "cp932": (0x13, 0x7B, "932"),
    "cp936": (0x4D, 0x7A, "936"),
    "cp949": (0x4E, 0x79, "949"),
    "cp950": (0x4F, 0x78, "BIG5"),
    "cp874": (0x50, 0x7C, "874"),
    "cp1250": (0xC8, 0xC8, "1250"),
    "cp1251": (0xC9, 0xC9, "CP1251"),
    "cp1254": (0xCA, 0xCA, "1254"),
    "cp1253": (0xCB, 0xCB, "windows-1253"),
    "cp1256": (0x7E, 0x7E, "1256"),
    "cp1255": (0x7D, 0x7D, "1255"),
    "cp1257": (0xCC, 0xCC, "1257"),
    "cp860": (0x24, 0x24, "860"),
    "cp865": (0x66, 0x66, "865"),
    "utf-8": (0x00, 0x00, "UTF-8"),
    "iso8859-2": (0x00, 0x00, "8859_2"),
    "iso8859-15": (0x00, 0x00, "ISO-8859-15"),
    "shift_jis": (0x13, 0x13, "Shift_JIS"),
    "gb18030": (0x4D, 0x4D, "GB18030"),
    "euc_kr": (0x4E, 0x4E, "EUC-KR"),
    "iso8859-1": (0x57, 0x57, "88591"),
}
LETTERS = {
    "cp1251": ["Хасково", "Варна", "Русе"],
    "cp866": ["Москва", "Тверь", "Пермь"],
    "cp932": ["仙台市", "大阪府", "表町"],
    "shift_jis": ["仙台市", "大阪府", "表町"],
    "cp936": ["北京市", "上海市", "广东"],
    "gb18030": ["北京市", "上海市", "广东"],
    "cp950": ["臺北市", "高雄市", "功能"],
    "cp949": ["서울", "부산", "대구"],
    "euc_kr": ["서울", "부산", "대구"],
    "cp1253": ["Αθήνα", "Πάτρα", "Κρήτη"],
    "cp1256": ["القاهرة", "الجيزة", "أسوان"],
    "cp1255": ["חיפה", "אילת", "יפו"],
    "cp874": ["กรุงเทพ", "ภูเก็ต", "ตาก"],
    "cp1254": ["İstanbul", "Muğla", "Şırnak"],
    "cp1257": ["Rīga", "Šiauliai", "Tallinn"],
    "cp852": ["Łódź", "Gdańsk", "Győr"],
    "cp1250": ["Łódź", "Gdańsk", "Győr"],
    "iso8859-2": ["Łódź", "Gdańsk", "Győr"],
    "utf-8": ["Łódź", "仙台市", "Хасково"],
}
WESTERN = ["Bénin", "Huíla", "Zürich"]


def dbf(columns, rows, page, ldid, deleted=()):
    """A dBASE table; columns are (name, type, width, decimals)."""
    width = 1 + sum(c[2] for c in columns)
    head = struct.pack("<B3BIHH16xBBxx", 3, 120, 1, 1, len(rows), 33 + 32 * len(columns), width, 0, ldid)
    for name, kind, size, decimals in columns:
        head += (
            name.encode("ascii")[:11].ljust(11, b"\0")
            + kind.encode()
            + b"\0" * 4
            + bytes([size, decimals])
            + b"\0" * 14
        )
    body = b""
    for k, row in enumerate(rows):
        body += b"*" if k in deleted else b" "
        for (name, kind, size, decimals), v in zip(columns, row):
            text = (
                "" if v is None else v if isinstance(v, str) else str(v) if isinstance(v, int) else f"{v:.{decimals}f}"
            )
            raw = text.encode(page)[:size]
            body += raw.ljust(size) if kind in "CLD" else raw.rjust(size)
    return head + b"\r" + body + b"\x1a"


def shp(shapes, kind=5, outer_first=True, order=None, moved=None):
    """A shapefile of polygons, whose outer rings are clockwise. The records lie in an order, and the record that has moved
    to the end has left a gap with its old bytes."""
    records, places = b"", {}
    order = list(order or range(len(shapes)))
    if moved is not None:
        order = [*order, moved]
    for at, k in enumerate(order):
        s = shapes[k]
        rings = []
        for p in getattr(s, "geoms", [s]):
            p = shapely.geometry.polygon.orient(p, -1)
            rings += [list(p.exterior.coords), *[list(r.coords) for r in p.interiors]]
        if not outer_first:
            rings = rings[::-1]
        points = [c for r in rings for c in r]
        starts, at = [], 0
        for r in rings:
            starts.append(at)
            at += len(r)
        b = (
            struct.pack("<I4d2I", kind, *s.bounds, len(rings), len(points))
            + struct.pack(f"<{len(starts)}I", *starts)
            + b"".join(struct.pack("<2d", *c[:2]) for c in points)
        )
        if kind == 15:
            b += struct.pack("<2d", 0, 0) + b"".join(struct.pack("<d", 7) for _ in points)
        if kind in (15, 25):
            b += struct.pack("<2d", 0, 0) + b"".join(struct.pack("<d", 3) for _ in points)
        places[k] = (50 + len(records) // 2, len(b) // 2)
        records += struct.pack(">2I", k + 1, len(b) // 2) + b
    index = b"".join(struct.pack(">2I", *places[k]) for k in range(len(shapes)))
    bounds = [
        min(s.bounds[0] for s in shapes),
        min(s.bounds[1] for s in shapes),
        max(s.bounds[2] for s in shapes),
        max(s.bounds[3] for s in shapes),
    ]
    head = lambda n: struct.pack(">7I", 9994, 0, 0, 0, 0, 0, (100 + n) // 2) + struct.pack(
        "<2I8d", 1000, kind, *bounds, 0, 0, 0, 0
    )
    return head(len(records)) + records, head(len(index)) + index


def shapefile(out):
    rng = out.rng
    clean = rng.random() < 0.12
    n = 3
    shapes = places(rng, n)
    page = "utf-8" if clean else rng.choice(list(PAGES))
    first, second, label = PAGES[page]
    names = list(LETTERS.get(page, WESTERN))
    kind_of_code, code = codes(rng, n)
    if kind_of_code == "huge" or clean:
        kind_of_code, code = "small", [5, 6, 7]
    ldid, cpg, declared = rng.choice(
        [(first, None, "LDID"), (second, None, "LDID"), (0, label, ".cpg"), (0x57, label, ".cpg beside another LDID")]
    )
    if page in ("utf-8", "iso8859-2", "iso8859-15", "iso8859-1", "shift_jis", "gb18030", "euc_kr") or clean:
        ldid, cpg, declared = 0, label, ".cpg"
    dirt, must, prj, kind, deleted, ending, options = [], "", "GEOGCS wgs", 5, (), ".shp", {}
    if not clean:
        dirt.append(f"{page} by {declared}")
        if kind_of_code != "small":
            dirt.append(f"codes {kind_of_code}")
    column = rng.choice(["NAME", "name", "shapeName", "NAME_1"])
    options["name"] = "NAME_1" if column == "NAME_1" else ""
    for p in (
        []
        if clean
        else rng.sample(
            [
                "none",
                "none",
                "prj",
                "prj",
                "noprj",
                "z",
                "m",
                "equal",
                "deleted",
                "upper",
                "reverse",
                "wrong page",
                "unknown page",
                "cut",
                "no dbf",
                "columns twice",
                "rows",
                "stars",
                "plain",
                "shuffled",
                "shuffled",
                "moved",
                "no index",
            ],
            rng.choice([0, 1, 1]),
        )
    ):
        dirt.append(p)
        match p:
            case "none" if page in ("cp1250", "iso8859-2", "cp1254", "cp1257"):
                dirt.pop()  # nothing tells these from texts of cp1252
            case "none":
                cpg, ldid = None, 0
                dirt[0] = f"{page} by nothing"
            case "prj":
                prj = rng.choice(
                    [
                        "EPSG:4258",
                        "EPSG:4267",
                        "EPSG:32637",
                        "EPSG:3857",
                        "WKT1",
                        "WKT2",
                        "empty",
                        "EPSG:4269",
                        "EPSG:4807",
                        "ESRI:104905",
                        "EPSG:4674",
                        "EPSG:7844",
                        "EPSG:4148",
                        "EPSG:4813",
                        "EPSG:4301",
                        "EPSG:4210",
                    ]
                )
                dirt[-1] = f".prj {prj}"
                must = (
                    ""
                    if prj in ("WKT1", "WKT2")
                    else (
                        "refuse"
                        if prj
                        in (
                            "EPSG:32637",
                            "EPSG:3857",
                            "EPSG:4807",
                            "empty",
                            "ESRI:104905",
                            "EPSG:4267",
                            "EPSG:4813",
                            "EPSG:4301",
                            "EPSG:4210",
                        )
                        else ""
                    )
                )
            case "noprj":
                prj, options["wgs84"] = None, rng.random() < 0.5
                must = "" if options["wgs84"] else "refuse"
            case "z":
                kind = 15
            case "m":
                kind = 25
            case "equal":
                names = [names[0]] * n
            case "deleted":
                deleted = (1,)
            case "upper":
                ending = ".SHP"
            case "wrong page":
                cpg, must = ("UTF-8", "refuse") if page != "utf-8" else (cpg, must)
            case "unknown page":
                cpg, must = rng.choice(["klingon", "ANSI 9999", "0"]), "refuse"
            case "cut" | "no dbf" | "rows":
                must = "refuse"
    path = out.path(ending)
    table = [(column, "C", 40, 0)] + (
        [("CODE", "N", 20, 1 if kind_of_code == "float" else 0)]
        if not isinstance(code[0], str)
        else [("CODE", "C", 20, 0)]
    )
    rows = [[a, c] for a, c in zip(names, code)]
    if "columns twice" in dirt:
        table.append((column, "C", 10, 0))
        rows = [[*r, "other"] for r in rows]
    if "stars" in dirt:
        table.append(("POP", "N", 5, 0))
        rows = [[*r, "*****"] for r in rows]
    if "rows" in dirt:
        rows = rows[:-1]
    shuffled = rng.sample(range(n), n) if "shuffled" in dirt or "no index" in dirt else None
    main, index = shp(shapes, kind, order=shuffled, moved=rng.randrange(n) if "moved" in dirt else None)
    path.write_bytes(main[:-9] if "cut" in dirt else main)
    side = lambda e: path.with_suffix(e.upper() if ending == ".SHP" else e)
    if "no index" not in dirt:
        side(".shx").write_bytes(index)
    if "no dbf" not in dirt:
        side(".dbf").write_bytes(dbf(table, rows, page, ldid, deleted))
    if cpg is not None:
        side(".cpg").write_text(cpg + rng.choice(["", "\n"]))
    if prj is not None:
        text = {
            "GEOGCS wgs": lambda: CRS.from_epsg(4326).to_wkt(version="WKT1_ESRI"),
            "WKT1": lambda: CRS.from_epsg(4326).to_wkt(version="WKT1_GDAL"),
            "WKT2": lambda: CRS.from_epsg(4326).to_wkt(version="WKT2_2018"),
            "empty": lambda: "",
        }.get(prj, lambda: CRS.from_user_input(prj).to_wkt(version="WKT1_ESRI"))()
        side(".prj").write_text(text)
    keep = [k for k in range(n) if k not in deleted]
    truth = {"regions": [{"name": names[k], "code": exact(code[k]), **facts(shapes[k], rng)} for k in keep]}
    told = [{k: r[k] for k in ("name", "box", "area", "code")} for r in truth["regions"]]
    out.add(
        path,
        "shapefile",
        "shapefile: " + (", ".join(dirt) or "clean"),
        truth,
        {"informed": verdict(lambda: opened(path, column, code), told)},
        options,
        must="equal" if clean else must,
    )
