"""BYM2 by PyMC's NUTS (nutpie), with the priors of graph.BYM2: sd is exponential with P(sd > 1) = .01, and the distance
sqrt(tr(C) - n - log det C) of C = (1 - mixing) I + mixing S is exponential with P(mixing < .5) = 2/3. pymc 5.28, nutpie 0.16."""

import arviz
import numpy as np
import nutpie
import pymc as pm
import pytensor.tensor as pt

y, e, x = np.loadtxt("areas.csv", delimiter=",", skiprows=1).T
edges = np.loadtxt("edges.csv", delimiter=",", skiprows=1).astype(int) - 1
n = len(y)
w = np.zeros((n, n))
w[edges[:, 0], edges[:, 1]] = w[edges[:, 1], edges[:, 0]] = 1
values, basis = np.linalg.eigh(np.diag(w.sum(1)) - w)
gamma = np.where(values < 1e-9, 0, 1 / np.maximum(values, 1e-9))
scale = np.exp(np.log((basis**2 * gamma).sum(1)).mean())
gamma = gamma / scale


def distance(mixing, of=np):
    return of.sqrt(mixing * (gamma - 1).sum() - of.log(1 - mixing + mixing * gamma).sum())


rate = -np.log(1 - 2 / 3) / distance(0.5)
with pm.Model() as model:
    sd = pm.Exponential("sd", -np.log(0.01))
    mixing = pm.Uniform("mixing", 0, 1)
    d = distance(mixing, pt)
    pm.Potential("pc", -rate * d + pt.log(((gamma - 1).sum() - ((gamma - 1) / (1 - mixing + mixing * gamma)).sum()) / d))
    u = pm.ICAR("u", W=w) / np.sqrt(scale)
    v = pm.Normal("v", 0, 1, shape=n)
    eta = pm.Normal("level", 0, 3) + sd * (pt.sqrt(1 - mixing) * v + pt.sqrt(mixing) * u)
    if x.any():
        eta += pm.Normal("b", 0, 1) * x
    pm.Deterministic("eta", eta)
    pm.Poisson("y", e * pt.exp(eta), observed=y)
trace = nutpie.sample(nutpie.compile_pymc_model(model), draws=1000, tune=1000, chains=2, cores=2, seed=1, progress_bar=False)
print("effective draws of eta, sd and mixing:", *(round(float(arviz.ess(trace, var_names=[k])[k].min())) for k in ("eta", "sd",
    "mixing")), flush=True)
low, median, high = np.quantile(np.exp(trace.posterior["eta"].values.reshape(-1, n)), [0.025, 0.5, 0.975], axis=0)
np.savetxt("estimate.csv", np.stack([median, low, high], 1), delimiter=",", header="median,low,high", comments="")
