package increments

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// The chain visits all components of three increments as often as enumeration says, and its draws have the exact means
// and variances.
func TestMovesAreEnumeration(t *testing.T) {
	const sweeps, batches = 20000, 50
	p := newTriple()
	want := make(map[[3]int]float64)
	var sum float64
	var mean, square [3]float64
	for _, is := range states() {
		log, u := p.logs(t, is)
		want[is] = math.Exp(log)
		sum += want[is]
		m := p.moves(is)
		for j, v := range u {
			mean[j] += want[is] * v
			// The variance given the components is τ − τ²Gⱼⱼ.
			square[j] += want[is] * (v*v + m.tau[j] - m.tau[j]*m.tau[j]*m.big[4*j])
		}
	}
	rng := expfam.Stream(1, "moves")
	m := p.moves([3]int{2, 2, 2})
	visits := make(map[[3]int][]float64)
	var first, second [3][]float64
	for i := range sweeps {
		m.sweep(rng)
		must.Do(t, m.increments(rng))
		is := [3]int(m.is)
		if visits[is] == nil {
			visits[is] = make([]float64, batches)
		}
		visits[is][i*batches/sweeps] += float64(batches) / sweeps
		for j, v := range m.u {
			first[j], second[j] = append(first[j], v), append(second[j], v*v)
		}
	}
	for is, w := range want {
		shares := visits[is]
		if shares == nil {
			shares = make([]float64, batches)
		}
		// 27 comparisons; the second term is the error of a state with a few visits
		if gap := stat.Mean(shares, nil) - w/sum; math.Abs(gap) > 4*stat.StdDev(shares, nil)/math.Sqrt(batches)+2e-4 {
			t.Errorf("components %v have the share %.4f, want %.4f", is, gap+w/sum, w/sum)
		}
	}
	for j := range 3 {
		for name, v := range map[string][2]any{"mean": {first[j], mean[j] / sum},
			"mean square": {second[j], square[j] / sum}} {
			draws, exact := v[0].([]float64), v[1].(float64)
			// A chain of 20,000 sweeps is worth more than 5000 independent draws.
			if gap := stat.Mean(draws, nil) - exact; math.Abs(gap) > 4*stat.StdDev(draws, nil)/math.Sqrt(5000) {
				t.Errorf("the %s of increment %d is %.4f, want %.4f", name, j, gap+exact, exact)
			}
		}
	}
}

// Detailed balance: the log odds by which components are exchanged or drawn anew are differences of log p(k, y), which
// is computed here from the density of the data.
func TestMovesAreInBalance(t *testing.T) {
	p := newTriple()
	for _, is := range states() {
		m := p.moves(is)
		before, _ := p.logs(t, is)
		for i := range 3 {
			for j := range i {
				to := is
				to[i], to[j] = is[j], is[i]
				after, _ := p.logs(t, to)
				if got := m.exchanged(i, j); math.Abs(got-(after-before)) > 1e-10 { // rounding of a few operations
					t.Errorf("%v to %v: log odds %g, want %g", is, to, got, after-before)
				}
			}
			for k := range p.prior.Weights {
				to := is
				to[i] = k
				after, _ := p.logs(t, to)
				if got := m.logOdds(i)[k] - m.logOdds(i)[is[i]]; math.Abs(got-(after-before)) > 1e-10 {
					t.Errorf("%v to %v: log odds %g, want %g", is, to, got, after-before)
				}
			}
		}
	}
}

// G and g after many changes are those that are computed anew.
func TestMovesKeepTheirSums(t *testing.T) {
	model := must.Get(LearnIncrements(BernoulliLaplace{}))(t)
	p := problem(t, BernoulliLaplace{}, Blur)
	rng := expfam.Stream(1, "moves")
	m := newMoves(model.Prior.(*Mixture), normalEvidence(model.operator(p), p.Test(0).Y, p.Noise))
	m.start(make([]float64, Cells), 1, rng)
	for range 20 {
		m.sweep(rng)
	}
	big, small := append([]float64(nil), m.big...), append([]float64(nil), m.small...)
	m.renew()
	for i, v := range m.big {
		if scale := math.Sqrt(m.big[i/Cells*(Cells+1)] * m.big[i%Cells*(Cells+1)]); math.Abs(big[i]-v) > 1e-6*scale {
			// thousands of changes
			t.Fatalf("G is %g at %d, and %g computed anew", big[i], i, v)
		}
	}
	for i, v := range m.small {
		scale := math.Sqrt(m.big[i*(Cells+1)])
		must.Need(t, math.Abs(small[i]-v) <= 1e-6*scale, "g is %g at %d, and %g computed anew", small[i], i, v)
	}
}

