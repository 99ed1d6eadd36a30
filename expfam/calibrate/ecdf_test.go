package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// For few values the probability of staying inside is a sum over all ways to
// place them: with 4 points there are 4 intervals, of probability ¼ each.
func TestBandByEnumeration(t *testing.T) {
	const n = 6
	w := newWalk(n, []float64{0.25, 0.5, 0.75})
	for _, gamma := range []float64{0.01, 0.1, 0.3, 0.6, 1} {
		want := 0.0
		for c := range (n + 1) * (n + 1) * (n + 1) {
			a, b, d := c%(n+1), c/(n+1)%(n+1), c/(n+1)/(n+1)
			if a+b+d > n {
				continue
			}
			inside := true
			for i, count := range []int{a, a + b, a + b + d} {
				low, high := bounds(n, w.z[i], gamma)
				inside = inside && low <= count && count <= high
			}
			if inside {
				ways := combin.Binomial(n, a) * combin.Binomial(n-a, b) * combin.Binomial(n-a-b, d)
				want += float64(ways) * math.Pow(0.25, n)
			}
		}
		near(t, fmt.Sprintf("probability inside the band of γ = %g", gamma), w.stays(gamma), want, 1e-12)
	}
}

// The level is that of uniform values, simulated; p values are uniform, or above where values are few.
func TestBandHoldsItsLevel(t *testing.T) {
	for _, n := range []int{8, 60, 400} {
		times := fulltest.N(60000/(n+60), 1500) // the longest takes the longest
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(n)))
			var inside, small Scores
			var first ECDF
			for k := range times {
				e := must.Get(NewECDF(vector(n, func(int) float64 { return rng.Float64() }), 0.9))(t)
				if k == 0 {
					first = e
				}
				for i, is := range []bool{e.Inside(), e.P <= 0.1} {
					s := []*Scores{&inside, &small}[i]
					*s = append(*s, 0)
					if is {
						(*s)[k] = 1
					}
				}
			}
			w := newWalk(n, first.Z)
			want := w.stays(w.gamma(0.9))
			must.Be(t, want >= 0.9 && want <= 0.95, "the band has level %v, want at least 0.9 and hardly more", want)
			within4(t, "share inside the band", inside, want)
			within4(t, "share of p values below 0.1", small, 1-want)
		})
	}
}

func TestBandOfManyValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 0))
	u := vector(fulltest.N(5000, 20000), func(int) float64 { return rng.Float64() })
	if e := must.Get(NewECDF(u, 0))(t); !e.Inside() || e.P < 0.05 {
		t.Errorf("uniform values: p %v", e.P)
	}
	for k := range u { // a posterior 5% too narrow, about
		u[k] = 0.5 + 1.05*(u[k]-0.5)
		u[k] = math.Min(1, math.Max(0, u[k]))
	}
	e := must.Get(NewECDF(u, 0))(t)
	must.Be(t, !e.Inside() && e.P <= 1e-6, "values that are not uniform: p %v", e.P)
	d := e.Difference()
	near(t, "difference", d.F[9], e.F[9]-0.1, 1e-15)
}

func TestHistogram(t *testing.T) {
	h := must.Get(NewHistogram([]float64{0, 0.1, 0.25, 0.5, 0.99, 1}, 4, 0.95))(t)
	must.Be(t, fmt.Sprint(h.Counts) == "[2 1 1 2]" && h.Expected == 1.5, "%+v", h)
	// All bins of 200 uniform values are inside with probability 0.9 or a little
	// more: Bonferroni over bins that hardly depend, and whole counts.
	rng := rand.New(rand.NewPCG(9, 0))
	inside := make(Scores, 2000)
	for k := range inside {
		h := must.Get(NewHistogram(vector(200, func(int) float64 { return rng.Float64() }), 10, 0.9))(t)
		inside[k] = 1
		for _, c := range h.Counts {
			if float64(c) < h.Low || float64(c) > h.High {
				inside[k] = 0
			}
		}
	}
	e := inside.Mean()
	must.Be(t, e.Mean >= 0.9-4*e.SE && e.Mean <= 0.97, "all bins inside: %v, want 0.9 or a little more", e)
}

func BenchmarkBand(b *testing.B) {
	for _, n := range []int{200, 4096, 65536} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			u := vector(n, func(int) float64 { return rng.Float64() })
			for b.Loop() {
				must.Get(NewECDF(u, 0))(b)
			}
		})
	}
}
