"""Log scores of forecasts of one to four weeks by the endemic-epidemic model, by PyMC's NUTS (nutpie).

Run by TestForecasts: python endemic.py counts.csv pairs.csv. PyMC 5.28.5, nutpie 0.16.8. counts.csv has a row a week and
a column a district; the last four rows are scored and not fitted. pairs.csv has a pair of neighbours (from 0) a row.

The model is that of hhh4 of R's surveillance (Held, Hoehle & Hofmann 2005; Paul & Held 2011) without covariates:

    y_ti ~ NB(mu_ti, r),  mu_ti = exp(nu_i) + a y_{t-1,i} + b sum_j~i y_{t-1,j} / (neighbours of j),
    nu_i ~ N(m, s^2),  m ~ N(0, 2^2),  s ~ N+(1),  a, b ~ N+(1),  1/r ~ N+(1).

Weeks two to four are simulated from the draws, week by week. Printed is the mean over districts of the log score of each
week, the logarithm of the mean probability over the draws.
"""

import sys

import numpy as np
import nutpie
import pymc as pm
import pytensor.tensor as pt
from scipy.stats import nbinom

y = np.loadtxt(sys.argv[1], delimiter=",")
pairs = np.loadtxt(sys.argv[2], delimiter=",", dtype=int)
n, ahead = y.shape[1], 4
w = np.zeros((n, n))
for i, j in pairs:
    w[i, j] = w[j, i] = 1
w /= np.maximum(w.sum(0), 1)
seen = y[:-ahead]
own, near = seen[:-1], seen[:-1] @ w.T
with pm.Model() as model:
    m, s = pm.Normal("m", 0, 2), pm.HalfNormal("s", 1)
    a, b, q = pm.HalfNormal("a", 1), pm.HalfNormal("b", 1), pm.HalfNormal("q", 1)
    nu = pm.Deterministic("nu", m + s * pm.Normal("z", 0, 1, shape=n))
    pm.NegativeBinomial("y", mu=pt.exp(nu) + a * own + b * near, alpha=1 / q, observed=seen[1:])
trace = nutpie.sample(nutpie.compile_pymc_model(model), draws=500, tune=500, chains=2, seed=1, progress_bar=False)
post = trace.posterior.stack(draw_=("chain", "draw"))
a, b, q = (post[k].values[:, None] for k in "abq")
endemic = np.exp(post["nu"].values.T)
rng = np.random.default_rng(1)
last = np.tile(seen[-1], (len(a), 1))
for week in range(ahead):
    mu, r = endemic + a * last + b * (last @ w.T), 1 / q
    p = r / (r + mu)
    print(np.log(nbinom.pmf(y[len(seen) + week], r, p).mean(0)).mean())
    last = rng.negative_binomial(np.broadcast_to(r, p.shape), p)
