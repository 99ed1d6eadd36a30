// Package calibrate tells whether a posterior is right: how good it is on cells
// whose truth or whose data it has not seen (scores), whether its intervals
// hold what they claim (coverage), and whether a sampler draws from the
// posterior that its prior and likelihood define (simulation-based calibration). It also
// compares models of the same data.
//
//	scores, err := calibrate.LogScore(post, data.Held, nil)
//	fmt.Println(scores.Mean()) // -1.934 ± 0.041
//	inside, err := calibrate.Coverage{}.Latent(post, data.Theta)
//
// Scores and coverages are one number per cell; [Scores.Mean] is their mean with
// its standard error. Draws and truths of anything else, such as sums over
// blocks, go through the same functions: see [Map].
//
// Which of several models predicts best, leave-one-out ([LOO]), thinning ([Thinning]) and the log
// evidence ([Tempering]) tell, and [Compare] ranks them:
//
//	table, err := calibrate.Compare(
//		calibrate.Candidate{Name: "exp", Posterior: exp, Obs: obs},
//		calibrate.Candidate{Name: "softplus", Posterior: softplus, Obs: obs})
//	fmt.Print(table)
//
// Everything about ranks is exact for any number of draws, if the truth and
// the draws are exchangeable: the truth is then equally likely to stand at each
// of the n + 1 places among n sorted draws.
package calibrate
