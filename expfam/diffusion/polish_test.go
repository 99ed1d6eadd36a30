package diffusion_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// Draws under a prior of more than 1024 modes take transitions too, the same in every batch, and the certificate agrees
// with them.
func TestTransitionsOfManyModes(t *testing.T) {
	rows, cols, draws := 36, 30, 100
	if *fulltest.Full {
		rows, cols, draws = 48, 40, 500
	}
	field := must.Get(gmrf.Prior{Grid: grid.Grid{Rows: rows, Cols: cols}, Range: 6, SD: 1, Nugget: 0.1,
		LevelSD: 1}.Field())(t)
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	truth := make([]float64, field.Dim())
	field.Draw(expfam.Stream(3, "many"), truth)
	data := must.Get(like.Simulate(must.Get(like.Theta(truth))(t), nil, 1, 3))(t)
	for j := range truth {
		if j%3 == 0 {
			data.Y[0][j] = math.NaN()
		}
	}
	obs := must.Get(like.Observe(data))(t)
	s := Sampler{Draws: draws, Seed: 1, Fresh: true, Engine: enginetest.Fast(t)}
	post := must.Get(Sample(field, like, obs, s))(t)
	if c := post.Info.Certificate; c.Verdict() != "agrees" || post.Info.Diagnostics["transitions"] < 3 {
		t.Errorf("%v, %v", c, post.Info.Diagnostics)
	}
	s.Draws, s.Batch = draws/5, draws/10
	some := must.Get(Sample(field, like, obs, s))(t)
	var off mat.Dense
	off.Sub(some.X, post.X.Slice(0, s.Draws, 0, field.Dim()))
	// Engines round blocks of other sizes in another way.
	gap := mat.Norm(&off, 2)
	must.Be(t, gap <= 1e-3*mat.Norm(some.X, 2), "draws of smaller batches are %g off", gap)
}
