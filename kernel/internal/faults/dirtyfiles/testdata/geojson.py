"""Regions in the GeoJSON of many programs."""

import json

import shapely
import shapely.affinity
from shapely.geometry import box, mapping
from shapely.ops import unary_union

from dirty import verdict
from regions import NAMES, codes, exact, facts, opened, places


def geojson(out):
    rng = out.rng
    clean = rng.random() < 0.12
    n = rng.randint(1, 4)
    shapes, names = places(rng, n), rng.sample(NAMES[:4] if clean else NAMES, n)
    kind_of_code, code = codes(rng, n) if not clean else ("small", [k + 1 for k in range(n)])
    column, asked = rng.choice([("name", ""), ("shapeName", ""), ("NAME_1", "name_1"), ("adm1", "adm1")])
    dirt = [] if clean or kind_of_code in ("small", "text") else [f"codes {kind_of_code}"]
    feats = [
        {"type": "Feature", "properties": {column: a, "code": c, "pop": 1.5}, "geometry": mapping(s)}
        for a, c, s in zip(names, code, shapes)
    ]
    file = {"type": "FeatureCollection", "features": feats}
    text, encoding, must = None, "utf-8", ""

    def positions(fun):
        def deep(c):
            return c if not c else fun(list(c)) if isinstance(c[0], (int, float)) else [deep(x) for x in c]

        def change(g):
            if g and "geometries" in g:
                return {**g, "geometries": [change(x) for x in g["geometries"]]}
            return g and {**g, "coordinates": deep(g["coordinates"])}

        for f in feats:
            f["geometry"] = change(f["geometry"])

    picks = (
        []
        if clean
        else rng.sample(
            [
                "crs",
                "crs",
                "latfirst",
                "latfirst",
                "metres",
                "ids",
                "ids",
                "equal",
                "bom",
                "utf16",
                "latin1",
                "lines",
                "sequence",
                "single",
                "bare",
                "collection",
                "null geometry",
                "empty",
                "z",
                "winding",
                "unclosed",
                "point",
                "line",
                "dateline",
                "null name",
                "number name",
                "big name",
                "escapes",
                "esri",
                "topo",
                "overlap",
                "overlap",
                "doubled",
                "bowtie",
                "key twice",
                "nested",
                "trailing comma",
                "cut",
                "nan",
                "text numbers",
                "stringified",
                "comment",
                "two names",
                "touching",
            ],
            rng.choice([1, 1, 2]),
        )
    )
    first, last = ["overlap", "doubled", "bowtie", "touching"], [
        "stringified"
    ]  # other shapes come before what is done to them
    for p in sorted(picks, key=lambda p: (p not in first, p in last)):
        label = p
        match p:
            case "crs":
                label = rng.choice(
                    [
                        "urn:ogc:def:crs:OGC:1.3:CRS84",
                        "EPSG:4326",
                        "urn:ogc:def:crs:EPSG::4326",
                        "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
                        "EPSG:4258",
                        "EPSG:4269",
                        "urn:ogc:def:crs:EPSG::3857",
                        "OGC:CRS84",
                        "WGS84",
                        "http://www.opengis.net/gml/srs/epsg.xml#4326",
                        "urn:ogc:def:crs:EPSG:6.9:4326",
                    ]
                )
                file["crs"] = {"type": "name", "properties": {"name": label}}
                if label.endswith("3857"):
                    must = "refuse"
            case "latfirst":
                file["crs"] = {
                    "type": "name",
                    "properties": {
                        "name": rng.choice(
                            [
                                "urn:ogc:def:crs:EPSG::4326",
                                "EPSG:4326",
                                "http://www.opengis.net/def/crs/EPSG/0/4326",
                                "urn:ogc:def:crs:EPSG:6.9:4326",
                                "https://www.opengis.net/def/crs/EPSG/0/4326",
                            ]
                        )
                    },
                }
                if (
                    "def" not in file["crs"]["properties"]["name"]
                ):  # names of longitude first, so that nothing but numbers above 90 can tell
                    positions(lambda c: [c[0] + 90, *c[1:]])
                    shapes = [s and shapely.affinity.translate(s, 90) for s in shapes]
                positions(lambda c: [c[1], c[0], *c[2:]])
                label += " " + file["crs"]["properties"]["name"]
            case "metres":
                positions(lambda c: [c[0] * 111320, c[1] * 110574, *c[2:]])
                must = "refuse"
            case "ids":
                how = rng.choice(["text", "number", "big", "zeros"])
                ids = [{"text": f"K{k}", "number": 7 + k, "big": 2**59 + k, "zeros": f"00{k}"}[how] for k in range(n)]
                for f, i in zip(feats, ids):
                    f["id"] = i
                    del f["properties"][column]
                names, asked, label = [str(i) for i in ids], rng.choice(["", "id"]), f"ids of features, {how}"
                column = "id"
            case "equal" if n > 1:
                names = [names[0]] * n
                for f in feats:
                    if column in f["properties"]:
                        f["properties"][column] = names[0]
                    else:
                        f["id"] = names[0]
            case "bom":
                encoding = "utf-8-sig"
            case "utf16":
                encoding = "utf-16"
            case "latin1":
                encoding, text = "latin-1", "latin"
            case "lines" | "sequence" | "single" | "bare" if "features" in file and file.get("type"):
                text = p
            case "collection":
                for f in feats:
                    g = f["geometry"]
                    f["geometry"] = {
                        "type": "GeometryCollection",
                        "geometries": (
                            [{"type": "Polygon", "coordinates": c} for c in g["coordinates"]]
                            if g["type"] == "MultiPolygon"
                            else [g]
                        ),
                    }
            case "null geometry":
                feats[0]["geometry"], must = None, "refuse"
            case "empty":
                feats[0]["geometry"], must = {"type": "Polygon", "coordinates": []}, "refuse"
            case "z":
                positions(lambda c: [*c[:2], 12.5])
            case "winding" if all(f["geometry"] and f["geometry"]["type"] == "Polygon" for f in feats):
                for f in feats:
                    f["geometry"]["coordinates"] = [list(r)[::-1] for r in f["geometry"]["coordinates"]]
            case "unclosed" if feats[0]["geometry"] and feats[0]["geometry"]["type"] == "Polygon":
                feats[0]["geometry"]["coordinates"] = [list(r)[:-1] for r in feats[0]["geometry"]["coordinates"]]
            case "point":
                feats[-1]["geometry"], must = {"type": "Point", "coordinates": [30, 2]}, "refuse"
            case "line":
                feats[-1]["geometry"], must = {"type": "LineString", "coordinates": [[30, 2], [31, 3]]}, "refuse"
            case "dateline":
                feats[0]["geometry"], must = {
                    "type": "Polygon",
                    "coordinates": [[[179, -18], [-179, -18], [-179, -16], [179, -16], [179, -18]]],
                }, "refuse"
            case "null name" if column != "id":
                feats[0]["properties"] = {**feats[0]["properties"], column: None}
                names = ["0", *names[1:]]  # its number
            case "number name" if column != "id":
                names = [str(1000001 + k) for k in range(n)]
                for k, f in enumerate(feats):
                    f["properties"][column] = 1000001 + k
            case "big name" if column != "id":
                names = [str(599686042433355775 + k) for k in range(n)]
                for k, f in enumerate(feats):
                    f["properties"][column] = 599686042433355775 + k
            case "two names":
                twin = column.upper() if column != column.upper() else column.lower()
                for f in feats:
                    f["properties"][twin] = "other"
                if twin == asked:  # the same capitals decide
                    names = ["other"] * n
            case "nested":
                for f in feats:
                    f["properties"]["tags"] = {"name": "inner", "list": [1, None]}
            case "overlap":
                shapes[0] = (
                    unary_union([box(36, 0, 40, 4), box(38, 0, 42, 4)])
                    if n == 1
                    else unary_union([box(100, 0, 104, 4), box(102, 0, 106, 4)])
                )
                w = 36 if n == 1 else 100
                feats[0]["geometry"] = {
                    "type": "MultiPolygon",
                    "coordinates": [
                        [[[w + a, 0], [w + a + 4, 0], [w + a + 4, 4], [w + a, 4], [w + a, 0]]] for a in (0, 2)
                    ],
                }
            case "doubled":
                c = [[[100, 0], [102, 0], [102, 2], [100, 2], [100, 0]]]
                shapes[0], feats[0]["geometry"] = box(100, 0, 102, 2), {"type": "MultiPolygon", "coordinates": [c, c]}
            case "bowtie":
                feats[0]["geometry"], shapes[0] = {
                    "type": "Polygon",
                    "coordinates": [[[100, 0], [102, 2], [102, 0], [100, 2], [100, 0]]],
                }, None
                must = ""
            case "touching":
                shapes[0] = box(100, 0, 104, 4)
                feats[0]["geometry"] = {
                    "type": "MultiPolygon",
                    "coordinates": [
                        [[[100, 0], [102, 0], [102, 4], [100, 4], [100, 0]]],
                        [[[102, 0], [104, 0], [104, 4], [102, 4], [102, 0]]],
                    ],
                }
            case "escapes":
                text = "escapes"
            case "esri" if text not in ("single", "bare", "lines", "sequence"):
                file, must = {
                    "geometryType": "esriGeometryPolygon",
                    "features": [{"attributes": f["properties"], "geometry": {"rings": []}} for f in feats],
                }, "refuse"
            case "topo" if text not in ("single", "bare", "lines", "sequence"):
                file, must = {
                    "type": "Topology",
                    "objects": {"a": {"type": "GeometryCollection", "geometries": []}},
                    "arcs": [],
                }, "refuse"
            case "key twice" | "trailing comma" | "cut" | "nan" | "text numbers" | "comment":
                text = p
            case "stringified":
                for f in feats:
                    f["geometry"] = json.dumps(f["geometry"])
                must = "refuse"
            case _:
                label = None
        if label:
            dirt.append(label)
    dump = lambda v: json.dumps(v, ensure_ascii=text == "escapes")
    body = dump(file)
    match text:
        case "lines":
            body = "\n".join(dump(f) for f in feats)
        case "sequence":
            body = "".join("\x1e" + dump(f) + "\n" for f in feats)
        case "single":
            must = (
                ""
                if n > 1
                and feats[-1]["geometry"]
                and isinstance(feats[-1]["geometry"], dict)
                and feats[-1]["geometry"]["type"] in ("Point", "LineString")
                else must
            )
            body, feats, shapes, names, code = (
                dump(feats[0] | ({"crs": file["crs"]} if "crs" in file else {})),
                feats[:1],
                shapes[:1],
                names[:1],
                code[:1],
            )
        case "bare":
            g = feats[0]["geometry"]
            must = (
                ""
                if n > 1
                and isinstance(feats[-1]["geometry"], dict)
                and feats[-1]["geometry"]["type"] in ("Point", "LineString")
                else must
            )
            body, shapes, names, code, asked = (
                dump(g | ({"crs": file["crs"]} if "crs" in file else {}) if isinstance(g, dict) else g),
                shapes[:1],
                ["0"],
                [None],
                "",
            )
        case "latin":
            dirt.append("not UTF-8") if any(ord(c) > 127 for c in body) else None
            body = body.encode("latin-1", "replace").decode("latin-1")
            names = [a.encode("latin-1", "replace").decode("latin-1") for a in names]
        case "key twice":
            body = body.replace(f'"{column}":', f'"{column}": "first", "{column}":')
        case "trailing comma":
            body, must = body[:-2] + ",]}", "refuse"
        case "cut":
            body, must = body[: len(body) * 3 // 4], "refuse"
        case "nan":
            body, must = body.replace("1.5", "NaN"), ""
        case "text numbers":
            body, must = body.replace("[[[", '[[["30", 5], [', 1), "refuse"
        case "comment":
            body, must = "// districts\n" + body, "refuse"
    path = out.path(rng.choice([".geojson", ".json"]))
    path.write_bytes(body.encode(encoding))
    truth = {
        "regions": [
            {
                "name": a,
                "code": exact(c),
                **(
                    facts(s, rng)
                    if s is not None
                    else {
                        "box": [100, 0, 102, 2],
                        "area": 2.0,
                        "within": [[100.5, 1.0003], [101.5, 1.0003]],
                        "outside": [[101, 1.8003]],
                    }
                ),
            }
            for a, c, s in zip(names, code, shapes)
        ]
    }
    told = [{k: r[k] for k in ("name", "box", "area", "code")} for r in truth["regions"]]
    out.add(
        path,
        "geojson",
        "geojson: " + (", ".join(dirt) or "clean"),
        truth,
        {"informed": verdict(lambda: opened(path, column, code), told)},
        {"name": asked},
        must="equal" if clean else must,
    )
