package latent_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/internal/must"
)

// Under Normal data the moments are those of the posterior in closed form, with constraints and cells without data: on
// a graph whose sums to 0 are columns beside the sparse matrix.
func TestMomentsAreExactForNormalData(t *testing.T) {
	var pairs [][2]int
	for i := range 29 {
		pairs = append(pairs, [2]int{i, i + 1})
		if i > 4 {
			pairs = append(pairs, [2]int{i - 5, i})
		}
	}
	prior := graph.BYM2{Neighbours: must.Get(graph.Edges(30, pairs))(t), SD: 0.7, Mixing: 0.4, Level: 1, LevelSD: 2}
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}}
	y := make([]float64, 30)
	for i := range y {
		if y[i] = math.Sin(float64(i)); i%4 == 1 {
			y[i] = math.NaN()
		}
	}
	obs := must.Get(like.Observe1(y...))(t)
	want := must.Get(gp.Exact(must.Get(prior.Gaussian())(t), like, obs))(t)
	f := must.Get(prior.Sparse())(t)
	data := must.Get(like.Forward(30))(t).LogLikelihood(obs)
	s := must.Get(latent.NewSparse(f, data, f.Offset))(t)
	a := must.Get(s.Mode(context.Background(), nil, data, nil))(t)
	must.Do(t, a.Whiten())
	z, variances := a.Moments()
	mean := make([]float64, 30)
	a.Place(z, mean)
	for i := range mean {
		// A constraint leaves a millionth of the variance.
		must.Absolute(t, fmt.Sprintf("mean of cell %d", i), mean[i], want.Mean[i], 1e-5)
		must.Absolute(t, fmt.Sprintf("variance of cell %d", i), variances[i], want.Cov.At(i, i), 1e-5)
	}
}
