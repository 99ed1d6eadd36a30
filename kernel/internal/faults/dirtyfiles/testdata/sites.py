"""Tables of places: points and surveys."""

from dialect import Dialect
from dirty import verdict
from tables import naive, plain, values


def points(out):
    rng = out.rng
    clean = rng.random() < 0.15
    d = Dialect(rng, clean)
    n = rng.randint(2, 9)
    digits, d.digits = d.digits, rng.choice([2, 2, 3, 4, 5])
    if clean and d.digits == 3:
        d.digits = 2
    xy = [[round(rng.uniform(-180, 180), d.digits), round(rng.uniform(-90, 90), d.digits)] for _ in range(n)]
    weight = [abs(w or 1) for w in values(rng, n, 0)]
    kind = "points: " + ("clean" if clean else ", ".join(d.dirt))
    header, options = ["x", "y", "weight"], {}
    cells = lambda k: [d.number(xy[k][0]), d.number(xy[k][1]), weight_text(weight[k])]

    def weight_text(w):
        was, d.digits = d.digits, 0
        text = d.number(w)
        d.digits = was
        return text

    rows = [cells(k) for k in range(n)]
    if not clean:
        match rng.randrange(12):
            case 0:
                header, options, kind = (
                    ["lon", "lat", "n"],
                    {"x": "lon", "y": "lat", "weight": "n"},
                    kind + ", other names",
                )
            case 1:
                header, kind = ["X", "Y", "Weight"], kind + ", capitals"
            case 2:
                header, rows, kind = (
                    ["id", *header],
                    [[f"#{k + 1}", *r] for k, r in enumerate(rows)],
                    kind + ", ids such as #1",
                )
            case 3:
                header, rows, kind = ["y", "x", "weight"], [[r[1], r[0], r[2]] for r in rows], kind + ", y first"
            case 4:
                header, kind = [], kind + ", no header"
            case 5:
                header, rows, kind = ["x", *header], [[k, *r] for k, r in enumerate(rows)], kind + ", x twice"
            case 6:
                header, rows, kind = (
                    ["id", *header],
                    [[2**60 + k, *r] for k, r in enumerate(rows)],
                    kind + ", ids above 2^53",
                )
                rows = [[str(r[0]), *r[1:]] for r in rows]
    path = out.path(".csv")
    path.write_bytes(d.bytes([header, *rows] if header else rows, rng))
    truth = {"points": [[*xy[k], weight[k]] for k in range(n)]}

    def read(frame):
        names = [options.get(k, k) for k in ("x", "y", "weight")]
        frame.columns = [str(c).strip().lower() for c in frame.columns]
        if not header:
            frame.columns = names[: len(frame.columns)]
        return {"points": [[plain(x) for x in r] for r in frame[names].to_numpy(dtype=object).tolist()]}

    first = 0 if header else None
    out.add(
        path,
        "points",
        kind,
        truth,
        {
            "informed": verdict(lambda: read(d.frame(path, first)), truth),
            "naive": verdict(lambda: read(naive(path, first)), truth),
        },
        options,
        must="equal" if clean else "",
    )


LON = ["longitude", "Long", "lon", "LONGNUM", "gps_lon", "Longitude (°E)", "x", "decimalLongitude"]
LAT = ["latitude", "Lat", "lat", "LATNUM", "gps_lat", "Latitude (°N)", "y", "decimalLatitude"]
EXAMINED = ["examined", "Ex", "N", "tested", "number_examined", "Total tested", "denominator", "n_screened"]
POSITIVE = ["positive", "Pf", "pf_pos", "cases", "number positive", "npos", "numerator", "K"]


