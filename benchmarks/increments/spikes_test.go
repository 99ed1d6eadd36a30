package increments

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// Between two samples that are seen, nothing is seen of the increments but their sum. They are exchangeable: all have
// the same distribution, whatever their order. Here six of them share a fall of 4.5.
func TestJumpsInAGapAreExchangeable(t *testing.T) {
	const before, after, fall = 8, 14, 4.5 // samples 9 to 13 are not seen
	law := BernoulliLaplace{}
	p := problem(t, law, Samples)
	s := make([]float64, Cells)
	for j := 11; j < Cells; j++ {
		s[j] = -fall
	}
	y := p.apply(s)
	model := must.Get(exactIncrements(law))(t)
	own, other := expfam.Stream(1, "exchange"), expfam.Stream(2, "exchange")
	m := newMoves(model.Prior.(*Mixture), normalEvidence(model.operator(p), y, p.Noise))
	m.start(make([]float64, Cells), 1, other)
	c := newSpikes(law, p)
	must.Do(t, c.observe(y))
	// Each chain makes a sweep, and returns the means of the increments given all other variables.
	for name, sweep := range map[string]func() []float64{
		"spikes": func() []float64 {
			_, mean := c.sweep(own)
			return mean
		},
		"moves": func() []float64 {
			m.sweep(other)
			return means(m, law.Spread())
		},
	} {
		t.Run(name, func(t *testing.T) {
			const sweeps, batches = 6000, 30
			for range 100 {
				sweep()
			}
			var averages [after - before][]float64
			for range batches {
				var sums [after - before]float64
				for range sweeps / batches {
					for k, v := range sweep()[before+1 : after+1] {
						sums[k] += v * batches / sweeps
					}
				}
				for k, v := range sums {
					averages[k] = append(averages[k], v)
				}
			}
			for k, v := range averages {
				mean, se, want := stat.Mean(v, nil), stat.StdDev(v, nil)/math.Sqrt(batches), -fall/(after-before)
				if math.Abs(mean-want) > 4*se+0.02 { // the prior makes the fall a little smaller
					t.Errorf("increment %d has the mean %.3f ± %.3f, want %.3f", before+1+k, mean, se, want)
				}
			}
		})
	}
}

// means returns the means of increments given their components, T g, in the law's units.
func means(m *moves, unit float64) []float64 {
	u := make([]float64, len(m.small))
	for j, g := range m.small {
		u[j] = m.tau[j] * g * unit
	}
	return u
}
