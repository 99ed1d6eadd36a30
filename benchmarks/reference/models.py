"""Draws from all problems: python models.py METHOD DATA OUT [NAME...]

METHOD is nutpie; advi, fullrank_advi or laplace of PyMC; stan, which runs model.stan; or gpboost, for problems of lines
and lattices whose prior is known. pip install nutpie pymc pystan gpboost
"""

import json
import os
import sys

import numpy as np
import pymc as pm
import pytensor.tensor as pt


def model_of(p):
    """The model of a file NAME.json, and what is drawn: the cells, and the logarithms of the unknown numbers."""
    n, y, sizes = len(p["Covariance"]), np.array(p["Y"]), np.array(p["Sizes"])
    with pm.Model() as model:
        log = {u["Name"]: pm.Normal("log_" + u["Name"], np.log(u["Median"]), u["Spread"]) for u in p["Unknown"] or []}
        sd = pm.math.exp(log["sd"]) if "sd" in log else p["SD"]
        if "length" in log:
            root = pt.linalg.cholesky(pm.math.exp(-np.array(p["Distance"]) / pm.math.exp(log["length"])))
        else:
            root = np.linalg.cholesky(np.array(p["Covariance"])) / p["SD"]
        x = p["PriorMean"] + sd * pm.math.dot(root, pm.Normal("z", shape=n))
        eta = x
        if p["H"]:
            h = np.array(p["H"])
            eta = pm.math.log(pm.math.dot(h, pm.math.exp(x))) if p["Sum"] else pm.math.dot(h, x)
        {
            "poisson": lambda: pm.Poisson("y", sizes * pm.math.exp(eta), observed=y),
            "gamma": lambda: pm.Gamma("y", 3, pm.math.exp(eta), observed=y),
            "variance": lambda: pm.Normal("y", 0, pm.math.exp(eta / 2), observed=y),
            "normal": lambda: pm.Normal("y", eta, 0.5, observed=y),
            "binomial": lambda: pm.Binomial("y", sizes, logit_p=eta, observed=y),
            "negbinomial": lambda: pm.NegativeBinomial("y", n=4, p=pm.math.sigmoid(eta), observed=y),
            "nb2": lambda: pm.NegativeBinomial("y", mu=pm.math.exp(eta), alpha=pm.math.exp(-log["dispersion"]), observed=y),
        }[p["Family"]]()
        pm.Deterministic("x", pt.concatenate([x, pt.stack(list(log.values()))]) if log else x)
    return model


def nutpie(p):
    import nutpie

    model = model_of(p)
    # Numba is slow where the length is unknown, and each gradient has a Cholesky decomposition.
    jax = {"backend": "jax", "gradient_backend": "jax"} if "log_length" in model.named_vars else {}
    trace = nutpie.sample(nutpie.compile_pymc_model(model, **jax), draws=5000, tune=1000, chains=4, cores=2, seed=1,
                          progress_bar=False, target_accept=0.9)
    return trace.posterior["x"].values, int(trace.sample_stats["n_steps"].sum())


def approximate(model, draw, evaluations):
    """2,000 draws of x of an approximation, of which draw returns the values of the unknown numbers and z."""
    # By itself compile_fn would take z from its prior.
    f = model.compile_fn(model.replace_rvs_by_values([model["x"]])[0], inputs=model.value_vars, point_fn=False)
    return np.array([f(*draw(i)) for i in range(2000)]), evaluations


def advi(p, method="advi", steps=30000):
    model = model_of(p)
    with model:
        fit = pm.fit(steps, method=method, random_seed=1, progressbar=False)
        trace = fit.sample(2000, random_seed=1, return_inferencedata=False)
    return approximate(model, lambda i: [trace[v.name][i] for v in model.value_vars], steps)


def laplace(p):
    model = model_of(p)
    with model:
        mode, result = pm.find_MAP(progressbar=False, return_raw=True)
        point = {v.name: mode[v.name] for v in model.value_vars}
        hessian = pm.find_hessian(point, negate_output=False)
    flat = np.concatenate([np.ravel(point[v.name]) for v in model.value_vars])
    sizes = np.cumsum([np.size(point[v.name]) for v in model.value_vars])[:-1]
    draws = np.random.default_rng(1).multivariate_normal(flat, np.linalg.inv(-hessian), 2000)
    shape = lambda row: [np.reshape(a, np.shape(point[v.name])) for a, v in zip(np.split(row, sizes), model.value_vars)]
    return approximate(model, lambda i: shape(draws[i]), result.nfev)


