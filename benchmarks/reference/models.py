"""Draws from all problems by nutpie (pip install nutpie pymc): python models.py DATA OUT [NAME...]"""

import json
import os
import sys

import nutpie
import numpy as np
import pymc as pm

data, out, *only = sys.argv[1:]
os.makedirs(out, exist_ok=True)
for file in sorted(os.listdir(data)):
    name, kind = os.path.splitext(file)
    if kind != ".json" or only and name not in only:
        continue
    with open(os.path.join(data, file)) as f:
        p = json.load(f)
    y, n = np.array(p["Y"]), len(p["Y"])
    root = np.linalg.cholesky(np.reshape(p["Covariance"], (n, n)))
    with pm.Model() as model:
        x = pm.Deterministic("x", p["PriorMean"] + pm.math.dot(root, pm.Normal("z", shape=n)))
        likelihood = {
            "poisson": lambda: pm.Poisson("y", pm.math.exp(x), observed=y),
            "gamma": lambda: pm.Gamma("y", 3, pm.math.exp(x), observed=y),
            "binomial": lambda: pm.Binomial("y", 10, logit_p=x, observed=y),
            "bernoulli": lambda: pm.Bernoulli("y", logit_p=x, observed=y),
            "negbinomial": lambda: pm.NegativeBinomial("y", n=4, p=pm.math.sigmoid(x), observed=y),
        }[p["Family"]]()
    trace = nutpie.sample(nutpie.compile_pymc_model(model), draws=5000, tune=500, chains=4, cores=2, seed=1, progress_bar=False)
    np.save(os.path.join(out, name + ".npy"), np.asarray(trace.posterior["x"], np.float32))
    print(name, flush=True)
