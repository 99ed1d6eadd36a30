"""ASCII grids, with the files that programs put beside them."""

import numpy as np
import rasterio
from rasterio.crs import CRS
from rasterio.transform import Affine

from dirty import verdict

WKT = {
    "degrees": "EPSG:4326",
    "etrs": "EPSG:4258",
    "utm": "EPSG:32637",
    "mercator": "EPSG:3857",
    "feet": "EPSG:2263",
    "jakarta": "EPSG:4813",
    "oslo": "EPSG:4817",
    "tokyo": "EPSG:4301",
    "moon": "+proj=longlat +R=1737400 +no_defs",
}
ELSEWHERE = ("jakarta", "oslo", "tokyo", "moon")  # other meridians, datums and bodies, which must be refused


def place(transform, shape, system):
    """The centre of cell (0, 0), the steps, and what the coordinates are."""
    return {
        "x": transform.c + transform.a / 2,
        "dx": transform.a,
        "y": transform.f + transform.e / 2,
        "dy": transform.e,
        "system": system,
    }


def opened(path, band=1):
    """What rasterio reads: values with scale and offset, masked cells None, the place."""
    with rasterio.open(path) as f:
        v = f.read(band, masked=True)
        scale, offset = f.scales[band - 1], f.offsets[band - 1]
        mask = np.ma.getmaskarray(v) | (~np.isfinite(v.data) if v.dtype.kind == "f" else False)
        flat = [None if m else x for x, m in zip(v.data.ravel().tolist(), mask.ravel().tolist())]
        if scale != 1 or offset != 0:
            flat = [None if x is None else x * scale + offset for x in flat]
        got = {"rows": f.height, "cols": f.width, "values": flat}
        t = f.transform
        if t != Affine.identity() and t.b == t.d == 0:
            got["place"] = place(t, v.shape, None)
            got["place"]["system"] = (
                ""
                if f.crs is None
                else "degrees" if f.crs.is_geographic else "feet" if "foot" in f.crs.linear_units.lower() else "metres"
            )
        return got


def system(name):
    return {"degrees": "degrees", "etrs": "degrees", "": "", "feet": "feet"}.get(name, "metres")


