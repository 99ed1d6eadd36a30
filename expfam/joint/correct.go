package joint

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
)

const (
	// mostOff is the largest less the smallest correction of the log evidence of members from which Laplace's
	// approximation is off: a tail of the parameters is too light, or too heavy.
	mostOff = 0.15
	// far is how far the log density of a member lies below the best to be tried, at two standard deviations.
	far = 2
	// leastWeights is the least effective number of draws of an importance sample that is believed. In hundreds of
	// cells a single draw often has all the weight.
	leastWeights = 20
)

// correct replaces the Laplace evidence of the members by an importance sample's (Shephard & Pitt 1997, Biometrika 84),
//
//	log p(y | t) ≈ LogScale + log mean exp(f(w) + |w|²/2),  w ~ N(0, I),
//
// where it is off, which it returns: steps from too light a tail hardly reach it. All members have the same w. The best
// member and those near far tell whether it is off, by more than two standard errors. Where weights are too uneven to
// tell, it is not.
func (r *run) correct() (off bool) {
	if r.moves == 0 {
		return false
	}
	all := r.pool.members
	best := slices.MaxFunc(all, func(a, b *member) int { return cmp.Compare(a.evidence, b.evidence) })
	distance := func(c *member) float64 { return math.Abs(best.evidence - c.evidence - far) }
	tried := slices.DeleteFunc(slices.Clone(all), func(c *member) bool { return c == best || distance(c) > 1 })
	slices.SortFunc(tried, func(a, b *member) int { return cmp.Compare(distance(a), distance(b)) })
	tried = append([]*member{best}, tried[:min(8, len(tried))]...)
	if !even(r.importance(tried[:1], 200)[0]) {
		return false
	}
	logs := r.importance(tried, 400)
	base, low, high := best.correction(logs[0]), 0, 0
	for i, v := range logs {
		switch by := tried[i].correction(v); {
		case !even(v) || !finite(by):
		case by < tried[low].correction(logs[low]):
			low = i
		case by > tried[high].correction(logs[high]):
			high = i
		}
	}
	n := float64(len(logs[0]))
	ratio, under, over := make([]float64, len(logs[0])), floats.LogSumExp(logs[low]), floats.LogSumExp(logs[high])
	for k := range ratio {
		ratio[k] = n * (math.Exp(logs[high][k]-over) - math.Exp(logs[low][k]-under))
	}
	by := tried[high].correction(logs[high]) - tried[low].correction(logs[low])
	off = by > math.Max(mostOff, 2*stat.StdDev(ratio, nil)/math.Sqrt(n))
	if off {
		for i, v := range r.importance(all, 100) {
			if by := all[i].correction(v); even(v) && finite(by) {
				all[i].evidence += by - base
			}
		}
	}
	return off
}

// even reports whether log weights are those of at least leastWeights equal ones.
func even(logs []float64) bool {
	total, squares := floats.LogSumExp(logs), 0.
	for _, v := range logs {
		squares += math.Exp(2 * (v - total))
	}
	return squares*leastWeights <= 1
}

// correction returns what an importance sample adds to the log evidence.
func (c *member) correction(logs []float64) float64 {
	return c.logScale - c.evidence + floats.LogSumExp(logs) - math.Log(float64(len(logs)))
}

// importance returns the log weights of so many draws of an importance sample of the field at each of the members.
func (r *run) importance(members []*member, number int) [][]float64 {
	out := make([][]float64, len(members))
	parallel.For(len(members), parallel.Heavy, func(i int) {
		target := members[i].target
		rng, density := expfam.Stream(r.o.Seed, "joint/evidence"), target.Density()
		for from := 0; from < number; from += latent.Width {
			n := min(latent.Width, number-from)
			w, half, logs := make([]float64, target.Rank()*n), make([]float64, n), make([]float64, n)
			for k := range w {
				w[k] = rng.NormFloat64()
				half[k%n] += w[k] * w[k] / 2
			}
			density(w, nil, logs)
			for k, v := range logs {
				out[i] = append(out[i], v+half[k])
			}
		}
	})
	return out
}
