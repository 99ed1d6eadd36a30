// Package arviz writes posteriors for ArviZ 1, the library with which Python and R compare, check and draw
// posteriors of any origin, and reads them back:
//
//	err := arviz.Data{Posterior: post, Obs: obs}.Save("post.zarr")
//
// In Python, with xarray and arviz:
//
//	post = xarray.open_datatree("post.zarr")
//	arviz.loo(post)
//
// The folder is a Zarr 3 tree of groups: posterior, posterior_predictive, log_likelihood, observed_data,
// constant_data and sample_stats, and where they are asked for prior, prior_predictive and
// log_prior. docs/arviz.md has what each of them holds.
package arviz
