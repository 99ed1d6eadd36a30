"""A Gaussian process of GPBoost (Matern with nu = 3/2, Vecchia's approximation, Laplace), of counts whose family is the
argument. gpboost 1.8."""

import sys

import gpboost
import numpy as np

family = sys.argv[1]
y, n, row, col = np.loadtxt("surveys.csv", delimiter=",", skiprows=1).T
cells = np.loadtxt("cells.csv", delimiter=",", skiprows=1)
model = gpboost.GPModel(gp_coords=np.stack([row, col], 1), cov_function="matern", cov_fct_shape=1.5, gp_approx="vecchia",
                        likelihood=family, weights=n)
model.fit(y=y / n, X=np.ones((len(y), 1)))
found = model.predict(gp_coords_pred=cells, X_pred=np.ones((len(cells), 1)), predict_var=True, predict_response=False)
mean, sd = found["mu"], np.sqrt(found["var"])
eta = np.stack([mean, mean - 1.96 * sd, mean + 1.96 * sd], 1)
np.savetxt("estimate.csv", 1 / (1 + np.exp(-eta)), delimiter=",", header="median,low,high", comments="")
