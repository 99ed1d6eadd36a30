package latent_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/sparse"
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
	z, variances := a.Moments(nil)
	mean := make([]float64, 30)
	a.Place(z, mean)
	for i := range mean {
		// A constraint leaves a millionth of the variance.
		must.Absolute(t, fmt.Sprintf("mean of cell %d", i), mean[i], want.Mean[i], 1e-5)
		must.Absolute(t, fmt.Sprintf("variance of cell %d", i), variances[i], want.Cov.At(i, i), 1e-5)
	}
}

// Counts of many cells with effects of their own shift a level that they share by several of its standard deviations
// off its mode, because each count is skewed to the same side. The exact mean of the level is a quadrature: given the
// level the cells are independent.
func TestMomentsOfSharedLevel(t *testing.T) {
	const n, own = 3000, 0.6
	var pairs [][2]int
	f := &latent.Field{Rows: make([][]latent.Entry, n), Offset: make([]float64, n)}
	p := poisson{y: make([]float64, n), rows: make([][]latent.Entry, n)}
	rng := expfam.Stream(1, "level")
	for i := range n {
		pairs = append(pairs, [2]int{n, i})
		f.Rows[i] = []latent.Entry{{Node: i, Weight: 1}, {Node: n, Weight: 1}}
		p.rows[i] = []latent.Entry{{Node: i, Weight: 1}}
		p.y[i] = expfam.Poisson{}.Rand(math.Exp(0.5+own*rng.NormFloat64()), expfam.Given(1), rng)
	}
	f.Pattern = sparse.New(n+1, pairs)
	f.Fill = func(_, q, _ []float64) (float64, error) {
		for i := range n {
			q[f.Pattern.Index(i, i)] = 1 / (own * own)
		}
		q[f.Pattern.Index(n, n)] = 1
		return 0, nil
	}
	a := must.Get(must.Get(latent.NewSparse(f, p, f.Offset))(t).Mode(context.Background(), nil, p))(t)
	must.Do(t, a.Whiten())
	mean, got := a.Node(n)

	times := map[float64]float64{}
	for _, y := range p.y {
		times[y]++
	}
	logP := func(level float64) float64 {
		sum := -level * level / 2
		for y, times := range times {
			sum += times * math.Log(quad.Fixed(func(e float64) float64 {
				return math.Exp(y*(level+e)-math.Exp(level+e)-e*e/(2*own*own)) * math.Exp(y)
			}, -6*own, 6*own, 120, nil, 0))
		}
		return sum
	}
	var total, first, second float64
	for k := -40; k <= 40; k++ {
		level := mean + float64(k)*got/8
		v := math.Exp(logP(level) - logP(mean))
		total, first, second = total+v, first+v*level, second+v*level*level
	}
	want := first / total
	sd := math.Sqrt(second/total - want*want)
	// What first order leaves is a share of the shift as small as the skewness of a cell.
	must.Absolute(t, "mean", mean, want, 0.15*sd)
	must.Relative(t, "sd", got, sd, 0.05)
	must.Be(t, a.Mode[n]-want > 2*got, "the mean is %.2g sd below the mode", (a.Mode[n]-want)/got)
}