def ascii_grid(out):
    rng = out.rng
    clean = rng.random() < 0.15
    rows, cols = rng.randint(2, 6), rng.randint(2, 7)
    digits = rng.choice([0, 1, 2, 3])
    v = [None if rng.random() < 0.15 else round(rng.uniform(-50, 3000), digits) for _ in range(rows * cols)]
    x, y, size = rng.choice([(30.0, -5.0, 0.5), (500000.0, 9400000.0, 1000.0), (-20.25, 4.125, 0.25)])
    high = size
    eol, decimal, encoding, nodata, declared = "\n", ".", "utf-8", "-9999", True
    keys, dirt, lead, sep, corner, wrap, crs = str, [], [], " ", "corner", False, ""
    order, extra, end = None, [], True
    if not clean:
        for name in rng.sample(
            [
                "case",
                "center",
                "dx",
                "nodata",
                "decimal",
                "eol",
                "encoding",
                "lead",
                "sep",
                "wrap",
                "prj",
                "undeclared",
                "order",
                "equals",
                "cut",
                "more",
                "surfer",
                "aux",
                "thousands",
                "noend",
                "exp",
                "floats",
            ],
            rng.choice([1, 1, 2]),
        ):
            dirt.append(name)
            match name:
                case "case":
                    keys = rng.choice(
                        [str.upper, str.title, lambda k: k.replace("_value", "_VALUE").replace("nodata", "NODATA")]
                    )
                case "center":
                    corner = "center"
                case "dx":
                    high = size * 2
                case "nodata":
                    nodata = rng.choice(
                        [
                            "nan",
                            "NaN",
                            "null",
                            "-3.4028234663852886e+38",
                            "-3.402823e+38",
                            "1e20",
                            "-99.9",
                            "*",
                            "NA",
                            "-9999.0",
                            "-9.999E3",
                            "-99999",
                            "None",
                            "",
                        ]
                    )
                    dirt[-1] = f"nodata {nodata}"
                case "decimal":
                    decimal = ","
                case "eol":
                    eol = rng.choice(["\r\n", "\r"])
                case "encoding":
                    encoding = rng.choice(["utf-8-sig", "utf-16", "utf-16-le"])
                    dirt[-1] = encoding
                case "lead":
                    lead = [rng.choice(["# a comment", "/* made by SAGA */", "north: 5", "// x", "! y"])]
                case "sep":
                    sep = rng.choice(["\t", "  ", ",", ";", ", "])
                    dirt[-1] = f"separator {sep!r}"
                case "wrap":
                    wrap = True
                case "prj":
                    crs = rng.choice(["degrees", "utm", "etrs", "mercator"])
                    if crs in ("degrees", "etrs"):
                        x, y, size = 30.0, -5.0, 0.5
                    else:
                        x, y, size = 500000.0, 940000.0, 1000.0
                    high = size
                    dirt[-1] = f".prj of {crs}"
                case "undeclared":
                    declared = False
                case "order":
                    order = True
                case "equals":
                    extra = ["="]
                case "noend":
                    end = False
                case "floats" | "cut" | "more" | "surfer" | "aux" | "thousands" | "exp":
                    pass

    def number(a):
        if a is None:
            return "1.70141e38" if "surfer" in dirt else nodata or "-9999"
        if "thousands" in dirt and decimal == ".":
            return f"{a:,.{digits}f}"
        return f"{a:.9e}".replace(".", decimal) if "exp" in dirt else f"{a:.{digits}f}".replace(".", decimal)

    value = lambda a: repr(a).replace(".", decimal)
    head = [
        ("ncols", str(cols) + (".0" if "floats" in dirt else "")),
        ("nrows", str(rows)),
        ("xll" + corner, value(x)),
        ("yll" + corner, value(y)),
    ]
    head += [("cellsize", value(size))] if high == size else [("dx", value(size)), ("dy", value(high))]
    if declared:
        head.append(("nodata_value", nodata))
    if order:
        rng.shuffle(head)
    lines = lead + [f"{keys(k)}{extra[0] if extra else ' '}{a}" for k, a in head]
    body = [number(a) for a in v]
    if "cut" in dirt:
        body = body[:-2]
    if "more" in dirt:
        body += ["7"]
    step = 5 if wrap else cols
    lines += [sep.join(body[k : k + step]) for k in range(0, len(body), step)]
    if "surfer" in dirt:
        clean_v = [a for a in v if a is not None] or [0]
        grid = [body[r * cols : (r + 1) * cols] for r in range(rows)]
        lines = [
            "DSAA",
            f"{cols} {rows}",
            f"{x} {x + size * (cols - 1)}",
            f"{y} {y + size * (rows - 1)}",
            f"{min(clean_v)} {max(clean_v)}",
        ] + [" ".join(r) for r in grid[::-1]]
        corner = "center"
        high = size
    path = out.path(".asc")
    path.write_bytes((eol.join(lines) + (eol if end else "")).encode(encoding))
    if crs:
        path.with_suffix(".prj").write_text(CRS.from_user_input(WKT[crs]).to_wkt(version="WKT1_ESRI"))
    truth_v, scale = v, None
    if "aux" in dirt:
        scale = rng.choice([0, 0.1, 10])
        body = (
            f'<PAMRasterBand band="1">'
            + (
                f"<Offset>5</Offset><Scale>{scale}</Scale>"
                if scale
                else '<Metadata><MDI key="STATISTICS_MEAN">3</MDI></Metadata>'
            )
            + "</PAMRasterBand>"
        )
        (path.parent / (path.name + ".aux.xml")).write_text(f"<PAMDataset>{body}</PAMDataset>")
        truth_v = [None if a is None else a * scale + 5 for a in v] if scale else v
    half = 0.5 if corner == "corner" else 0
    truth = {
        "rows": rows,
        "cols": cols,
        "values": truth_v,
        "place": {
            "x": x + half * size,
            "dx": size,
            "y": y + half * high + (rows - 1) * high,
            "dy": -high,
            "system": system(crs),
        },
    }
    if not declared and all(a is not None for a in v):
        dirt = [f"{d}, none missing" if d == "undeclared" else d for d in dirt]
    out.add(
        path,
        "asc",
        "asc: " + ("clean" if clean else ", ".join(dirt)),
        truth,
        {"informed": verdict(lambda: opened(path), truth, 1e-6)},
        must="equal" if clean else "",
    )
