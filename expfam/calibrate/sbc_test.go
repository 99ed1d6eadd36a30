package calibrate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

var (
	few    = gp.RBF{Cells: 6, Length: 0.3}
	normal = expfam.Likelihood{Family: expfam.Normal{SD: 0.7}}
)

// exactly samples the closed-form posterior, its draws moved by change.
func exactly(change func(mean, x []float64)) func(context.Context, expfam.Observations, uint64) (*expfam.Posterior,
	error) {
	return func(_ context.Context, obs expfam.Observations, seed uint64) (*expfam.Posterior, error) {
		c, err := gp.Exact(few, normal, obs)
		if err != nil {
			return nil, err
		}
		post, err := c.Sample(50, seed)
		if err != nil {
			return nil, err
		}
		for i := range 50 {
			change(c.Mean, post.X.RawRowView(i))
		}
		return post, nil
	}
}

func run(t *testing.T, s SBC) *SBCResult {
	t.Helper()
	r := must.Get(s.Run())(t)
	t.Logf("\n%v", r)
	return r
}

// fails lists the quantities with p below 0.001; seeds are fixed.
func fails(t *testing.T, r *SBCResult) []string {
	t.Helper()
	var names []string
	for q, p := range must.Get(r.P())(t) {
		if p < 1e-3 {
			names = append(names, r.Names[q])
		}
	}
	return names
}

// The closed form is calibrated in every quantity; a sampler that ignores the data is seen by the log-likelihood alone.
func TestSBCOfClosedForms(t *testing.T) {
	model := Joint{Prior: few, Likelihood: normal, Missing: []bool{false, false, true, false, false, false}}
	for _, c := range []struct {
		name   string
		sample func(context.Context, expfam.Observations, uint64) (*expfam.Posterior, error)
		fails  []string
	}{
		{"exact", exactly(func(_, _ []float64) {}), nil},
		{"overconfident", exactly(func(mean, x []float64) {
			for j := range x {
				x[j] = mean[j] + 0.6*(x[j]-mean[j])
			}
		}), []string{"mean", "cell", "log-likelihood", "TARP"}},
		// Right in every function of x₀ alone, and in TARP.
		{"prior instead of posterior", func(_ context.Context, _ expfam.Observations, seed uint64) (*expfam.Posterior,
			error) {
			c, err := gp.Exact(few, normal, make(expfam.Observations, few.Dim()))
			if err != nil {
				return nil, err
			}
			return c.Sample(50, seed+1)
		}, []string{"log-likelihood"}},
		// Half a standard deviation of the prior off.
		{"biased", exactly(func(_, x []float64) {
			floats.AddConst(0.5, x)
		}), []string{"mean", "cell", "log-likelihood", "TARP"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, SBC{Model: model, Sample: c.sample, Simulations: fulltest.N(250, 400), Seed: 1})
			must.Equal(t, fails(t, r), c.fails, "fail")
			must.Equal(t, must.Get(r.Passes(0))(t), c.fails == nil, "passes")
		})
	}
}

// Behind an operator there are more or fewer data than cells. The quantities are functions of the cells.
func TestSBCBehindAnOperator(t *testing.T) {
	for _, rows := range []int{2, 9} {
		h := mat.NewDense(rows, few.Dim(), nil)
		h.Apply(func(i, j int, _ float64) float64 { return float64((i+j)%3) / 3 }, h)
		like := expfam.Likelihood{Family: expfam.Normal{SD: 0.7}, Operator: &operator.Dense{Matrix: h}}
		r := run(t, SBC{Model: Joint{Prior: few, Likelihood: like}, Simulations: 250, Seed: 1,
			Sample: func(_ context.Context, obs expfam.Observations, seed uint64) (*expfam.Posterior, error) {
				c, err := gp.Exact(few, like, obs)
				if err != nil {
					return nil, err
				}
				return c.Sample(31, seed)
			}})
		got := fails(t, r)
		must.Be(t, got == nil, "%d data: %v fail", rows, got)
	}
}

func TestSBCRefusesACellThatDoesNotExist(t *testing.T) {
	must.Refuse(SBC{Model: Joint{Prior: few, Likelihood: normal}, Sample: exactly(func(_, _ []float64) {}),
		Simulations: 2,
		Quantities:  []Quantity{Cell(5), Cell(6)}}.Run())(t, `"cell 6"`, "6 cells")
}

// Counts, with exposures, against Hamiltonian Monte Carlo, thinned.
func TestSBCOfHMC(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	model := Joint{Prior: few, Likelihood: like, Known: []float64{0.5, 1, 2, 0, 1, 4}, Replicates: 2}
	r := run(t, SBC{Model: model, Simulations: fulltest.N(25, 60), Seed: 2,
		Sample: func(_ context.Context, obs expfam.Observations, seed uint64) (*expfam.Posterior, error) {
			post, err := hmc.Sample(few, like, obs, hmc.Options{Draws: 1000, Seed: seed})
			if err != nil {
				return nil, err
			}
			n, cells := post.Dims()
			thin := table(n/80, cells, func(i, j int) float64 { return post.X.At(80*i, j) })
			return &expfam.Posterior{X: thin.X, Likelihood: like}, nil
		}})
	got := fails(t, r)
	must.Be(t, got == nil, "%v fail", got)
}

