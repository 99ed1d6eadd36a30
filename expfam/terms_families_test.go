package expfam_test

import (
	"math"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/must"
)

// linksOf are links that fit a family's interval, beside its default.
func linksOf(n expfam.Natural) []expfam.Link {
	switch {
	case math.IsInf(n.Low, -1):
		return []expfam.Link{nil, expfam.MustLink("2-x/3"), expfam.MustLink("x+tanh(x)/2")}
	case math.IsInf(n.High, 1):
		return []expfam.Link{nil, expfam.MustLink("exp(2+x)"), expfam.MustLink("1/exp(x)"),
			expfam.MustLink("softplus(x)")}
	}
	return []expfam.Link{nil, expfam.MustLink("sigmoid(5*x)"), expfam.MustLink("normcdf(x)"),
		expfam.MustLink("1-exp(-exp(x))")}
}

// Every family with several links: the float32 graph against the family's own
// log-likelihood at θ = g⁻¹(x), and finite where x is extreme.
func TestTermsOfFamilies(t *testing.T) {
	eng := must.Get(engine.Open("go"))(t)
	eachFamily(t, func(t *testing.T, c familyCase) {
		term := must.Get(c.f.Reduce(c.y[0], expfam.Known{}))(t)
		for _, link := range linksOf(c.f.Natural()) {
			like := expfam.Likelihood{Family: c.f, Link: link}
			t.Run(like.String(), func(t *testing.T) {
				terms := must.Get(like.Terms())(t)
				exec := must.Get(g.NewExec(eng.Backend, func(x *g.Node) []*g.Node {
					v, s, h := terms.Graph(x, g.Scalar(x.Graph(), x.DType(), term.Stat),
						g.Scalar(x.Graph(), x.DType(), term.Size))
					return []*g.Node{v, s, h, terms.Coordinate()(x)}
				}))(t)
				x := []float32{-2.5, -1, 0, 0.5, 2, -12, 12}
				theta := make([]float64, len(x))
				x64 := make([]float64, len(x))
				for i, v := range x {
					x64[i] = float64(v)
				}
				inverse := link
				if inverse == nil {
					inverse = c.f.DefaultLink()
				}
				for i, v := range x64 {
					theta[i] = inverse.At(v)
				}
				out := must.Get(exec.Call(x))(t)
				u := c.f.Conjugate().Coordinate()
				for i, v := range x64 {
					value := float64(out[0].Value().([]float32)[i]) + term.Base
					for k, o := range out {
						f := float64(o.Value().([]float32)[i])
						must.Be(t, !math.IsNaN(f) && !math.IsInf(f, 0), "output %d at %v is %v", k, v, f)
					}
					if math.Abs(v) > 3 {
						continue // θ itself is too close to an end to compare with
					}
					// 1e-5: the two parts of a term, each known to a few ulp of
					// float32, are up to 50 times their difference.
					if want := c.f.Natural().
						LogLikelihood(term, theta[i]); math.Abs(value-want) > 1e-5*(1+math.Abs(want)) {
						t.Errorf("value at %v: got %v, want %v", v, value, want)
					}
					if got, want := terms.LogLik(v, term), value; math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
						t.Errorf("host value at %v: %v, graph %v", v, got, want)
					}
					if got, want := float64(out[3].Value().([]float32)[i]),
						u.Eval(theta[i]); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
						t.Errorf("coordinate at %v: got %v, want %v", v, got, want)
					}
				}
			})
		}
	})
}