def survey(out):
    rng = out.rng
    clean = rng.random() < 0.15
    d = Dialect(rng, clean)
    d.digits = max(2, d.digits)
    n = rng.randint(3, 10)
    sites = []
    for k in range(n):
        examined = rng.choice([rng.randint(5, 300), rng.randint(1000, 25000)])
        sites.append(
            {
                "name": f"S{k:03d}",
                "lon": round(rng.uniform(15, 38), d.digits),
                "lat": round(rng.uniform(-10, 10), d.digits),
                "examined": examined,
                "positive": rng.randint(0, examined),
                "year": rng.randint(1990, 2020),
            }
        )
    at = rng.choice([0, 1, 2, 3, 4, 6, 7] if clean else range(len(LON)))
    header = ["site", LON[at], LAT[at], rng.choice(EXAMINED), rng.choice(POSITIVE), "year"]
    kind = "survey: " + ("clean" if clean else ", ".join(d.dirt))

    def whole(v):
        was, style, d.digits = d.digits, d.style, 0
        if d.style in ("exp", "EXP", "D"):
            d.style = ""
        text = d.number(v)
        d.digits, d.style = was, style
        return text

    rows = [
        [s["name"], d.number(s["lon"]), d.number(s["lat"]), whole(s["examined"]), whole(s["positive"]), str(s["year"])]
        for s in sites
    ]
    lost = set()
    if not clean:
        for s, r in zip(sites, rows):
            if rng.random() < 0.1:
                r[4] = d.missing
                lost.add(s["name"])
        match rng.randrange(14):
            case 0:
                for r, s in zip(rows, sites):
                    r[4] = d.number(round(s["positive"] / s["examined"], 4))
                kind, lost = kind + ", rates for positives", {s["name"] for s in sites}
            case 1:
                for r, s in zip(rows, sites):  # places that are in the sea or the Sahara if they are exchanged
                    s["lon"], s["lat"] = round(rng.uniform(28.5, 38), d.digits), round(rng.uniform(-6, -1), d.digits)
                    r[1], r[2] = d.number(s["lat"]), d.number(s["lon"])
                kind += ", coordinates exchanged in the table"
                lost = {s["name"] for s in sites}
            case 2:
                for r, s in zip(rows, sites):
                    r[1], r[2] = (
                        f"{int(s['lon'])}°{int(s['lon'] % 1 * 60):02d}'E",
                        f"{abs(int(s['lat']))}°{int(abs(s['lat']) % 1 * 60):02d}'{'N' if s['lat'] > 0 else 'S'}",
                    )
                kind, lost = kind + ", degrees and minutes", {s["name"] for s in sites}
            case 3:
                rows, kind = [
                    ["#loc+name", "#geo+lon", "#geo+lat", "#tested", "#positive", "#date"],
                    *rows,
                ], kind + ", HXL's line"
            case 4:
                for r in rows:
                    r[5] = r[5] + "-06-15"
                kind += ", dates for years"
            case 5:
                header, rows, kind = (
                    ["id", *header],
                    [[f"#{k + 1}", *r] for k, r in enumerate(rows)],
                    kind + ", ids such as #1",
                )
            case 6:
                header, rows, kind = [*header, header[3]], [[*r, "1"] for r in rows], kind + ", a name twice"
            case 7:
                rows, kind = [
                    *rows,
                    [
                        "Total",
                        "",
                        "",
                        str(sum(s["examined"] for s in sites)),
                        str(sum(s["positive"] for s in sites)),
                        "",
                    ],
                ], kind + ", a row of totals"
            case 8:
                for r in rows:
                    r[1] = r[1].replace("-", "") + (" W" if r[1].startswith("-") else " E")
                kind, lost = kind + ", E and W", {s["name"] for s in sites}
            case 9:
                header, rows, kind = (
                    [*header, "note"],
                    [[*r, "line\nbreak" + d.sep] for r in rows],
                    kind + ", notes with breaks",
                )
    path = out.path(".csv")
    path.write_bytes(d.bytes([header, *rows], rng))
    truth = {"rows": sum(not r[0].startswith("#loc") for r in rows), "sites": sites, "lost": sorted(lost)}

    def read(frame):
        frame.columns = [str(c).strip() for c in frame.columns]
        want = [header[-len(header) + header.index("site") :][k] for k in range(6)]
        got = []
        for r in frame[want].to_numpy(dtype=object).tolist():
            r = [x.strip() if isinstance(x, str) else plain(x) for x in r]
            got.append(r[:5])
        return {"sites": got}

    told = {
        "sites": [
            [s["name"], s["lon"], s["lat"], s["examined"], None if s["name"] in lost else s["positive"]] for s in sites
        ]
    }
    out.add(
        path,
        "survey",
        kind,
        truth,
        {
            "informed": verdict(lambda: read(d.frame(path, 0)), told),
            "naive": verdict(lambda: read(naive(path, 0)), told),
        },
        must="equal" if clean else "",
    )
