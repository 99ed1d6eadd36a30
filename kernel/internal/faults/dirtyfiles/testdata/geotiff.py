"""GeoTIFFs, with the files that programs put beside them."""

import numpy as np
import rasterio
from rasterio.crs import CRS
from rasterio.enums import ColorInterp
from rasterio.transform import Affine

from dirty import verdict
from rasters import ELSEWHERE, WKT, opened, place, system


def geotiff(out):
    rng = out.rng
    clean = rng.random() < 0.12
    g = np.random.default_rng(rng.randrange(2**32))
    dtype = rng.choice(["uint8", "int16", "uint16", "int32", "uint32", "float32", "float64", "float32", "int16"])
    rows, cols, bands = rng.choice([(4, 5), (17, 33), (40, 24), (3, 70)]) + (1,)
    options, dirt, crs = {}, [], rng.choice(["degrees", "utm", "mercator", "degrees"])
    nodata, beside, masks, scale, offset, alpha, after = None, {}, None, 1.0, 0.0, False, []
    undeclared, south, moved, point, rotated, must = False, False, 0, False, False, ""
    drawn = (
        []
        if clean
        else rng.sample(
            [
                "compress",
                "tiled",
                "predictor",
                "bands",
                "planar",
                "bigtiff",
                "endian",
                "nodata",
                "nodata",
                "undeclared",
                "scale",
                "mask",
                "msk",
                "msk",
                "alpha",
                "tfw",
                "tfw",
                "aux",
                "aux",
                "aux",
                "prj",
                "south",
                "point",
                "system",
                "rotated",
                "gcps",
                "sparse",
                "palette",
                "nbits",
                "dtype",
                "overviews",
                "photometric",
                "lon360",
                "cut",
                "nan",
                "jpeg",
                "zstd",
                "strip",
                "ovr",
                "tab",
                "rpc",
                "statistics",
                "auxnodata",
            ],
            rng.choice([1, 2, 2, 3]),
        )
    )
    picks = [
        p
        for p in drawn
        if (p != "auxnodata" or "aux" not in drawn)
        and (p != "undeclared" or "aux" not in drawn and "scale" not in drawn)
    ]
    for name in picks:
        label = name
        match name:
            case "compress":
                label = options["compress"] = rng.choice(["lzw", "deflate", "packbits"])
            case "zstd":
                label = options["compress"] = rng.choice(["zstd", "lerc", "lzma", "webp"])
                if label == "webp":
                    dtype, bands = "uint8", 3
            case "jpeg":
                dtype, label = "uint8", "jpeg"
                options["compress"] = "jpeg"
            case "tiled":
                options |= {"tiled": True, "blockxsize": 16, "blockysize": 16}
            case "strip":
                options["blockysize"] = rng.choice([1, 2, 3])
            case "predictor":
                options |= {
                    "compress": rng.choice(["lzw", "deflate"]),
                    "predictor": 3 if dtype.startswith("f") and rng.random() < 0.5 else 2,
                }
            case "bands":
                bands = rng.choice([2, 3, 5])
            case "planar":
                bands = max(bands, 2)
                options["interleave"] = rng.choice(["band", "pixel"])
            case "bigtiff":
                options["bigtiff"] = "YES"
            case "endian":
                options["endianness"] = "BIG"
            case "system":
                label = crs = rng.choice(["etrs", "feet", "", *ELSEWHERE])
            case "dtype":
                label = dtype = rng.choice(
                    [
                        "int8",
                        "uint64",
                        "int64",
                        "complex64",
                        "float16" if hasattr(rasterio.dtypes, "float16") else "complex128",
                        "complex_int16",
                    ]
                )
            case "sparse":
                options |= {"sparse_ok": True, "tiled": True, "blockxsize": 16, "blockysize": 16}
            case "nbits":
                dtype, label = "uint8", "bits"
                options["nbits"] = rng.choice([1, 2, 4])
            case "photometric":
                options["photometric"] = rng.choice(["minisblack", "miniswhite", "rgb"])
                label = options["photometric"]
                if label == "rgb":
                    bands, dtype = 3, "uint8"
                if label == "miniswhite":
                    bands = 1
        dirt.append(label)
    if "jpeg" in options.values() or "webp" in options.values():
        options.pop("predictor", None)
        dtype = "uint8"
    if options.get("predictor") == 3 and not dtype.startswith("f"):
        options["predictor"] = 2
    if options.get("predictor") and ("nbits" in options or dtype.startswith("complex")):
        del options["predictor"]
    if "nbits" in options:
        dtype = "uint8"
    if options.get("photometric") == "miniswhite":
        bands = 1
    if options.get("photometric") == "rgb" and bands < 3:
        bands = 3
    if "alpha" in picks:
        alpha, bands, dtype = True, bands + 1, "uint8" if dtype != "uint16" else dtype
        options |= rng.choice([{}, {"alpha": "yes"}]) if bands in (2, 4) else {}
        if options.get("predictor") == 3:
            options["predictor"] = 2
    if dtype.startswith(("f", "c")):
        data = (g.normal(size=(bands, rows, cols)) * 100).astype("complex64" if dtype == "complex_int16" else dtype)
    else:
        high = 2 ** options["nbits"] if "nbits" in options else 100
        data = g.integers(0 if dtype.startswith("u") else min(-50, 0), high, (bands, rows, cols)).astype(dtype)
        if dtype in ("int64", "uint64") and rng.random() < 0.5:
            data[0, 0, 0] = 2**53 + 1
            dirt.append("above 2^53")
    if alpha:
        data[-1] = g.choice([0, np.iinfo(dtype).max], (rows, cols), p=[0.2, 0.8])
    hole = g.random((rows, cols)) < 0.2
    hole[0, 0] = False
    hole[1, 1] = True
    missing = np.zeros((rows, cols), bool)
    integer = not dtype.startswith(("f", "c"))
    if "nodata" in picks or "undeclared" in picks or "auxnodata" in picks:
        code = rng.choice(
            [255]
            if dtype == "uint8"
            else (
                [-128]
                if dtype == "int8"
                else (
                    [-9999, -32768]
                    if dtype == "int16"
                    else (
                        [65535]
                        if dtype.startswith("uint")
                        else (
                            [-9999]
                            if integer
                            else [
                                -9999,
                                -3.4028234663852886e38,
                                float("nan"),
                                1e20,
                                *([] if "undeclared" in picks else [-99.9]),
                            ]
                        )
                    )
                )
            )
        )
        if "nbits" in options:
            code = 0
        data[0][hole] = code
        missing |= hole
        if "undeclared" in picks and "nodata" not in picks and "auxnodata" not in picks:
            undeclared = code == code
            if undeclared and code in (255, 65535, 0, -128):  # such numbers may be values
                missing[:] = False
        elif "nodata" in picks:
            nodata = code
        elif "auxnodata" in picks and code == code:
            beside["aux"] = f'<PAMRasterBand band="1"><NoDataValue>{code!r}</NoDataValue></PAMRasterBand>'
    elif "nan" in picks and not integer:
        data[0][hole] = np.nan
        missing |= hole
    if "sparse" in picks:
        data[:] = 0
        data[0, 0, 0] = 1
        missing[:] = False
        nodata, undeclared = None, False
        beside.pop("aux", None)
    west, north, size = (30.0, 5.0, 0.25) if crs in ("degrees", "etrs", *ELSEWHERE) else (500000.0, 600000.0, 1000.0)
    if "lon360" in picks and crs in ("degrees", "etrs"):
        west = 340.0
    t = Affine(size, 0, west, 0, -size, north)
    if "south" in picks:
        t = Affine(size, 0, west, 0, size, north - rows * size)
    if "rotated" in picks:
        t = Affine(size, size / 5, west, size / 5, -size, north)
    profile = {"driver": "GTiff", "width": cols, "height": rows, "count": bands, "dtype": dtype, **options}
    if crs:
        profile["crs"] = CRS.from_user_input(WKT[crs])
    world = "tfw" in picks
    inner = not world and "gcps" not in picks and "rpc" not in picks and "tab" not in picks
    if inner:
        profile["transform"] = t
    elif world:
        profile.pop("crs", None) if rng.random() < 0.5 else None
    if nodata is not None:
        profile["nodata"] = nodata
    path = out.path(rng.choice([".tif", ".tif", ".tiff", ".TIF"]))
    kind = "geotiff: " + ("clean" if clean else ", ".join(sorted(dirt)))
    try:
        with (
            rasterio.Env(GDAL_TIFF_INTERNAL_MASK="mask" in picks, GDAL_PAM_ENABLED=True),
            rasterio.open(path, "w", **profile) as f,
        ):
            if alpha:
                f.colorinterp = [*f.colorinterp[:-1], ColorInterp.alpha]
            f.write(data)
            if "scale" in picks:
                scale, offset = rng.choice([(0.1, 0.0), (0.5, 10.0), (1.0, -273.15)])
                f.scales, f.offsets = [scale] * bands, [offset] * bands
            if "mask" in picks or "msk" in picks:
                f.write_mask(~hole)
            if "palette" in picks and dtype == "uint8" and bands == 1:
                f.write_colormap(1, {k: (k, 0, 0, 255) for k in range(256)})
            if "gcps" in picks:
                f.gcps = [
                    rasterio.control.GroundControlPoint(r, c, *(t @ (c, r) if hasattr(t, "__matmul__") else t * (c, r)))
                    for r, c in [(0, 0), (0, cols), (rows, 0)]
                ], CRS.from_user_input(WKT[crs or "degrees"])
            if "point" in picks:
                f.update_tags(AREA_OR_POINT="Point")
            if "statistics" in picks:
                f.update_tags(1, STATISTICS_MEAN="3.5", STATISTICS_MAXIMUM="9")
            if "rpc" in picks:
                f.update_tags(ns="RPC", HEIGHT_OFF="1")
        if "overviews" in picks or "ovr" in picks:
            with (
                rasterio.Env(TIFF_USE_OVR="ovr" in picks),
                rasterio.open(path, "r+" if "overviews" in picks else "r+") as f,
            ):
                f.build_overviews([2], rasterio.enums.Resampling.nearest)
    except Exception as e:
        for p in path.parent.glob(path.stem + ".*"):
            p.unlink()
        return geotiff(out)  # GDAL does not write such a file; take another
    if alpha:  # GDAL writes none where the file has colours
        with rasterio.open(path) as f:
            alpha = f.colorinterp[-1] == ColorInterp.alpha
    if "mask" in picks or "msk" in picks:
        missing = hole if nodata is None and "auxnodata" not in picks else missing | hole
    if alpha:
        missing = missing | (data[-1] == 0)
    if world:
        ending = (
            rng.choice([".tfw", ".wld", ".tifw", ".TFW", ".tiffw"])
            if path.suffix == ".tif"
            else rng.choice([".tfw", ".wld"])
        )
        a = t
        world = ending != ".tiffw" or path.suffix == ".tiff"
        path.with_suffix(ending).write_text(
            "\n".join(repr(float(x)) for x in (a.a, a.d, a.b, a.e, a.c + a.a / 2 + a.b / 2, a.f + a.d / 2 + a.e / 2))
            + "\n"
        )
        kind += f" ({ending})"
    tab = "tab" in picks and not world
    if tab:
        points = "\n".join(
            f'({x},{y}) ({c},{r}) Label "P{k}"{"," if k < 2 else ""}'
            for k, ((x, y), c, r) in enumerate(
                [((west, north), 0, 0), ((west + cols * size, north), cols, 0), ((west, north - rows * size), 0, rows)]
            )
        )
        path.with_suffix(".tab").write_text(
            f'!table\n!version 300\nDefinition Table\n  File "{path.name}"\n  Type "RASTER"\n'
            f"{points}\n  CoordSys Earth Projection 1, 104\n"
        )
        world, t, profile["crs"], crs = True, Affine(size, 0, west, 0, -size, north), "", "degrees"
    side = path.parent / (path.name + ".aux.xml")
    if "aux" in picks and not side.exists():
        what = rng.choice(["scale", "nodata", "place", "srs", "mask", "statistics"])
        kind += f" (.aux.xml with {what})"
        band = {
            "scale": "<Offset>3</Offset><Scale>0.25</Scale>",
            "nodata": "<NoDataValue>7</NoDataValue>",
            "statistics": '<Metadata><MDI key="STATISTICS_MEAN">3</MDI></Metadata>',
        }.get(what, "")
        head = {
            "place": "<GeoTransform>10.0, 0.5, 0.0, 20.0, 0.0, -0.5</GeoTransform>",
            "srs": f"<SRS>{CRS.from_epsg(4326).to_wkt()}</SRS>".replace('"', "&quot;"),
        }.get(what, "")
        side.write_text(f'<PAMDataset>{head}<PAMRasterBand band="1">{band}</PAMRasterBand></PAMDataset>')
        with rasterio.open(path) as f:  # what these words mean beside tags of the file is GDAL's to say
            pam = opened(path)
            missing = missing if what != "nodata" else np.array([x is None for x in pam["values"]]).reshape(rows, cols)
            scale, offset, t, crs = (
                f.scales[0],
                f.offsets[0],
                f.transform,
                ("" if f.crs is None else crs if f.crs.is_projected else "degrees"),
            )
            inner = inner or not f.transform.is_identity
            world = False if not f.transform.is_identity else world
            if what == "nodata":
                undeclared = False
    elif "auxnodata" in picks and "aux" in beside and not side.exists():
        side.write_text(f"<PAMDataset>{beside['aux']}</PAMDataset>")
    elif beside.get("aux"):
        undeclared = True
    if "prj" in picks:
        path.with_suffix(".prj").write_text(CRS.from_epsg(4326).to_wkt(version="WKT1_ESRI"))
    if "cut" in picks:
        raw = path.read_bytes()
        path.write_bytes(raw[: len(raw) * 3 // 4])
    band = rng.randint(1, bands - alpha)
    if band > 1 and ("aux" in picks or nodata is not None or undeclared or "nan" in picks or "auxnodata" in picks):
        band = 1
    x = data[band - 1]
    bad = missing | (~np.isfinite(x) if not integer else False)
    if dtype.startswith("c"):
        values, must = [], "refuse"
    else:
        values = [
            None if m else (int(a) if integer else float(a)) for a, m in zip(x.ravel().tolist(), bad.ravel().tolist())
        ]
        if scale != 1 or offset != 0:
            values = [None if a is None else a * scale + offset for a in values]
    truth = {"rows": rows, "cols": cols, "values": values}
    if (inner or world) and t.b != 0 or inner and crs in ELSEWHERE and "aux" not in picks:
        must = "refuse"
    if (inner or world) and not t.is_identity and t.b == 0:
        truth["place"] = place(t, None, system(crs) if tab or profile.get("crs") or crs and not world else "")
    if "jpeg" in options.values() or "webp" in options.values() or options.get("compress") == "lerc":
        must = must or ""
    python = {"informed": verdict(lambda: opened(path, band), truth, 1e-9)}
    out.add(
        path,
        "geotiff",
        kind,
        truth,
        python,
        {"band": band if bands > 1 else 0, "undeclared": undeclared},
        must="equal" if clean else must,
    )
