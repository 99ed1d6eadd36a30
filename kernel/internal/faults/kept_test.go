package faults

import (
	"reflect"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	priors "github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/keep"
)

// A posterior that one cell keeps is the same one in the next: draws, likelihood, certificate and parameters.
func TestKeptPosteriors(t *testing.T) {
	table := must.Get(expfam.TableLink("cube", func(x float64) float64 { return x*x*x/9 + x }))(t)
	known := map[string]reflect.Type{}
	for _, x := range []any{expfam.Poisson{}, expfam.Normal{}, expfam.NB2{}, priors.HalfNormal{},
		operator.Convolution{}, operator.Box{}} {
		of := reflect.TypeOf(x)
		known[of.PkgPath()+"."+of.Name()] = of
	}
	for name, value := range keep.Unnamed {
		must.Equal(t, value, "IdentityLink", name)
		known[name] = reflect.TypeOf(expfam.IdentityLink).Elem()
	}
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
		"unknown": {expfam.Likelihood{Family: expfam.NB2{}, Link: expfam.ExpLink,
			Unknown: priors.Laws{"dispersion": priors.HalfNormal{SD: 1}}}, ""},
		"table": {expfam.Likelihood{Family: expfam.Normal{SD: .5}, Link: table}, "it holds an expfam.tableLink"},
	} {
		obs := must.Get(c.like.Observe1(1, 2, 3))(t)
		post := must.Get(diffusion.Sample(gp.RBF{Cells: 3}, c.like, obs, diffusion.Sampler{Draws: 20, Fresh: true}))(t)
		mean, dir := post.Mean(), t.TempDir() // Mean fills the caches, which are left out
		keep.In(dir, "1").Save("post", &post)
		must.Equal(t, keep.Why(dir, "post"), c.why, name)
		if c.why != "" {
			continue
		}
		var types []reflect.Type
		for _, full := range must.Get(keep.Look(dir, "post"))(t).Names {
			must.Be(t, known[full] != nil, "%s: %s", name, full)
			types = append(types, known[full])
		}
		var again *expfam.Posterior
		must.Be(t, keep.In(dir, "2", types...).Load("post", &again), "%s: not loaded", name)
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
