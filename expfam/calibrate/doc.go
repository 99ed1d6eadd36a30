// Package calibrate tests posteriors. Scores say how well a posterior predicts held-out data or a known truth. Coverage
// says how often its intervals hold the truth or the data. Simulation-based calibration says whether a sampler draws
// from the posterior that its prior and likelihood define. The package also compares models of the same data.
//
//	scores, err := calibrate.LogScore(post, data.Held, nil)
//	fmt.Println(scores.Mean()) // -1.934 ± 0.041
//	inside, err := calibrate.Coverage{}.Latent(post, data.Theta)
//
// Scores and coverages are one number per cell; [Scores.Mean] is their mean with its standard error. The same functions
// work for draws and truths of other quantities, such as sums over blocks: see [Map].
//
// Leave-one-out ([LOO]), thinning ([Thinning]) and the log evidence ([Tempering]) estimate how
// well a model predicts. [Compare] ranks several models:
//
//	table, err := calibrate.Compare(
//		calibrate.Candidate{Name: "exp", Posterior: exp, Obs: obs},
//		calibrate.Candidate{Name: "softplus", Posterior: softplus, Obs: obs})
//	fmt.Print(table)
//
// Ranks are exact for any number of draws, if the truth and the draws are exchangeable: the truth is then equally
// likely to be at each of the n + 1 places among n sorted draws.
package calibrate