// Behind the blur a step of height 1 is at its place with a probability of about 0.95, and mostly at a neighbour
// otherwise. Places of one jump exclude each other. Draws without moves are hardly ever at a neighbour.
func TestMovesFindTheOtherPlace(t *testing.T) {
	p := problem(t, BernoulliLaplace{}, Blur)
	s := make([]float64, Cells)
	for j := 30; j < Cells; j++ {
		s[j] = 1
	}
	y := p.apply(s)
	truth := must.Get(Gibbs{Burn: 200, Sweeps: 4000, Keep: 1000}.Sample(p, y))(t)
	exact := (&expfam.Draws{X: truth.Draws}).SD()
	model := must.Get(exactIncrements(p.Law))(t)
	// ratio returns the sum of the standard deviations of seven cells about the step, over that of the exact posterior.
	ratio := func(moves int) float64 {
		m := Propagation{Model: model, Steps: 10, Rounds: 3, First: 20, Moves: moves}
		o := must.Get(m.Open(t.Context(), p, 200))(t)
		defer o.Close()
		x, evaluations := must.Get2(o.Sample(t.Context(), y, 1))(t)
		want := 20 + 10*3 + moves
		must.Be(t, evaluations == want, "%d evaluations, want %d", evaluations, want)
		if moves > 0 {
			again, _, err := o.Sample(t.Context(), y, 1)
			must.Be(t, err == nil && mat.Equal(x, again), "the same seed gives other draws, error %v", err)
		}
		var own, sum float64
		for j, sd := range (&expfam.Draws{X: x}).SD() {
			if 27 <= j && j < 34 {
				own, sum = own+sd, sum+exact[j]
			}
		}
		return own / sum
	}
	with, without := ratio(10), ratio(0)
	t.Logf("sds are %.2f of the exact ones with moves, and %.2f without", with, without)
	// Some 12 of 200 draws and 60 of the exact ones are at another place: a seventh and a fifteenth of the sd.
	must.Be(t, math.Abs(with-1) <= 0.45 && without <= 0.5,
		"sds are %.2f of the exact ones with moves, and %.2f without", with, without)
}

// Chains of moves and chains of spikes have the same means on the benchmark's own problems. The first take the grid of
// the exact prior, the second the exponential distribution of variances.
func TestMovesAreSpikes(t *testing.T) {
	names, most, sweeps := Names()[1:2], 1, 1000
	if *fulltest.Full {
		names, most, sweeps = Names(), 5, 6000
	}
	law := BernoulliLaplace{}
	model := must.Get(exactIncrements(law))(t)
	for _, name := range names {
		p := problem(t, law, name)
		for k := range most {
			y := p.Test(k).Y
			truth := must.Get(Gibbs{Burn: sweeps / 5, Sweeps: sweeps, Seed: uint64(k)}.Sample(p, y))(t)
			rng := expfam.Stream(uint64(k), "moves")
			m := newMoves(model.Prior.(*Mixture), normalEvidence(model.operator(p), y, p.Noise))
			m.start(make([]float64, Cells), 1, rng)
			average := make([]float64, Cells)
			for i := range sweeps + sweeps/5 {
				m.sweep(rng)
				if i < sweeps/5 {
					continue
				}
				at := 0.0
				for j, v := range means(m, law.Spread()) {
					at += v
					average[j] += at / float64(sweeps)
				}
			}
			var squares, scale float64
			for j, sd := range (&expfam.Draws{X: truth.Draws}).SD() {
				squares += math.Pow(average[j]-truth.Mean[j], 2)
				scale += sd * sd
			}
			miss := math.Sqrt(squares / scale)
			t.Logf("%v, signal %d: means are %.3f posterior sds apart", p, k, miss)
			limit := 0.25 // as in TestSpikesMix
			if *fulltest.Full {
				limit = 0.05 // at most 0.018 is measured
			}
			must.Be(t, miss <= limit, "%v, signal %d: means are %.3f posterior sds apart", p, k, miss)
		}
	}
}
