"""Posteriors of a Gaussian process with unknown length scale and standard deviation, by PyMC's NUTS (nutpie).

Written by: python reference.py reference.json
PyMC 5.28.5, nutpie 0.16.8, NumPy and ArviZ of the same environment. 4 chains of 1500 draws of warm-up and 8000 draws.

Thirty cells at equal distances on [0, 1], kernel sd^2 exp(-r^2 / (2 length^2)), log length ~ N(log .15, .6),
log sd ~ N(0, .4); for the negative binomial log dispersion ~ N(log .3, .7), where the variance of y is mu + dispersion mu^2.
The data are drawn from the model with NumPy's default_rng(1). The program times every run, compilation included.
"""

import json
import sys
import time

import arviz
import numpy as np
import nutpie
import pymc as pm
from pytensor.tensor.linalg import cholesky

n = 30
u = np.linspace(0, 1, n)
square = (u[:, None] - u[None, :]) ** 2


def model(case, y):
    with pm.Model() as m:
        log_length = pm.Normal("log_length", np.log(0.15), 0.6)
        log_sd = pm.Normal("log_sd", 0, 0.4)
        z = pm.Normal("z", 0, 1, shape=n)
        k = pm.math.exp(2 * log_sd) * (pm.math.exp(-square / (2 * pm.math.exp(2 * log_length))) + 1e-10 * np.eye(n))
        x = pm.Deterministic("x", pm.math.dot(cholesky(k), z))
        if case == "poisson":
            pm.Poisson("y", pm.math.exp(1 + x), observed=y)
        elif case == "binomial":
            pm.Binomial("y", n=20, logit_p=x, observed=y)
        else:
            log_dispersion = pm.Normal("log_dispersion", np.log(0.3), 0.7)
            pm.NegativeBinomial("y", mu=pm.math.exp(1 + x), alpha=pm.math.exp(-log_dispersion), observed=y)
    return m


def data(case, rng):
    x = np.linalg.cholesky(np.exp(-square / (2 * 0.15**2)) + 1e-10 * np.eye(n)) @ rng.standard_normal(n)
    if case == "poisson":
        return rng.poisson(np.exp(1 + x))
    if case == "binomial":
        return rng.binomial(20, 1 / (1 + np.exp(-x)))
    return rng.poisson(np.exp(1 + x) * rng.gamma(1 / 0.3, 0.3, n))


out = {}
for seed, case in enumerate(["poisson", "binomial", "negbinomial"]):
    y = data(case, np.random.default_rng(1 + seed))
    start = time.time()
    compiled = nutpie.compile_pymc_model(model(case, y))
    trace = nutpie.sample(compiled, draws=8000, tune=1500, chains=4, seed=1, progress_bar=False, target_accept=0.9)
    seconds = time.time() - start
    names = ["log_length", "log_sd"] + (["log_dispersion"] if case == "negbinomial" else [])
    ess = arviz.ess(trace, var_names=names + ["x"])
    out[case] = {
        "y": y.tolist(),
        "mean": {v: float(trace.posterior[v].mean()) for v in names},
        "sd": {v: float(trace.posterior[v].std()) for v in names},
        "ess": {v: float(ess[v]) for v in names},
        "rhat": {v: float(arviz.rhat(trace, var_names=[v])[v]) for v in names},
        "cells_mean": trace.posterior["x"].mean(("chain", "draw")).values.round(5).tolist(),
        "cells_sd": trace.posterior["x"].std(("chain", "draw")).values.round(5).tolist(),
        "divergences": int(trace.sample_stats.diverging.sum()),
        "seconds": round(seconds, 1),
    }
    print(case, {k: v for k, v in out[case].items() if not k.startswith("cells") and k != "y"}, flush=True)
    with open(sys.argv[1], "w") as f:
        json.dump(out, f, indent=1)
