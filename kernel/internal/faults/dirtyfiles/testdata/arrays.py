"""NumPy's arrays of any type and shape."""

import io

import numpy as np

from dirty import verdict


def npy(out):
    rng = out.rng
    kind = rng.choice(
        [
            "b1",
            "i1",
            "u1",
            "i2",
            "u2",
            "i4",
            "u4",
            "i8",
            "u8",
            "f4",
            "f8",
            "f2",
            "c8",
            "S5",
            "U5",
            "O",
            "M8[D]",
            "struct",
            "f8",
            "f4",
        ]
    )
    order = rng.choice("<>")
    shape = rng.choice([(3, 4), (5, 2), (3, 4), (7,), (2, 3, 2), (1, 1), (), (0, 3)])
    n = int(np.prod(shape)) if shape else 1
    dirt, truth = [], None
    g = np.random.default_rng(rng.randrange(2**32))
    if kind in ("b1",):
        a = g.integers(0, 2, n).astype(bool)
    elif kind[0] in "iu":
        info = np.iinfo(kind)
        a = g.integers(max(info.min, -1000), min(info.max, 1000), n).astype(order + kind)
        if kind in ("i8", "u8") and n and rng.random() < 0.5:
            a[0] = 2**53 + 1 + 2 * rng.randrange(1000)
            dirt.append("above 2^53")
    elif kind[0] in "fc":
        a = (g.normal(size=n) * 100).astype(order + kind)
        if n > 2 and rng.random() < 0.5:
            a[1] = np.nan
            dirt.append("NaN")
        if n > 2 and rng.random() < 0.15:
            a[2] = np.inf
            dirt.append("Inf")
    elif kind == "struct":
        a = np.array([(1, 2.5)] * n, dtype=[("a", "<i4"), ("b", "<f8")])
    elif kind == "O":
        a = np.array([None, *[1.5] * n][:n], dtype=object)
    elif kind.startswith("M8"):
        a = np.arange(n).astype("M8[D]")
    else:
        a = np.array(["1.5"] * n).astype(kind)
    a = a.reshape(shape)
    if rng.random() < 0.3:
        a, _ = np.asfortranarray(a), dirt.append("Fortran's order")
    buffer = io.BytesIO()
    version = rng.choice([None, (1, 0), (2, 0), (3, 0)])
    np.lib.format.write_array(buffer, a, version=version, allow_pickle=True)
    raw = buffer.getvalue()
    must = ""
    match rng.randrange(10):
        case 0:
            raw, must, _ = raw[:-3], "refuse", dirt.append("cut")
        case 1:
            raw += raw
            must = "refuse"
            dirt.append("two arrays")
        case 2:
            z = io.BytesIO()
            np.savez(z, a=a)
            raw, must, _ = z.getvalue(), "refuse", dirt.append("an archive .npz under the name .npy")
    path = out.path(".npy")
    path.write_bytes(raw)
    plain = kind[0] in "biuf"
    flat = (
        [
            (
                None
                if isinstance(x, float) and x != x
                else "inf" if x in (float("inf"),) else int(x) if kind[0] in "biu" else x
            )
            for x in a.ravel().tolist()
        ]
        if plain
        else []
    )
    truth = {"shape": list(a.shape), "values": flat}

    def read():
        b = np.load(path)
        return {
            "shape": list(b.shape),
            "values": (
                ["inf" if x == float("inf") else int(x) if kind[0] in "biu" else x for x in b.ravel().tolist()]
                if plain
                else []
            ),
        }

    if not plain:
        must = "refuse"
    out.add(
        path,
        "npy",
        f"npy: {order if kind[0] in 'iuf' else ''}{kind}, shape {a.shape}" + "".join(", " + d for d in dirt),
        truth,
        {"informed": verdict(read, truth)},
        must=must,
    )
