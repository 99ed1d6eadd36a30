"""Writes dirty files whose truth is known, and reads them with pandas, rasterio and pyogrio.

    python dirty.py FOLDER NUMBER SEED

makes NUMBER files in FOLDER, and manifest.jsonl with one line for each: the reader that it is for and its options, the
kind of its dirt, the truth, and what the readers of Python make of it. A person who knows how the file was written tells
them the separator, the encoding and so on ("informed"); "naive" is their default. Both are compared with the truth.
The seed decides all but the bytes that GDAL's version writes.
"""

import json
import math
import pathlib
import random
import sys
import warnings


def same(a, b, rel=1e-12):
    """Compares nested values; None is a missing number, and so is NaN."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k], rel) for k in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y, rel) for x, y in zip(a, b))
    missing = [v is None or isinstance(v, float) and math.isnan(v) for v in (a, b)]
    if any(missing):
        return all(missing)
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return a == b or abs(a - b) <= rel * max(abs(a), abs(b))


def flat(v):
    """The leaves of nested values."""
    for x in v.values() if isinstance(v, dict) else v if isinstance(v, (list, tuple)) else ():
        yield from flat(x)
    if not isinstance(v, (dict, list, tuple)):
        yield v


def verdict(read, truth, rel=1e-12):
    """What a reader of Python makes of a file: equal, text where the truth has numbers, different, or its error."""
    try:
        got = read()
    except Exception as e:  # whatever it is, a person sees it
        return "error: " + " ".join(str(e).split())[:120]
    if same(got, truth, rel):
        return "equal"
    texts = [sum(isinstance(x, str) for x in flat(v)) for v in (got, truth)]
    return ("text: " if texts[0] > texts[1] else "different: ") + json.dumps(got, default=str)[:200]


class Out:
    """The folder and its manifest."""

    def __init__(self, folder, seed):
        self.folder, self.lines, self.rng = pathlib.Path(folder), [], random.Random(seed)

    def path(self, ending):
        """The path of the next file; files beside it have the same name with other endings."""
        return self.folder / f"{len(self.lines):05d}{ending}"

    def add(self, path, reader, kind, truth, python, options=None, must=""):
        """must is "equal" for clean files, which no reader may refuse, and "refuse" where there is no truth to read."""
        self.lines.append(
            {
                "file": path.name,
                "reader": reader,
                "kind": kind,
                "truth": truth,
                "python": python,
                "options": options or {},
                "must": must,
            }
        )

    def close(self):
        with open(self.folder / "manifest.jsonl", "w", encoding="utf-8") as f:
            for line in self.lines:
                f.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def shares(number, parts):
    """Divides a number among (weight, make)."""
    total, done, out = sum(w for w, _ in parts), 0, []
    for k, (w, make) in enumerate(parts):
        n = number - done if k == len(parts) - 1 else round(number * w / total)
        done += n
        out.append((n, make))
    return out


def main():
    import arrays
    import geojson
    import geotiff
    import rasters
    import shapefile
    import sites
    import tables

    warnings.filterwarnings("ignore")
    folder, number, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    out = Out(folder, seed)
    parts = [
        (13, tables.raster),
        (15, tables.column),
        (8, sites.points),
        (8, sites.survey),
        (9, rasters.ascii_grid),
        (6, arrays.npy),
        (21, geotiff.geotiff),
        (12, geojson.geojson),
        (8, shapefile.shapefile),
    ]
    for n, make in shares(number, parts):
        for _ in range(n):
            make(out)
    out.close()


if __name__ == "__main__":
    main()
