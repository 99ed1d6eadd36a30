package faults

import (
	"reflect"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	priors "github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/keep"
)

// A posterior that one cell keeps is the same one in the next: draws, likelihood, certificate and parameters.
func TestKeptPosteriors(t *testing.T) {
	table := must.Get(expfam.TableLink("cube", func(x float64) float64 { return x*x*x/9 + x }))(t)
	kinds := []reflect.Type{reflect.TypeFor[expfam.Poisson](), reflect.TypeFor[expfam.Normal](),
		reflect.TypeFor[expfam.NB2](), reflect.TypeFor[priors.HalfNormal](), reflect.TypeFor[operator.Convolution](),
		reflect.TypeFor[operator.Box](), reflect.TypeFor[graph.Sum](), reflect.TypeFor[graph.Group]()}
	villages := &graph.Sum{Terms: []graph.Term{graph.Group{Name: "village", Of: []string{"a", "b", "c"}}}}
	blur := &operator.Convolution{Cols: 3, Kernel: operator.Box{}}
	for name, c := range map[string]struct {
		like expfam.Likelihood
		why  string // it is not kept
	}{
		"a link":  {expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}, ""},
		"no link": {expfam.Likelihood{Family: expfam.Normal{SD: .5}}, ""},
		"constants": {expfam.Likelihood{Family: expfam.Poisson{},
			Link: expfam.MustLink("exp(s*x-c)", expfam.Constants{"s": 1 / 3., "c": -.1})}, ""},
		"operator": {expfam.Likelihood{Family: expfam.Normal{SD: .5}, Operator: blur}, ""},
		"sum":      {expfam.Likelihood{Family: expfam.Normal{SD: .5}, Operator: villages}, ""},
		"unknown": {expfam.Likelihood{Family: expfam.NB2{}, Link: expfam.ExpLink,
			Unknown: priors.Laws{"dispersion": priors.HalfNormal{SD: 1}}}, ""},
		"table": {expfam.Likelihood{Family: expfam.Normal{SD: .5}, Link: table},
			"it holds a function with variables or type parameters of its own"},
	} {
		obs := must.Get(c.like.Observe1(1, 2, 3))(t)
		post := must.Get(diffusion.Sample(gp.RBF{Cells: 3}, c.like, obs, diffusion.Sampler{Draws: 20, Fresh: true}))(t)
		mean, dir := post.Mean(), t.TempDir() // Mean fills the caches, which are left out
		m := keep.Open(dir, 1)
		m.Define("post", &post)
		m.End()
		must.Equal(t, must.Get(keep.Read(dir))(t).Roots["post"].Why, c.why, name)
		if c.why != "" {
			continue
		}
		var again *expfam.Posterior
		keep.Open(dir, 2).Types(kinds...).Load("post", &again)
		for what, pair := range map[string][2]any{"draws": {post.X, again.X}, "info": {post.Info, again.Info},
			"parameters": {post.Parameters, again.Parameters}, "mean": {mean, again.Mean()},
			"likelihood": {post.Likelihood.String(), again.Likelihood.String()},
			"laws":       {post.Likelihood.Unknown, again.Likelihood.Unknown}} {
			must.Be(t, reflect.DeepEqual(pair[0], pair[1]), "%s: other %s: %v and %v", name, what, pair[0], pair[1])
		}
		first := must.Get(must.Get(post.Likelihood.Terms())(t).Forward(3))(t)
		second := must.Get(must.Get(again.Likelihood.Terms())(t).Forward(3))(t)
		must.Equal(t, second.Fingerprint(), first.Fingerprint(), name)
	}
}
