# Writes tiff.json: small rasters by an independent writer, for geotiff_test.go.
# Made with Python 3.11, NumPy 2.4.6, tifffile 2026.3.3, imagecodecs 2026.3.6.
#   python tiff.py > tiff.json
# Cell (r, c) of band b is 10 r + c/2 + 1000 b for floats, 10 r + c + 100 b for
# integers; cell (3, 4) of floats is -9999, the number without data.
import base64, io, json
import numpy, tifffile

ROWS, COLS = 9, 18

def raster(dtype, bands=1):
    r, c = numpy.mgrid[:ROWS, :COLS]
    if numpy.dtype(dtype).kind == "f":
        a = numpy.stack([10 * r + c / 2 + 1000 * b for b in range(bands)], -1)
        a[3, 4] = -9999
    else:
        a = numpy.stack([10 * r + c + 100 * b for b in range(bands)], -1)
    return a.astype(dtype)

def geo(model, points=False, extra=()):
    keys = [1024, 0, 1, model, 1025, 0, 1, 2 if points else 1, *extra]
    keys = [1, 1, 0, len(keys) // 4] + keys
    return [(33550, 12, 3, (0.5, 0.25, 0.0), True), (33922, 12, 6, (0, 0, 0, 10.0, 50.0, 0.0), True),
            (34735, 3, len(keys), tuple(keys), True), (42113, 2, 6, "-9999", True)]

cases = {
    "float32 strips plain": dict(a=raster("f4"), byteorder="<", rowsperstrip=4, extratags=geo(2, extra=(2054, 0, 1, 9102))),
    "float32 big-endian strips plain": dict(a=raster("f4"), byteorder=">", rowsperstrip=4, extratags=geo(1, extra=(3076, 0, 1, 9001))),
    "float32 tiles deflate predictor 3": dict(a=raster("f4"), byteorder="<", tile=(16, 16), compression="zlib", predictor=3, extratags=geo(2, points=True)),
    "float32 big-endian strips lzw predictor 3": dict(a=raster("f4"), byteorder=">", rowsperstrip=4, compression="lzw", predictor=3, extratags=geo(2)),
    "float64 tiles lzw": dict(a=raster("f8"), byteorder="<", tile=(16, 16), compression="lzw", extratags=geo(1)),
    "float64 strips deflate predictor 3": dict(a=raster("f8"), byteorder="<", compression="zlib", predictor=3, extratags=geo(1)),
    "float32 deflate predictor 2": dict(a=raster("f4").view("i4"), byteorder="<", compression="zlib", predictor=2, as_float=True, extratags=geo(1)),
    "uint8 packbits": dict(a=raster("u1"), byteorder="<", compression="packbits"),
    "int16 tiles lzw predictor 2": dict(a=raster("i2"), byteorder="<", tile=(16, 16), compression="lzw", predictor=2),
    "uint16 big-endian deflate predictor 2": dict(a=raster("u2"), byteorder=">", compression="zlib", predictor=2),
    "int32 plain": dict(a=raster("i4"), byteorder=">", rowsperstrip=2),
    "float32 3 bands chunky predictor 3": dict(a=raster("f4", 3), byteorder="<", compression="zlib", predictor=3, planarconfig="contig", photometric="minisblack", extratags=geo(1)),
    "int16 3 bands chunky predictor 2": dict(a=raster("i2", 3), byteorder="<", compression="lzw", predictor=2, planarconfig="contig", photometric="minisblack"),
    "float32 big tiles deflate predictor 3": dict(a=raster("f4"), byteorder="<", bigtiff=True, tile=(16, 16), compression="zlib", predictor=3, extratags=geo(2, points=True)),
    "float64 big big-endian strips lzw": dict(a=raster("f8"), byteorder=">", bigtiff=True, rowsperstrip=2, compression="lzw", extratags=geo(1)),
    "uint8 3 bands planar": dict(a=raster("u1", 3), byteorder="<", compression="zlib", planarconfig="separate", photometric="minisblack"),
}

out = {}
for name, options in cases.items():
    a = options.pop("a")
    as_float = options.pop("as_float", False)
    if options.get("planarconfig") == "separate":
        a = numpy.moveaxis(a, -1, 0)
    elif a.shape[-1] == 1:
        a = a[..., 0]
    file = io.BytesIO()
    tifffile.imwrite(file, a, metadata=None, software=None, photometric=options.pop("photometric", "minisblack"), **options)
    data = bytearray(file.getvalue())
    if as_float:  # differences of the bits, declared as floats
        at = data.index((339).to_bytes(2, "little") + (3).to_bytes(2, "little"))
        data[at + 8] = 3
    out[name] = base64.b64encode(bytes(data)).decode()
print(json.dumps(out, indent=0))
