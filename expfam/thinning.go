package expfam

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/formula"
)

// Thin splits the count by a multinomial distribution. The parts are Poisson with equal shares of the exposure.
func (f Poisson) Thin(t Term, parts int, rng *rand.Rand) ([]Term, error) {
	y := split(t.Stat, parts, rng, func(behind float64) float64 { return 1 / (behind + 1) })
	return reduceAll(f, y, t.Size/float64(parts))
}

// split splits a count into parts. Each part gets a share of what the parts before it have left, which may depend on
// the number of parts behind it, and the last gets the rest.
func split(count float64, parts int, rng *rand.Rand, share func(behind float64) float64) []float64 {
	out := make([]float64, parts)
	for i := range out {
		out[i] = count
		if behind := float64(parts - 1 - i); behind > 0 {
			out[i] = keep(count, share(behind), rng)
		}
		count -= out[i]
	}
	return out
}

// keep keeps each event of a count with probability share, and returns the number kept.
func keep(count, share float64, rng *rand.Rand) float64 {
	return distuv.Binomial{N: count, P: share, Src: rng}.Rand()
}

// reduceAll returns the terms of observations with one known constant.
func reduceAll(f Family, y []float64, known float64) (out []Term, err error) {
	out = make([]Term, len(y))
	for i := range y {
		if out[i], err = f.Reduce(y[i], Given(known)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Kept leaves the rate unchanged; the exposure changes.
func (Poisson) Kept(float64) (kept, rest formula.Expr) {
	return formula.MustParse("theta"), formula.MustParse("theta")
}

// KeptTerms returns terms with the shares of the exposure. The two counts are independent.
func (f Poisson) KeptTerms(t Term, kept, share float64) (Term, Term, error) {
	return both(f, kept, share*t.Size, t.Stat-kept, (1-share)*t.Size)
}

// Thin splits the count by a Dirichlet-multinomial distribution. The parts are negative
// binomial with equal shares of the successes.
func (f NegativeBinomial) Thin(t Term, parts int, rng *rand.Rand) ([]Term, error) {
	r := t.Size / float64(parts)
	y := split(t.Stat, parts, rng, func(behind float64) float64 {
		return Standard{BetaPrior{}, r, r * behind}.Rand(rng)
	})
	return reduceAll(f, y, r)
}

// Kept uses that a negative binomial count is Poisson with a random rate. With b = θ/(1−θ) the rate is Gamma(r, b). The
// kept count is negative binomial with b/share instead of b. Given k kept events the rate is Gamma(r+k, b+share).
func (NegativeBinomial) Kept(share float64) (kept, rest formula.Expr) {
	s := fmt.Sprintf("%.17g", share)
	return formula.MustParse("theta/(theta+" + s + "*(1-theta))"), formula.MustParse("theta+" + s + "*(1-theta)")
}

// KeptTerms returns terms with r and with r + kept successes.
func (f NegativeBinomial) KeptTerms(t Term, kept, _ float64) (Term, Term, error) {
	return both(f, kept, t.Size, t.Stat-kept, t.Size+kept)
}

// both reduces two observations, each with its known constant.
func both(f Family, y1, known1, y2, known2 float64) (first, second Term, err error) {
	if first, err = f.Reduce(y1, Given(known1)); err == nil {
		second, err = f.Reduce(y2, Given(known2))
	}
	return first, second, err
}

// Thin thins as NegativeBinomial does, with one success for each observation.
func (Geometric) Thin(t Term, parts int, rng *rand.Rand) ([]Term, error) {
	return NegativeBinomial{}.Thin(t, parts, rng)
}

// Thin distributes the trials among the parts, which are binomial. Positives are drawn from a hypergeometric
// distribution. The parts have equal numbers of trials; where that is impossible the numbers differ by one, by chance.
func (f Binomial) Thin(t Term, parts int, rng *rand.Rand) ([]Term, error) {
	if t.Size != math.Trunc(t.Size) {
		return nil, refuse("binomial", "%g trials; thinning needs a whole number", t.Size)
	}
	if t.Size > 1<<53 {
		return nil, refuse("binomial", "%g trials; thinning counts single trials, up to %g", t.Size, float64(1<<53))
	}
	trials := slices.Repeat([]int{int(t.Size) / parts}, parts)
	for _, i := range rng.Perm(parts)[:int(t.Size)%parts] {
		trials[i]++
	}
	out, positive, left := make([]Term, parts), int(t.Stat), int(t.Size)
	for i, n := range trials {
		y := hypergeometric(n, positive, left, rng)
		positive, left = positive-y, left-n
		if n == 0 {
			continue
		}
		var err error
		if out[i], err = f.Reduce(float64(y), Given(float64(n))); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// hypergeometric returns the number of positives among n of all trials, drawn without replacement.
//
// Many trials are drawn in two steps. First each trial is kept with probability n/all, so that the numbers of positive
// and negative trials kept are binomial. Then the trials that are too many, about √n, are drawn from those kept and
// put back, or the missing ones are drawn from the others. All sets of n trials remain equally probable.
func hypergeometric(n, positive, all int, rng *rand.Rand) int {
	const few = 1000 // trials that are drawn one by one
	switch {
	case n <= few:
		y := 0
		for range n {
			if rng.IntN(all) < positive {
				y, positive = y+1, positive-1
			}
			all--
		}
		return y
	case n > all/2:
		return positive - hypergeometric(all-n, positive, all, rng)
	}
	share := float64(n) / float64(all)
	a := int(keep(float64(positive), share, rng))
	kept := a + int(keep(float64(all-positive), share, rng))
	if kept > n {
		return a - hypergeometric(kept-n, a, kept, rng)
	}
	return a + hypergeometric(n-kept, positive-a, all-kept, rng)
}

// Thin puts each trial into one part, as Binomial does.
func (Bernoulli) Thin(t Term, parts int, rng *rand.Rand) ([]Term, error) {
	return Binomial{}.Thin(t, parts, rng)
}

// Thin multiplies y by Dirichlet weights. The parts are Gamma with equal shares of the shape.
func (f Gamma) Thin(t Term, parts int, rng *rand.Rand) ([]Term, error) {
	shares, total := make([]float64, parts), 0.0
	shape := t.Size / float64(parts)
	for i := range shares {
		shares[i] = distuv.Gamma{Alpha: shape, Beta: 1, Src: rng}.Rand()
		total += shares[i]
	}
	if total == 0 { // all shares underflow: one part gets the whole sum
		shares[rng.IntN(parts)], total = 1, 1
	}
	for i, s := range shares {
		// A share of a tiny shape may be 0 in float64, where the density has a pole.
		shares[i] = math.Max(t.Stat*s/total, math.SmallestNonzeroFloat64)
	}
	return reduceAll(f, shares, shape)
}

// Thin thins as the Gamma does, with shape 1 for each observation.
func (Exponential) Thin(t Term, parts int, rng *rand.Rand) ([]Term, error) {
	return Gamma{}.Thin(t, parts, rng)
}

// Thin adds normal noise whose sum over the parts is 0. The parts are normal with mean θ,
// and their variance is the variance of y times the number of parts.
func (f Normal) Thin(t Term, parts int, rng *rand.Rand) ([]Term, error) {
	sd := math.Sqrt(float64(parts) / t.Size) // the standard deviation of a part
	noise, mean := make([]float64, parts), 0.0
	for i := range noise {
		noise[i] = sd * rng.NormFloat64()
		mean += noise[i] / float64(parts)
	}
	for i, e := range noise {
		noise[i] = t.Stat/t.Size + e - mean
	}
	return reduceAll(f, noise, sd)
}

// Thin thins log y as Normal does. The parts have the densities of their logarithms.
func (LogNormal) Thin(t Term, parts int, rng *rand.Rand) ([]Term, error) {
	return Normal{}.Thin(t, parts, rng)
}
