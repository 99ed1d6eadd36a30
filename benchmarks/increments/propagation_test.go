package increments

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// problem returns a problem of a law and an operator.
func problem(t *testing.T, law Law, operator string) *Problem {
	t.Helper()
	p := must.Get(New(law, operator))(t)
	return p
}

// propagated makes draws of test signal 0, and the exact posterior.
func propagated(t *testing.T, p *Problem, m Propagation, g Gibbs, draws int) (own, exact *expfam.Draws,
	mean []float64) {
	t.Helper()
	model := must.Get(exactIncrements(p.Law))(t)
	m.Model = model
	o := must.Get(m.Open(t.Context(), p, draws))(t)
	defer o.Close()
	y := p.Test(0).Y
	x, evaluations := must.Get2(o.Sample(t.Context(), y, 1))(t)
	if m = m.orDefault(); evaluations != m.First+m.Steps*m.Rounds {
		t.Errorf("%d evaluations, want %d", evaluations, m.First+m.Steps*m.Rounds)
	}
	if _, normal := p.Law.(Gauss); normal { // quick
		again, _ := must.Get2(o.Sample(t.Context(), y, 1))(t)
		must.Be(t, mat.Equal(x, again), "the same seed gives other draws")
	}
	truth := must.Get(g.Sample(p, y))(t)
	return &expfam.Draws{X: x}, &expfam.Draws{X: truth.Draws}, truth.Mean
}

// Under normal increments the sites are exact after one round, and so are the draws, whatever the steps.
func TestPropagationOfGaussIsExact(t *testing.T) {
	p := problem(t, Gauss{}, Blur)
	own, _, mean := propagated(t, p, Propagation{Steps: 3, Rounds: 1, First: 1, Damping: 1},
		Gibbs{Burn: 1, Sweeps: 2, Keep: 2}, 400)
	average, sd := own.Mean(), own.SD()
	var ratio float64
	want := closedSD(t, p)
	for j := range mean {
		if z := (average[j] - mean[j]) / want[j] * 20; math.Abs(z) > 4.5 { // √400 draws, 64 cells
			t.Errorf("cell %d: mean %g, want %g: %.1f standard errors", j, average[j], mean[j], z)
		}
		ratio += sd[j] / want[j] / Cells
	}
	if math.Abs(ratio-1) > 0.05 { // 400 draws of few independent cells: 0.01
		t.Errorf("sds are %.3f of the exact ones", ratio)
	}
}

// closedSD are the exact standard deviations of a signal of normal increments given data.
func closedSD(t *testing.T, p *Problem) []float64 {
	t.Helper()
	precision := mat.NewSymDense(Cells, p.information())
	for j := range Cells {
		precision.SetSym(j, j, precision.At(j, j)+1/math.Pow(p.Law.Spread(), 2))
	}
	var cov, sums mat.Dense
	must.Do(t, cov.Inverse(precision))
	total := mat.NewDense(Cells, Cells, nil)
	for i := range Cells {
		for j := range i + 1 {
			total.Set(i, j, 1)
		}
	}
	sums.Product(total, &cov, total.T())
	sd := make([]float64, Cells)
	for j := range sd {
		sd[j] = math.Sqrt(sums.At(j, j))
	}
	return sd
}

// A signal of few jumps, whose increments given noise are not normal, has the mean of long chains.
func TestPropagationOfJumps(t *testing.T) {
	own, exact, mean := propagated(t, problem(t, BernoulliLaplace{}, Blur),
		Propagation{Steps: 10, Rounds: 3, First: 20}, Gibbs{Burn: 200, Sweeps: 1000, Keep: 250}, 50)
	average, sd := own.Mean(), exact.SD()
	var miss, cells float64
	for j, want := range mean {
		if sd[j] > 0 {
			miss += math.Pow((average[j]-want)/sd[j], 2)
			cells++
		}
	}
	miss = math.Sqrt(miss / cells)
	t.Logf("means are %.2f sd off", miss)
	if miss > 0.5 { // 50 draws: 0.14
		t.Errorf("means are %.2f sd off", miss)
	}
}

func TestPropagationRefuses(t *testing.T) {
	for _, m := range []Propagation{{Steps: 1}, {Damping: 2}, {End: 20}, {Moves: -1}, {Moves: 1},
		{Moves: 1, Model: OfSignals(Gauss{}, nil)}} {
		err := m.Check()
		must.Be(t, err != nil, "%v was taken", m)
	}
	model := must.Get(exactIncrements(Gauss{}))(t)
	m := Propagation{Model: model, Moves: 1}
	must.Do(t, m.Check())
	_, err := m.Open(t.Context(), problem(t, Gauss{}, Whole).Counted(Counted()[0]), 1)
	must.Be(t, err != nil, "moves of counts were taken")
}

// Between two counts a few increments share a large jump, as in test signal 34 of Student(3) behind the samples. With
// Hold the sites stand still after fifty rounds. Without Hold they go back and forth.
func TestHeldSitesStandStill(t *testing.T) {
	p := problem(t, Student{}, Samples).Counted(Counted()[1])
	model := must.Get(exactIncrements(p.Law))(t)
	for _, hold := range []bool{false, true} {
		opened := must.Get(Propagation{Model: model, Hold: hold}.Open(t.Context(), p, 1))(t)
		defer opened.Close()
		o := opened.(*propagator)
		all := must.Get(o.sites(p.Test(34).Y))(t)
		s, before := all[0], make([]float64, Cells)
		var moved float64 // the largest change of a site's precision after fifty rounds
		for round := range 100 {
			copy(before, s.precision)
			must.Do(t, s.marginals(math.Inf(1), o.Damping))
			must.Do(t, o.propagate(all, math.Inf(1)))
			for j, v := range s.precision {
				if round >= 50 {
					moved = math.Max(moved, math.Abs(v-before[j]))
				}
			}
		}
		if hold && moved > 1e-4 || !hold && moved < 0.1 { // moments are computed in single precision
			t.Errorf("hold %v: a precision changes by %g in a round", hold, moved)
		}
	}
}
