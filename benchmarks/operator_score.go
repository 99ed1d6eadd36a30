package benchmarks

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
)

// OperatorScore says how well a method reconstructs an image from data with an operator.
type OperatorScore struct {
	Image, Case, Method string
	// PSNR is the peak signal-to-noise ratio in dB of the estimate of θ, which is the mean of the draws. It is 10 log₁₀
	// of the squared range of images, (e − 1/e)², over the mean squared error.
	PSNR float64
	// CRPS is the CRPS of x₀ over all cells. Cells is the share of cells whose 95% interval holds the true θ, and Areas
	// the share of areas whose 95% interval holds the true sum of θ; of fewer than 39 draws it is the 90% interval.
	// All are 0 without draws.
	CRPS, Cells, Areas float64
	// Texture is the mean power of the draws of x₀ in the upper half of the frequencies, TrueTexture that of the truth,
	// and Rougher the share of draws with more of it than the truth. All are 0 without draws.
	Texture, TrueTexture, Rougher float64
	Draws, Lost                   int // number of draws, and how many are missing of those asked for
	Seconds                       float64
}

// Score returns the score of a posterior. asked is the number of draws that were asked for.
func (o OperatorImage) Score(method string, post *expfam.Posterior, asked int) (OperatorScore, error) {
	fail := func(err error) (OperatorScore, error) {
		return OperatorScore{}, fmt.Errorf("benchmarks: %s, %s, %s: %w", o.Name, o.Case, method, err)
	}
	if err := post.Check(); err != nil {
		return fail(err)
	}
	s := o.Estimate(method, post.Mean(), post.Info.Seconds)
	s.Draws, _ = post.Dims()
	s.Lost = asked - s.Draws
	crps, err := calibrate.CRPS(post.Latent(), o.X0, nil)
	if err != nil {
		return fail(err)
	}
	s.CRPS = crps.Mean().Mean
	of := calibrate.Coverage{Level: 0.95}
	if s.Draws < 39 {
		of.Level = 0.9
	}
	inside, err := of.Latent(post, o.Theta)
	if err != nil {
		return fail(err)
	}
	s.Cells = inside.Mean().Mean
	sums := calibrate.Blocks(o.Area)
	draws, err := calibrate.Map(post, sums)
	if err != nil {
		return fail(err)
	}
	if inside, err = of.Latent(draws, sums(o.Theta)); err != nil {
		return fail(err)
	}
	s.Areas = inside.Mean().Mean
	truth, power, err := o.Texture(post)
	if err != nil {
		return fail(err)
	}
	s.Texture, s.TrueTexture = stat.Mean(power, nil), truth
	s.Rougher = float64(floats.Count(func(p float64) bool { return p > truth }, power)) / float64(len(power))
	return s, nil
}

// Estimate returns the score of an estimate of θ without draws.
func (o OperatorImage) Estimate(method string, theta []float64, seconds float64) OperatorScore {
	mse := math.Pow(floats.Distance(theta, o.Theta, 2), 2) / float64(len(theta))
	return OperatorScore{Image: o.Name, Case: o.Case, Method: method, Seconds: seconds,
		PSNR: 20*math.Log10(math.E-1/math.E) - 10*math.Log10(mse)}
}

// OperatorSummary holds the mean scores of a method over the images of a case.
type OperatorSummary struct {
	Case, Method                         string
	PSNR, CRPS, Cells, Areas             calibrate.Estimate
	Images, Lost, BetterPSNR, BetterCRPS int // BetterPSNR and BetterCRPS: images on which the first method is better
	// Texture is the ratio of the sums over images of Texture and TrueTexture, and Between the number of images whose
	// TrueTexture is above that of 10% of the draws and below that of 10%.
	Texture float64
	Between int
	Seconds float64
}

func (s OperatorSummary) String() string {
	return fmt.Sprintf("%-18s %-26s PSNR %v  CRPS %v  cells %v  areas %v  texture %.2f, between the draws "+
		"on %d  lost %d  the first is better: PSNR %d, CRPS %d of %d  %.1fs",
		s.Case, s.Method, s.PSNR, s.CRPS, s.Cells, s.Areas, s.Texture, s.Between, s.Lost, s.BetterPSNR,
		s.BetterCRPS, s.Images, s.Seconds)
}

// SummariseOperators averages scores by case and method, in the order in which these first appear.
func SummariseOperators(all []OperatorScore) []OperatorSummary {
	type key struct{ of, method string }
	var order []key
	by, first := make(map[key][]OperatorScore), make(map[key]OperatorScore)
	for _, s := range all {
		k := key{s.Case, s.Method}
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], s)
		if image := (key{s.Case, s.Image}); first[image].Method == "" {
			first[image] = s
		}
	}
	var out []OperatorSummary
	for _, k := range order {
		list, sum := by[k], OperatorSummary{Case: k.of, Method: k.method, Images: len(by[k])}
		mean := func(of func(s OperatorScore) float64) calibrate.Estimate {
			var values calibrate.Scores
			for _, s := range list {
				values = append(values, of(s))
			}
			return values.Mean()
		}
		sum.PSNR = mean(func(s OperatorScore) float64 { return s.PSNR })
		sum.CRPS = mean(func(s OperatorScore) float64 { return s.CRPS })
		sum.Cells = mean(func(s OperatorScore) float64 { return s.Cells })
		sum.Areas = mean(func(s OperatorScore) float64 { return s.Areas })
		sum.Seconds = mean(func(s OperatorScore) float64 { return s.Seconds }).Mean
		var truth float64
		for _, s := range list {
			f := first[key{s.Case, s.Image}]
			sum.Lost, sum.Texture, truth = sum.Lost+s.Lost, sum.Texture+s.Texture, truth+s.TrueTexture
			if s.Rougher >= 0.1 && s.Rougher <= 0.9 {
				sum.Between++
			}
			if f.PSNR > s.PSNR {
				sum.BetterPSNR++
			}
			if s.Draws > 0 && f.CRPS < s.CRPS {
				sum.BetterCRPS++
			}
		}
		if truth > 0 {
			sum.Texture /= truth
		}
		out = append(out, sum)
	}
	return out
}