def stan(p):
    import stan

    n, y = len(p["Covariance"]), np.array(p["Y"], float)
    sizes = np.array(p["Sizes"] or np.ones(len(y)), float)
    a, b, cumulant = {  # the table of scores.go
        "poisson": (y, sizes, 1),
        "gamma": (3 + 0 * y, y, 1),
        "variance": (-0.5 + 0 * y, y**2 / 2, 2),
        "normal": (4 * y, 4 + 0 * y, 3),
        "binomial": (y, sizes, 4),
        "negbinomial": (4 + 0 * y, 4 + y, 4),
        "nb2": (y, y, 4),
    }[p["Family"]]
    numbers = ["sd", "length", "dispersion"]
    unknown = {u["Name"]: u for u in p["Unknown"] or []}
    known = {"Median": p["SD"], "Spread": 0}
    each = [unknown.get(name, known) for name in numbers]
    data = dict(n=n, m=len(y), a=a, b=b, y=y, cumulant=cumulant, H=p["H"] or np.eye(n), sums=int(p["Sum"]), mu=p["PriorMean"],
                correlation=np.array(p["Covariance"]) / p["SD"] ** 2, distance=p["Distance"] or np.zeros((n, n)),
                median=[u["Median"] for u in each], spread=[u["Spread"] for u in each])
    with open(os.path.join(os.path.dirname(__file__), "model.stan")) as f:
        model = stan.build(f.read(), data=data, random_seed=1)
    fit = model.sample(num_chains=4, num_samples=1000, delta=0.9)
    draws = np.concatenate([fit["x"], fit["logs"][[numbers.index(name) for name in unknown]]])
    return draws.reshape(len(draws), -1, 4).transpose(2, 1, 0), int(fit["n_leapfrog__"].sum())


def gpboost(p):
    """Laplace's approximation of a Gaussian process that is known. Its evaluations are not counted."""
    import gpboost

    k, y = np.array(p["Covariance"]), np.array(p["Y"], float)
    cells, variance = len(k), k[0, 0]
    cols = cells if p["Name"].endswith("line") else round(cells**0.5)
    at = np.stack(np.divmod(np.arange(cells), cols), 1).astype(float)
    apart = np.linalg.norm(at[:, None] - at, axis=-1)
    length = -1 / np.log(k[0, 1] / variance)
    if p["Unknown"] or p["H"] or not np.allclose(k, variance * np.exp(-apart / length), atol=1e-6):
        return None
    sizes = np.array(p["Sizes"] or np.ones(cells), float)
    # eta = sign x + more, the logarithm of the mean or the logit
    name, target, constant, weights, sign, more = {
        "poisson": ("poisson", y, None, None, 1, np.log(sizes)),
        "gamma": ("gamma", y, 3.0, None, -1, np.log(3) + 0 * y),
        "binomial": ("binomial_logit", y / sizes, None, sizes, 1, 0 * y),
        "negbinomial": ("negative_binomial", y, 4.0, None, -1, np.log(4) + 0 * y),
    }[p["Family"]]
    mean = sign * p["PriorMean"]
    model = gpboost.GPModel(gp_coords=at, cov_function="exponential", likelihood=name, weights=weights)
    options = {"init_cov_pars": np.array([variance, length]), "estimate_cov_par_index": [0, 0]}
    if constant:
        options |= {"init_aux_pars": np.array([constant]), "estimate_aux_pars": False}
    model.fit(y=target, offset=mean + more, params=options)
    found = model.predict(gp_coords_pred=at, offset=mean + more, offset_pred=np.full(cells, mean), predict_cov_mat=True,
                          predict_response=False)
    draws = np.random.default_rng(1).multivariate_normal(found["mu"], found["cov"], 2000)
    return sign * draws, ""


def main():
    method, data, out, *only = sys.argv[1:]
    draw = {"nutpie": nutpie, "advi": advi, "fullrank_advi": lambda p: advi(p, "fullrank_advi"), "laplace": laplace,
            "stan": stan, "gpboost": gpboost}[method]
    os.makedirs(out, exist_ok=True)
    for file in sorted(os.listdir(data)):
        name, kind = os.path.splitext(file)
        if kind != ".json" or only and name not in only:
            continue
        with open(os.path.join(data, file)) as f:
            problem = json.load(f)
        began = sum(os.times()[:4])  # of this process and its compilers
        drawn = draw(problem)
        if drawn is None:
            continue
        draws, evaluations = drawn
        seconds = sum(os.times()[:4]) - began
        np.savez(os.path.join(out, name + ".npz"), draws=draws.astype(np.float32))
        with open(os.path.join(out, "costs.csv"), "a") as f:
            f.write(f"{name},{evaluations},{seconds:.1f}\n")
        print(name, f"{seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
