"""Regions, with names and identifiers, and what a reader must find of them."""

import pyogrio
import shapely
from shapely.geometry import Polygon, box

NAMES = [
    "Huíla",
    "Lóvua",
    "Bénin",
    "Nord-Kivu",
    "Ḥalab",
    "O'Kiep",
    'A "B"',
    "São Tomé",
    "N’Djamena",
    "Zürich",
    "Ø",
    "Łódź",
    "仙台市",
    "Хасково",
    "x, y",
    " Edge ",
    "10",
    "007",
    "1e5",
    "NA",
    "null",
    "None",
    "True",
]


def places(rng, n):
    """n polygons that do not touch each other, some with a hole or of two parts; corners are at quarters of a degree."""
    cells = rng.sample([(x, y) for x in range(10) for y in range(5)], n)
    out = []
    for x, y in cells:
        w, s = 10 + 3.0 * x, -10 + 3.0 * y
        p = box(w, s, w + rng.choice([1, 1.5, 2]), s + rng.choice([1, 1.25, 2]))
        match rng.randrange(5):
            case 0:
                p = Polygon(p.exterior.coords, [box(w + 0.25, s + 0.25, w + 0.75, s + 0.75).exterior.coords])
            case 1:
                p = shapely.MultiPolygon([p, box(w + 2.25, s, w + 2.5, s + 0.5)])
            case 2:
                p = Polygon([(w, s), (w + 2, s), (w + 2, s + 1), (w + 1, s + 2), (w, s + 1)])
        out.append(p)
    return out


def facts(shape, rng):
    """What a reader must find: the box, the area in square degrees, and places within and outside."""
    w, s, e, n = shape.bounds
    within, outside = [], []
    for _ in range(8):
        p = shapely.Point(
            round(rng.uniform(w - 0.2, e + 0.2), 3) + 0.00031, round(rng.uniform(s - 0.2, n + 0.2), 3) + 0.00072
        )
        (within if shape.contains(p) else outside).append([p.x, p.y])
    return {"box": [w, s, e, n], "area": shape.area, "within": within, "outside": outside}


def opened(path, column, codes):
    """What pyogrio reads."""
    meta, _, geometry, fields = pyogrio.raw.read(path)
    shapes = shapely.from_wkb(geometry)
    table = {k.lower(): v for k, v in zip(meta["fields"], fields)}
    names = table.get(column.lower(), range(len(shapes)))
    plain = lambda v: (
        None
        if v is None or v != v
        else str(int(v)) if not isinstance(v, (str, bool)) and float(v) == int(v) else str(v)
    )
    return [
        {"name": plain(a), "box": list(s.bounds), "area": s.area, "code": plain(c)}
        for a, s, c in zip(names, shapes, table.get("code", [None] * len(shapes)))
    ]


def codes(rng, n):
    """Identifiers: small, beyond 2^53, with zeros in front, as text."""
    kind = rng.choice(["small", "big", "zeros", "text", "huge", "float"])
    start = {
        "small": rng.randrange(10**6),
        "big": 2**59 + rng.randrange(10**9),
        "huge": 2**64 + rng.randrange(10**9),
    }.get(kind, 0)
    if kind == "float":
        return kind, [k + 0.5 for k in range(n)]
    return kind, [f"{k:05d}" if kind == "zeros" else f"c{k}" if kind == "text" else start + k for k in range(n)]


def exact(v):
    return None if v is None else str(v)
