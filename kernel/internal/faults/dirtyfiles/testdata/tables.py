"""Tables of text: rasters and columns."""

import pandas as pd

from dialect import Dialect
from dirty import verdict


def plain(x):
    """A number of pandas as one of Python; text stays text."""
    return None if pd.isna(x) else x if isinstance(x, str) else int(x) if float(x).is_integer() else float(x)


def values(rng, n, digits, missing=""):
    """Numbers that a person could have: small, or populations, or with signs; some are missing."""
    size, signed = rng.choice([10, 1000, 30000, 5e6]), rng.random() < 0.2 and not missing.startswith("-9")
    out = []
    for _ in range(n):
        v = round(rng.uniform(-size if signed else 0, size) ** 1, digits)
        v = round(v * rng.choice([1, 1, 0.01]), digits)
        out.append(None if rng.random() < 0.1 else int(v) if digits == 0 else v + 0.0)
    if all(v is None for v in out):
        out[0] = 1
    return out


def naive(path, header):
    return pd.read_csv(path, header=header)


def raster(out):
    rng = out.rng
    clean = rng.random() < 0.15
    d = Dialect(rng, clean)
    rows, cols = rng.randint(2, 6), rng.randint(2, 7)
    table = [values(rng, cols, d.digits, d.missing) for _ in range(rows)]
    lines, kind = table, "csv: " + ("clean" if clean else ", ".join(d.dirt))
    if not clean:
        match rng.randrange(12):
            case 0:
                lines, kind = [[f"c{k}" for k in range(cols)]] + table, kind + ", a header"
            case 1:
                lines, kind = [
                    [f"#{k + 1}"] + row for k, row in enumerate(table)
                ], kind + ", numbers of rows such as #1"
            case 2:
                lines, kind = [
                    row[:-1] if k == rows - 1 else row for k, row in enumerate(table)
                ], kind + ", the last row is cut"
            case 3:
                table[0][0] = 2**53 + 1 + 2 * rng.randrange(99)
                kind += ", above 2^53"
                d.digits = 0
                table[:] = [[None if v is None else int(v) for v in row] for row in table]
                lines = table
    if d.trailing:  # an empty column, as if the domain ended there
        d.trailing, cols, lines = False, cols + 1, [[*row, ""] for row in lines]
        table = [[*row, None] for row in table]
    path = out.path(rng.choice([".csv", ".csv", ".txt", ".tsv"]))
    path.write_bytes(d.bytes(lines, rng))
    truth = {"rows": rows, "cols": cols, "values": [v for row in table for v in row]}

    def read(frame):
        m = [[plain(x) for x in row] for row in frame.to_numpy(dtype=object).tolist()]
        return {"rows": len(m), "cols": len(m[0]), "values": [v for row in m for v in row]}

    out.add(
        path,
        "csv",
        kind,
        truth,
        {
            "informed": verdict(lambda: read(d.frame(path, None)), truth),
            "naive": verdict(lambda: read(naive(path, None)), truth),
        },
        must="equal" if clean else "",
    )


NAMES = [
    "count",
    "cases",
    "Fälle",
    "population",
    "Einwohner",
    "value",
    "y",
    "N° de cas",
    "人口",
    "cases (2020)",
    "Casos, total",
    "COUNT",
    'the "count"',
]


def column(out):
    rng = out.rng
    clean = rng.random() < 0.15
    d = Dialect(rng, clean)
    n, name = rng.randint(3, 12), rng.choice(NAMES[:2] if clean else NAMES)
    v = values(rng, n, d.digits, d.missing)
    if d.missing == "" and v[-1] is None:
        v[-1] = 1
    kind = "column: " + ("clean" if clean else ", ".join(d.dirt))
    header, rows = ["week", name], [[f"2020-W{k + 1:02d}", x] for k, x in enumerate(v)]
    asked, skip = name, 0
    if not clean:
        match rng.randrange(22):
            case 18 | 19 | 20 if n >= 4 and not any(x is None or x < 0 for x in v) and sum(v) >= 10 and d.style == "":
                label = rng.choice(["Total general", "Totaal", "Итого", "合计", "Country", "", "Total (national)"])
                rows = [[f"d{k}", x] for k, x in enumerate(v)]
                sums = [label, round(sum(v), d.digits)]
                rows, kind = [sums, *rows] if rng.random() < 0.3 else [*rows, sums], kind + ", a sum by another name"
            case 21 if n >= 3 and any(x is not None for x in v) and d.style == "":
                there = [x for x in v if x is not None]
                label, sums = rng.choice(["Total", "Gesamt:", "Ensemble"]), sum(there) + rng.randint(0, 9)
                if rng.random() < 0.5 and sum(there) > 0:
                    label, sums = rng.choice(["Mean", "Durchschnitt", "Moyenne"]), sum(there) / len(there)
                rows = [[f"d{k}", x] for k, x in enumerate(v)]
                rows, kind = [*rows, [label, round(sums, 3)]], kind + ", a mean or a sum with a gap"
            case 0:
                header, rows, kind = (
                    ["id", name],
                    [[f"#{k + 1}", x] for k, x in enumerate(v)],
                    kind + ", ids such as #1",
                )
            case 1:
                rows, skip, kind = [["#date", "#affected"], *rows], 1, kind + ", HXL's line"
            case 2:
                rows, skip, kind = [["(week)", "(persons)"], *rows], 1, kind + ", a line of units"
            case 3:
                header, kind = [name, name], kind + ", a name twice"
                rows = [[k, x] for k, x in enumerate(v)]
            case 4:
                header, rows, kind = [name], [[x] for x in v], kind + ", one column"
            case 5:
                header, kind = ["# week", name], kind + ", numpy's header"
            case 6:
                header, kind = ["", name], kind + ", an index without a name"
            case 7:
                big = 2**53 + 1 + 2 * rng.randrange(999)
                d.digits, v = 0, [None if x is None else big + k for k, x in enumerate(v)]
                rows, kind = [[f"w{k}", x] for k, x in enumerate(v)], kind + ", ids above 2^53"
            case 8:
                header, kind = [" week ", f" {name} "], kind + ", names with spaces"
            case 9:
                header, rows, kind = (
                    [name, "note"],
                    [[x, rng.choice(["a\nb", 'say "ah"', "x" + d.sep + "y", "", "# no"])] for x in v],
                    kind + ", notes with breaks and quotes",
                )
            case 10:
                asked, kind = name.upper(), kind + ", asked for in capitals"
            case 11:
                header, rows, kind = (
                    [name, name.lower() + " "],
                    [[x, 7] for x in v],
                    kind + ", two names that differ by a space",
                )
            case 12:
                rows, kind = [r[:1] if k == n - 1 else r for k, r in enumerate(rows)], kind + ", the last row is cut"
    path = out.path(rng.choice([".csv", ".csv", ".txt", ".tsv"]))
    path.write_bytes(d.bytes([header, *rows], rng, len(header) > 1))
    truth = {"rows": 1, "cols": n, "values": v}

    def read(frame):
        frame = frame.iloc[skip:]
        frame.columns = [str(c).strip() for c in frame.columns]
        x = [plain(x if not isinstance(x, str) else float(x)) for x in frame[name.strip()].tolist()]
        return {"rows": 1, "cols": len(x), "values": x}

    out.add(
        path,
        "column",
        kind,
        truth,
        {
            "informed": verdict(lambda: read(d.frame(path, 0)), truth),
            "naive": verdict(lambda: read(naive(path, 0)), truth),
        },
        {"name": asked},
        must="equal" if clean else "",
    )
