package benchmarks

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/internal/must"
)

// fineSpread returns the standard deviation of the log power of procedural images from half of the highest frequency
// on, given their powers at up to ten cycles, by linear regression of logarithms. A blur of sd 2 leaves about these.
func fineSpread(t *testing.T, side, images int) float64 {
	t.Helper()
	source, x := scenes.Procedural{Rows: side, Cols: side, Plain: true}, make([]float64, side*side)
	bounds := []int{0, 2, 4, 6, 8, 10}
	coarse, fine := mat.NewDense(images, len(bounds), nil), mat.NewVecDense(images, nil)
	for i := range images {
		source.Draw(expfam.Stream(uint64(i), "benchmark/texture"), x)
		_, power := must.Get2(grid.Spectrum(grid.Grid{Rows: side, Cols: side}, x))(t)
		between := func(first, end int) (sum float64) {
			for k := first; k < end; k++ {
				sum += float64(k+1) * power[k]
			}
			return math.Log(sum)
		}
		coarse.Set(i, 0, 1)
		for k, end := range bounds[1:] {
			coarse.Set(i, k+1, between(bounds[k], end))
		}
		fine.SetVec(i, between(len(power)/2, len(power)))
	}
	var weights, rest mat.VecDense
	must.Do(t, weights.SolveVec(coarse, fine))
	rest.MulVec(coarse, &weights)
	rest.SubVec(fine, &rest)
	return mat.Norm(&rest, 2) / math.Sqrt(float64(images-len(bounds)))
}

// Draws of an exact posterior have between .8 and 1.25 times the truth's texture on fewer than half of the images
// behind a blur of sd 2 in ten photons, if texture varies as that of procedural images does given what is coarser.
// The prior is a mixture of Gaussian fields on a torus, with a spectrum of f⁻³ times an amplitude above ten cycles. Its
// posterior is known: Fourier modes are independent given the amplitude, which has 15 values. What a right posterior
// has is calibration: the truth is between the draws as often as it should be, and sums over images agree.
func TestTextureOfExactPosteriors(t *testing.T) {
	const side, photons, images, draws, broken = 64, 10, 400, 40, 10
	spread := fineSpread(t, side, 200)
	var amplitudes []float64
	for k := range 15 {
		amplitudes = append(amplitudes, math.Exp(spread*distuv.UnitNormal.Quantile((float64(k)+0.5)/15)))
	}
	var total float64
	var modes []struct{ frequency, variance, seen float64 } // seen: what the blur leaves
	for row := range side {
		for col := range side {
			f := math.Hypot(float64(min(row, side-row)), float64(min(col, side-col)))
			if f > 0 {
				modes = append(modes, struct{ frequency, variance, seen float64 }{f, math.Pow(f, -3),
					math.Exp(-2 * math.Pow(math.Pi*2*f/side, 2))})
				total += math.Pow(f, -3)
			}
		}
	}
	for k := range modes {
		modes[k].variance *= 0.25 * side * side / total // cells of sd .5, as images have
	}
	rng, noise := expfam.Stream(1, "benchmark/exact texture"), 1./photons
	var ratios []float64
	var sum, truths float64
	between, close := 0, 0
	for range images {
		amplitude := amplitudes[rng.IntN(len(amplitudes))]
		logs, seen, truth := make([]float64, len(amplitudes)), make([]float64, len(modes)), 0.0
		for k, m := range modes {
			if m.frequency <= broken {
				continue
			}
			x := math.Sqrt(amplitude*m.variance) * rng.NormFloat64()
			seen[k] = m.seen*x + math.Sqrt(noise)*rng.NormFloat64()
			if m.frequency >= side/4 && m.frequency <= side/2 {
				truth += x * x
			}
			for p, a := range amplitudes {
				v := a*m.variance*m.seen*m.seen + noise
				logs[p] -= 0.5 * (math.Log(v) + seen[k]*seen[k]/v)
			}
		}
		weights := make([]float64, len(logs))
		for p, l := range logs {
			weights[p] = math.Exp(l - slices.Max(logs))
		}
		part, rougher, mean := distuv.NewCategorical(weights, rng), 0, 0.0
		for range draws {
			a, power := amplitudes[int(part.Rand())], 0.0
			for k, m := range modes {
				if m.frequency < side/4 || m.frequency > side/2 {
					continue
				}
				prior := a * m.variance
				gain := prior * m.seen / (prior*m.seen*m.seen + noise)
				x := gain*seen[k] + math.Sqrt(prior*(1-gain*m.seen))*rng.NormFloat64()
				power += x * x
			}
			if mean += power / draws; power > truth {
				rougher++
			}
		}
		if ratios = append(ratios, mean/truth); mean/truth >= 0.8 && mean/truth <= 1.25 {
			close++
		}
		if rougher >= draws/10 && rougher <= draws-draws/10 {
			between++
		}
		sum, truths = sum+mean, truths+truth
	}
	slices.Sort(ratios)
	t.Logf("texture varies by a factor of e^%.2f. Draws over truth: %.2f to %.2f on 80%% of images, %.2f to %.2f "+
		"on all, within .8 and 1.25 on %d of %d; of the sums %.2f. The truth is between the draws on %d", spread,
		stat.Quantile(0.1, stat.Empirical, ratios, nil), stat.Quantile(0.9, stat.Empirical, ratios, nil),
		floats.Min(ratios), floats.Max(ratios), close, images, sum/truths, between)
	must.Be(t, close < images/2, "exact draws have nearly the truth's texture on %d of %d", close, images)
	// 33 of 41 ranks, and the ratio of means with an sd of a half: three standard errors.
	const expected = images * 33. / 41
	must.Be(t, math.Abs(float64(between)-expected) < 3*math.Sqrt(expected*8/41), "the truth is between the draws on "+
		"%d of %d images", between, images)
	must.Be(t, math.Abs(sum/truths-1) < 3*0.5/math.Sqrt(images), "the sums of texture have the ratio %.3f", sum/truths)
}
