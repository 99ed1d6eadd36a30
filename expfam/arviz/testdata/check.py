"""Opens the folders of TestArviZ with xarray and ArviZ, and compares their numbers with those of expfam.

    python check.py FOLDER

FOLDER has a folder for each case with post.zarr and want.json. Any warning while a tree is opened is an error.
"""
import json
import pathlib
import sys
import warnings

import numpy as np
import xarray as xr
from arviz_stats import compare, loo, loo_pit, summary

TOLERANCE = 1e-6
failed = 0


def same(what, got, want, tolerance=TOLERANCE):
    """Both may be nested lists; NaN equals NaN. The tolerance is absolute below 1 and relative above."""
    global failed
    got, want = np.asarray(got, float).ravel(), np.asarray([np.nan if v is None else v for v in np.ravel(want)], float)
    if got.shape != want.shape:
        print(f"{what}: {got.size} numbers, want {want.size}")
        failed += 1
        return
    wrong = ~((np.abs(got - want) <= tolerance * np.maximum(1, np.abs(want))) | (np.isnan(got) & np.isnan(want)))
    if wrong.any():
        i = int(np.argmax(wrong))
        print(f"{what}: {wrong.sum()} of {got.size} differ, the first is {got[i]!r}, want {want[i]!r}")
        failed += 1


def check(case):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = xr.open_datatree(case / "post.zarr", engine="zarr")
        tree.load()
    want = json.loads((case / "want.json").read_text())
    if sorted(tree.children) != sorted(want["groups"]):
        same(f"{case.name}: groups {sorted(tree.children)}, want {want['groups']}", [1], [0])
    warnings.simplefilter("ignore")  # high Pareto k, of which the numbers are compared
    for name, columns in want["summary"].items():
        table = summary(tree, var_names=[name], ci_prob=0.89, ci_kind="eti", round_to="none")
        for column, values in columns.items():
            got = table.get(column)
            if column == "ess_tail":  # summary has it at the ends of its interval, expfam at 5% and 95%
                got = tree["posterior"].to_dataset()[[name]].azstats.ess(method="tail", prob=(0.05, 0.95))[name]
            same(f"{case.name}: {column} of {name}", got, values)
    for name, w in want["loo"].items():
        r = loo(tree, pointwise=True, reff=w["reff"])
        for key in ("elpd", "se", "p", "elpd_i", "pareto_k"):
            same(f"{case.name}: loo with reff {name}: {key}", getattr(r, key), w[key])
    if "pit" in want:
        pit = np.asarray(loo_pit(tree)["y"]).ravel()
        low, high = np.array(want["pit"]["low"]), np.array(want["pit"]["high"])
        same(f"{case.name}: loo_pit", np.clip(pit, low - TOLERANCE, high + TOLERANCE), pit, 0)
    for path, values in want["arrays"].items():
        group, name = path.split("/")
        same(f"{case.name}: {path}", tree[group][name], values, 0)
    for path, text in want["texts"].items():
        group, name = path.split("/")
        if [str(v) for v in np.ravel(tree[group][name].values)] != text:
            same(f"{case.name}: {path} is {tree[group][name].values}, want {text}", [1], [0])
    return tree


def damaged(case):
    """A bit that flips in the draws must be an error of zarr-python: the codec crc32c tells it."""
    global failed
    chunk = next(p for p in sorted((case / "post.zarr" / "posterior" / "x0" / "c").rglob("*")) if p.is_file())
    whole = chunk.read_bytes()
    chunk.write_bytes(bytes([whole[0] ^ 4]) + whole[1:])
    try:
        with xr.open_datatree(case / "post.zarr") as tree:
            tree.load()
        print(f"{case.name}: a flipped bit is accepted")
        failed += 1
    except ValueError:
        pass
    finally:
        chunk.write_bytes(whole)


trees = {case.name: check(case) for case in sorted(pathlib.Path(sys.argv[1]).iterdir()) if case.is_dir()}
for name in trees:
    damaged(pathlib.Path(sys.argv[1]) / name)
table = pathlib.Path(sys.argv[1]) / "compare.json"
if table.exists():
    want = json.loads(table.read_text())
    got = compare({name: loo(trees[name], pointwise=True, reff=1) for name in want}, round_to="none")
    for name, row in want.items():
        for key in ("rank", "elpd", "p", "elpd_diff", "se", "dse", "p_worse"):
            same(f"compare: {key} of {name}", [got.loc[name, key]], [row[key]])
        same(f"compare: weight of {name}", [got.loc[name, "weight"]], [row["weight"]], 1e-3)  # its optimiser's
print(f"{len(trees)} trees, {failed} failures")
sys.exit(failed > 0)
