// Package arviz writes posteriors for ArviZ 1 and reads them back. ArviZ is a library for Python that
// compares, checks and draws posteriors of any origin:
//
//	err := arviz.Data{Posterior: post, Obs: obs}.Save("post.zarr")
//
// In Python, with xarray and arviz:
//
//	post = xarray.open_datatree("post.zarr")
//	arviz.loo(post)
//
// The folder is a Zarr 3 tree of groups: posterior, posterior_predictive, log_likelihood, observed_data, constant_data
// and sample_stats, and on request prior, prior_predictive and log_prior. docs/arviz.md says what each group holds.
package arviz
