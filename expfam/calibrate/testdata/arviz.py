"""Reference numbers of ArviZ for elpd_test.go: python3 arviz.py >arviz.json

Made with arviz-stats 1.3.3, numpy 2.5.5 and scipy 1.18.1 on Python 3.13.5.
"""
import json
import sys
import warnings

import numpy as np
import xarray as xr
from arviz_stats import compare, loo, psense
from arviz_stats.base import array_stats

warnings.simplefilter("ignore")
S, N = 1000, 12
u = (np.arange(1, S + 1) * 0.6180339887498949) % 1
x = np.log(u / (1 - u))
k = np.arange(N)


def logs(spread, odd):
    """Datum k is normal around x with a precision that rises with k, by another factor where k is odd."""
    a = spread * (0.1 + 0.06 * k) * odd ** (k % 2)
    return np.log(a) - 0.5 * (a * (x[:, None] - (k % 4 - 1.5))) ** 2


def tree(log_lik):
    groups = {
        "posterior": {"x": (("chain", "draw"), x[None])},
        "log_likelihood": {"y": (("chain", "draw", "k"), log_lik[None])},
        "log_prior": {"x": (("chain", "draw"), -x[None] ** 2 / 2)},
    }
    return xr.DataTree.from_dict({name: xr.Dataset(v) for name, v in groups.items()})


models = {"even": tree(logs(1.0, 0.4)), "odd": tree(logs(0.3, 3.0)), "wide": tree(logs(0.4, 1.0))}
out = {"loo": {}}
for name, t in models.items():
    r = loo(t, pointwise=True, reff=1)
    out["loo"][name] = {
        "elpd": float(r.elpd), "se": float(r.se), "p": float(r.p), "good_k": float(r.good_k),
        "elpd_i": r.elpd_i.values.tolist(), "pareto_k": r.pareto_k.values.tolist(),
    }
table = compare(models, round_to="none")
out["compare"] = {
    name: {c: (None if v != v else v) for c, v in row.items() if c in ("rank", "elpd", "p", "elpd_diff", "weight", "se", "dse", "p_worse")}
    for name, row in table.to_dict("index").items()
}
# The tail length that psense takes depends on this.
total = logs(1.0, 0.4).sum(1)
prior = -(x**2) / 2
out["tail_efficiency"] = {n: float(array_stats.ess(v[None], method="tail", prob=0.05, relative=True)) for n, v in (("likelihood", total), ("prior", prior))}
t = models["even"]
out["psense"] = {g: float(psense(t, group=g)["x"]) for g in ("prior", "likelihood")}
json.dump(out, sys.stdout, indent=1)
