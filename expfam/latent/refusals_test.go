package latent_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/internal/must"
)

// rough is a covariance without small eigenvalues, as large as it has to be: it is not stored.
type rough int

func (r rough) Dims() (int, int)  { return int(r), int(r) }
func (r rough) T() mat.Matrix     { return r }
func (r rough) SymmetricDim() int { return int(r) }

func (r rough) At(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

// What would take too long or too much memory, and what has no posterior, is refused in one sentence before work
// begins.
func TestRefusals(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	sample := func(prior expfam.Prior) error {
		y := make([]float64, prior.Dim())
		_, err := diffusion.Sample(prior, like, must.Get(like.Observe1(y...))(t), diffusion.Sampler{Fresh: true})
		return err
	}
	// constrained are four independent nodes under constraints.
	constrained := func(columns ...latent.Column) error {
		e := latent.Effect{Nodes: 4, Terms: []latent.Term{{{Value: 1}, {Row: 1, Col: 1, Value: 1},
			{Row: 2, Col: 2, Value: 1}, {Row: 3, Col: 3, Value: 1}}}, Rows: [][]latent.Entry{{{Weight: 1}}, {{1, 1}},
			{{2, 1}}, {{3, 1}}}, Wide: columns, At: func([]float64) ([]float64, float64, error) {
			return append([]float64{1}, slices.Repeat([]float64{1e6}, len(columns))...), 0, nil
		}}
		mean := make([]float64, 4)
		forward := must.Get(like.Forward(4))(t)
		data := forward.LogLikelihood(must.Get(like.Observe1(1, 2, 0, 1))(t))
		_, err := latent.NewSparse(latent.Sum(mean, latent.Shared{}, e), data, mean)
		return err
	}
	apart := must.Get(graph.Edges(6, [][2]int{{0, 1}, {1, 2}, {4, 5}}))(t)
	for name, c := range map[string]struct {
		err  func() error
		says []string
	}{
		"10,000 dense cells": {func() error { _, _, err := latent.Eigen(rough(10000)); return err },
			[]string{"10000 cells", "3.3e+03 s", "2.4 GB", "gmrf.Prior"}},
		"5,000 dense areas": {func() error { _, _, err := latent.Eigen(rough(5000)); return err },
			[]string{"5000 cells", "4.2e+02 s", "0.6 GB", "package graph"}},
		"lattice of 512x512": {func() error {
			field := gmrf.Prior{Grid: grid.Grid{Rows: 512, Cols: 512}, Range: 10, SD: 1, LevelSD: 1}
			return sample(must.Get(field.Field())(t))
		}, []string{"262144 cells", " s and ", " GB", "coarser grid"}},
		"a line of a million cells": {func() error { return sample(gp.RBF{Cells: 1e6}) },
			[]string{"1000000 cells", "GB", "fewer cells"}},
		"a matrix of a million cells": {func() error { _, _, err := latent.Eigen(rough(1e6)); return err },
			[]string{"1000000 cells", " s and ", "GB", "fewer cells"}},
		"islands under ICAR": {func() error { return sample(gp.Unknown{Of: graph.ICAR{Neighbours: apart}}) },
			[]string{"without neighbours: 3", "BYM2"}},
		"the same constraint twice": {func() error {
			return constrained(latent.Column{{0, 1}, {1, 1}}, latent.Column{{2, 1}}, latent.Column{{1, -3}, {0, -3}})
		}, []string{"constraint 2 follows from the 2 before it"}},
		"constraints that leave one another no room": {func() error {
			return constrained(latent.Column{{0, 1}, {1, 1}}, latent.Column{{0, 1}, {1, -1}}, latent.Column{{0, 1}})
		}, []string{"constraint 2 follows", "leave it out"}},
		"more constraints than nodes": {func() error {
			return constrained(latent.Column{{0, 1}}, latent.Column{{1, 1}}, latent.Column{{2, 1}},
				latent.Column{{3, 1}}, latent.Column{{0, 1}, {1, 1}, {2, 1}, {3, 1}})
		}, []string{"constraint 4 follows"}},
		"a constraint of no weights": {func() error { return constrained(latent.Column{{0, 1}, {0, -1}}) },
			[]string{"constraint 0 has the squared length 0"}},
		"a constraint of an infinite weight": {func() error { return constrained(latent.Column{{0, math.Inf(1)}}) },
			[]string{"constraint 0 has the squared length +Inf"}},
		"a singular covariance among parts": {func() error {
			_, err := latent.Dense(make([]float64, 2), mat.NewSymDense(2, []float64{1, 1, 1, 1}))
			return err
		}, []string{"singular"}},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			err := c.err()
			if err == nil {
				t.Fatal("not refused")
			}
			t.Logf("%.2g s: %v", time.Since(began).Seconds(), err)
			for _, text := range c.says {
				must.Be(t, strings.Contains(err.Error(), text), "%v does not say %q", err, text)
			}
			must.Be(t, !strings.Contains(err.Error(), "\n") && !strings.HasSuffix(err.Error(), "."), "%v", err)
		})
	}
}