// With the exact prior and no network anywhere, the library's default sampler is calibrated. The plain ODE with the
// cells' evidences just added is not: it counts data of correlated cells several times, and forgets nothing.
func TestSBCOfSamplers(t *testing.T) {
	prior := gp.RBF{Cells: 12, Length: 0.3}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	for _, c := range []struct {
		name    string
		sampler diffusion.Sampler
		passes  bool
	}{
		{"default", diffusion.Sampler{}, true},
		{"plain ODE", diffusion.Sampler{Method: diffusion.ODE{}, Guidance: diffusion.Quadrature{Independent: true}},
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Pure Go evaluates 31 draws in one block of 32.
			c.sampler.Engine, c.sampler.Draws = enginetest.Open(t, "go"), fulltest.N(31, 50)
			s := SBC{Model: Joint{Prior: prior, Likelihood: like}, Simulations: fulltest.N(40, 150), Seed: 3}
			r := must.Get(s.RunSamplerContext(t.Context(), prior, like, c.sampler))(t)
			must.Equal(t, must.Get(r.Passes(0))(t), c.passes, "passes")
			// Not by a hair: the mean over cells, which sees the correlations.
			must.Be(t, c.passes || must.Get(r.P())(t)[0] <= 1e-6, "the mean over cells has p %v", must.Get(r.P())(t)[0])
		})
	}
}

// The quantities are functions of the cells, also where the data of an operator are fewer or more than these. Sums and
// differences of cells with their closed form are calibrated.
func TestSBCBehindOperators(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []float64
	}{
		{"two data of six cells", []float64{1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, -1}},
		{"eight data of six cells", []float64{
			1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0,
			0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, -1, 0, 0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			like := expfam.Likelihood{Family: expfam.Normal{SD: 0.7},
				Operator: &operator.Dense{Matrix: mat.NewDense(len(c.rows)/6, 6, c.rows)}}
			model := Joint{Prior: few, Likelihood: like}
			r := run(t, SBC{Model: model, Simulations: 150, Seed: 5,
				Sample: func(_ context.Context, obs expfam.Observations, seed uint64) (*expfam.Posterior, error) {
					exact, err := gp.Exact(few, like, obs)
					if err != nil {
						return nil, err
					}
					return exact.Sample(50, seed)
				}})
			got := fails(t, r)
			must.Be(t, got == nil, "%v fail", got)
			// Every cell is ranked, and none besides.
			_, obs := must.Get2(model.Simulate(1))(t)
			x0, seen := []float64{0, 1, 2, 3, 4, 5}, make(map[float64]bool)
			for k := range 200 {
				seen[RandomCell().Of(obs, expfam.Stream(uint64(k), "cells"))(x0)] = true
			}
			must.Equal(t, len(seen), 6, "of six cells", seen, "are ranked")
		})
	}
	for _, j := range []int{-1, 6} { // there are cells 0 to 5
		s := SBC{Model: Joint{Prior: few, Likelihood: normal}, Sample: exactly(func(_, _ []float64) {}),
			Quantities: []Quantity{Cell(j)}, Simulations: 1}
		must.Refuse(s.Run())(t, fmt.Sprintf("\"cell %d\" is NaN", j))
	}
	both := expfam.Together(normal, expfam.Likelihood{Family: expfam.Poisson{}})
	must.Refuse2((Joint{Prior: few, Likelihood: both}).Simulate(1))(t, "2 data sets together")
}

func TestSBCIsReproducibleAndInterruptible(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	model := Joint{Prior: few, Likelihood: normal}
	s := SBC{Model: model, Sample: exactly(func(_, _ []float64) {}), Simulations: 5, Seed: 4}
	all := run(t, s)
	done := 0
	s.Progress = func(k, total int, seconds float64) {
		must.Be(t, seconds > 0, "simulation %d took %g seconds", k, seconds)
		if done = k; k == 3 {
			cancel()
		}
	}
	part, err := s.RunContext(ctx)
	must.Be(t, errors.Is(err, expfam.ErrInterrupted) && strings.Contains(err.Error(), "3 of 5") && done == 3,
		"after %d: %v", done, err)
	for q := range all.Ranks {
		must.Equal(t, part.Ranks[q], all.Ranks[q][:3], all.Names[q], "of a part", all.Ranks[q], "of all")
	}
	s.Sample = func(context.Context, expfam.Observations, uint64) (*expfam.Posterior, error) {
		return nil, fmt.Errorf("diverged")
	}
	must.Refuse(s.Run())(t, "simulation 0: diverged")
}
