"""Posteriors of Scotland's lip cancer 1975-1980 under BYM2 with a covariate, by PyMC's NUTS (nutpie).

Written by: python scotland.py scotland.json scotland_reference.json
PyMC 5.28.5, nutpie 0.16.8, ArviZ 0.23.4. 4 chains of 2000 draws of warm-up and 10000 draws.

scotland.json has the counts y, the expected counts E, the percentage x of people in agriculture, fishing and forestry,
and the pairs of neighbours (from 0): as they are, with three islands and a mainland; with the islands joined; and in
three components. They are facts from stan-dev/example-models, knitr/car-iar-poisson/update_2021_02 (BSD-3).

    y ~ Poisson(E exp(x0 + b x/10)),  x0 = level + sd (sqrt(1 - mixing) v + sqrt(mixing) u),
    v ~ N(0, I),  u ~ N(0, S),  level ~ N(0, 3^2),  b ~ N(0, 1).

S is the generalised inverse of the Laplacian of each component, divided by the geometric mean of its diagonal, and 1 for
an island (Freni-Sterrantino, Ventrucci & Rue 2018). sd is exponential with P(sd > 1) = .01. The distance
sqrt(tr(C) - n - log det C) of C = (1 - mixing) I + mixing S is exponential with P(mixing < .5) = 2/3, up to the
largest mixing that float64 tells from 1.
"""

import json
import sys
import time

import arviz
import numpy as np
import nutpie
import pymc as pm
import pytensor.tensor as pt
from scipy.sparse.csgraph import connected_components

data = json.load(open(sys.argv[1]))
y, expected, x = (np.array(data[k], float) for k in ("y", "E", "x"))
n = len(y)
levels = (np.arange(50) + 0.5) / 50


def structure(edges):
    w = np.zeros((n, n))
    for i, j in edges:
        w[i, j] = w[j, i] = 1
    s = np.zeros((n, n))
    count, label = connected_components(w)
    for c in range(count):
        at = np.flatnonzero(label == c)
        if len(at) == 1:
            s[at[0], at[0]] = 1
            continue
        part = w[np.ix_(at, at)]
        inverse = np.linalg.pinv(np.diag(part.sum(1)) - part, hermitian=True)
        s[np.ix_(at, at)] = inverse / np.exp(np.log(np.diag(inverse)).mean())
    return s


def model(s):
    gamma, basis = np.linalg.eigh(s)
    gamma = np.where(gamma < 1e-9, 0, gamma)
    root = basis[:, gamma > 0] * np.sqrt(gamma[gamma > 0])

    def distance(phi, rest, of=np):
        return of.sqrt(phi * (gamma - 1).sum() - of.log(rest + phi * gamma).sum())

    rate = -np.log(1 - 2 / 3) / distance(0.5, 0.5)
    with pm.Model() as m:
        sd = pm.Exponential("sd", -np.log(0.01))
        odds = pm.Uniform("odds", -11.5, 34)  # the logarithm of mixing/(1 - mixing), as far as float64 resolves it
        mixing = pm.Deterministic("mixing", pt.sigmoid(odds))
        rest = pt.sigmoid(-odds)
        d = distance(mixing, rest, pt)
        slope = ((gamma - 1).sum() - ((gamma - 1) / (rest + mixing * gamma)).sum()) / (2 * d)
        pm.Potential("pc", np.log(rate) - rate * d + pt.log(slope) + pt.log(mixing) + pt.log(rest))
        level = pm.Normal("level", 0, 3)
        b = pm.Normal("b", 0, 1)
        v = pm.Normal("v", 0, 1, shape=n)
        u = pt.dot(root, pm.Normal("u", 0, 1, shape=root.shape[1]))
        eta = level + b * x / 10 + sd * (pt.sqrt(rest) * v + pt.sqrt(mixing) * u)
        pm.Deterministic("eta", eta)
        pm.Poisson("y", expected * pt.exp(eta), observed=y)
    return m


out = {}
for case, edges in data["edges"].items():
    start = time.time()
    compiled = nutpie.compile_pymc_model(model(structure(edges)))
    trace = nutpie.sample(compiled, draws=20000, tune=2000, chains=4, cores=2, seed=1, progress_bar=False, target_accept=0.9)
    seconds = time.time() - start
    names = ["sd", "mixing", "level", "b"]
    post = trace.posterior
    ess = arviz.ess(trace, var_names=names + ["eta"])
    risk = np.exp(post["eta"].values.reshape(-1, n))
    out[case] = {
        "mean": {k: float(post[k].mean()) for k in names},
        "sd": {k: float(post[k].std()) for k in names},
        "ess": {k: float(ess[k]) for k in names},
        "rhat": {k: float(arviz.rhat(trace, var_names=[k])[k]) for k in names},
        "divergences": int(trace.sample_stats.diverging.sum()),
        "risk_ess": float(ess["eta"].min()),
        "risk_sd": [float(f"{s:.5g}") for s in risk.std(0)],
        "risk_quantiles": [[float(f"{q:.5g}") for q in np.quantile(risk[:, i], levels)] for i in range(n)],
        "seconds": round(seconds, 1),
    }
    print(case, {k: v for k, v in out[case].items() if k not in ("risk_sd", "risk_quantiles")}, flush=True)
    with open(sys.argv[2], "w") as f:
        json.dump(out, f, separators=(",", ":"))
        f.write("\n")
