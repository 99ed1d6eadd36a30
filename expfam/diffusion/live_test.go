package diffusion_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// liveSampler is small and in double precision.
func liveSampler(t testing.TB, guidance Guidance) Sampler {
	e := must.Get(engine.Open("go"))(t)
	return Sampler{Draws: 3, Seed: 5, Guidance: guidance, Engine: e, DType: dtypes.Float64, Fresh: true}
}

// What a live sampler draws with the constants as inputs is what a sampler draws with the constants compiled in, for
// every guidance; s = 1 and c = 0 are simplified in the one and not in the other.
func TestLiveIsSample(t *testing.T) {
	prior := gp.RBF{Cells: 4}
	exponentials := []expfam.Constants{{"c": 0, "s": 1}, {"c": 1.5, "s": 1}, {"c": -0.5, "s": 0.4}}
	for _, c := range []struct {
		name   string
		g      Guidance
		family expfam.Family
		link   string
		values []expfam.Constants
		y      []float64
	}{
		{"quadrature", Quadrature{}, expfam.Poisson{}, "exp(c+s*x)", exponentials, []float64{2, 0, 1, 4}},
		{"quadrature/scaled", Quadrature{}, expfam.Poisson{}, "k*sigmoid(s*x)",
			[]expfam.Constants{{"k": 8, "s": 1}, {"k": 5, "s": 3}}, []float64{2, 0, 1, 4}},
		{"quadrature/falling", Quadrature{}, expfam.Exponential{}, "1/exp(s*x)", []expfam.Constants{{"s": 1}, {"s": 2}},
			[]float64{2, 0.3, 1, 4}},
		{"quadrature/bernoulli", Quadrature{}, expfam.Bernoulli{}, "sigmoid(s*x)",
			[]expfam.Constants{{"s": 1}, {"s": 5}}, []float64{1, 0, 1, 1}},
		{"independent", Quadrature{Independent: true}, expfam.Poisson{}, "exp(c+s*x)", exponentials,
			[]float64{2, 0, 1, 4}},
		{"evidence", Evidence{}, expfam.Poisson{}, "exp(c+s*x)", exponentials, []float64{2, 0, 1, 4}},
		{"corrected", Corrected{}, expfam.Poisson{}, "exp(c+s*x)", exponentials, []float64{2, 0, 1, 4}},
		{"delta", Delta{}, expfam.Poisson{}, "exp(c+s*x)", exponentials, []float64{2, 0, 1, 4}},
		{"dps", DPS{}, expfam.Normal{}, "c+s*x", exponentials, []float64{2, 0, 1, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			live := &Live{Prior: prior, Sampler: liveSampler(t, c.g)}
			defer live.Close()
			for i, values := range c.values {
				like := expfam.Likelihood{Family: c.family, Link: expfam.MustLink(c.link, values)}
				obs := observe(t, like, c.y...)
				got := must.Get(live.Sample(like, obs))(t)
				must.Equal(t, got.Info.Compile > 0, i == 0, values, "compiled is")
				want := must.Get(Sample(prior, like, obs, live.Sampler))(t)
				// The order of a few operations differs: 1e-16 each, times what 30 steps amplify.
				sameDraws(t, values, got.X, want.X, 1e-9)
				for draw := range 3 {
					for j := range 4 {
						a, b := got.At(draw, j), like.Link.At(got.X.At(draw, j))
						must.Be(t, a == b, "%v: theta of draw %d is %v, the link has %v", values, draw, a, b)
					}
				}
			}
		})
	}
}

// A Go function as link gives the draws of its formula, whose noise is the same.
func TestTableLinkSamples(t *testing.T) {
	draws := func(link expfam.Link, guide Guidance) *mat.Dense {
		like := expfam.Likelihood{Family: expfam.Poisson{}, Link: link}
		s := Sampler{Draws: 20, Seed: 1, Engine: enginetest.Fast(t), Guidance: guide, Fresh: true}
		return expfam.Must(Sample(gp.RBF{Cells: 6}, like, observe(t, like, 3, 1, 0, 9, 4, 2), s)).X
	}
	table := expfam.Must(expfam.TableLink("growth", func(x float64) float64 { return math.Exp(1 + x) }))
	for _, guide := range []Guidance{Quadrature{}, Evidence{}, Delta{}} {
		// The tables are interpolated in float32.
		sameDraws(t, guide, draws(table, guide), draws(expfam.MustLink("exp(1+x)"), guide), 2e-3)
	}
}

func TestLiveKeeps(t *testing.T) {
	live := &Live{Prior: gp.RBF{Cells: 2}, Sampler: liveSampler(t, nil), Keep: 2}
	defer live.Close()
	rise := expfam.Must(expfam.TableLink("rise", math.Exp))
	for i, c := range []struct {
		link    expfam.Link
		compile bool
	}{
		{expfam.MustLink("exp(c+x)", expfam.Constants{"c": 1}), true},
		{expfam.MustLink("softplus(x)"), true},
		{expfam.MustLink("exp(c+x)", expfam.Constants{"c": 2, "unused": 0}), false}, // kept
		{rise, true}, // displaces softplus
		{rise, false},
		{expfam.Must(expfam.TableLink("rise", math.Exp)), false}, // the same values
		// same name, another function
		{expfam.Must(expfam.TableLink("rise", func(x float64) float64 { return math.Exp(2 * x) })), true},
		{expfam.MustLink("softplus(x)"), true},
	} {
		like := expfam.Likelihood{Family: expfam.Poisson{}, Link: c.link}
		post := must.Get(live.Sample(like, observe(t, like, 3, 1)))(t)
		must.Equal(t, post.Info.Compile > 0, c.compile, i, c.link, "compiled is")
	}
	if _, err := live.Sample(expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("1+x^2")},
		make(expfam.Observations, 2)); err == nil {
		t.Error("a link that turns was accepted")
	}
	lengths, _ := newLengths(t, 2, 1, []float64{0})
	for _, prior := range []expfam.Prior{lengths, gp.Unknown{Of: gp.RBF{Cells: 2}}} {
		other := &Live{Prior: prior, Sampler: live.Sampler}
		must.Refuse(other.Sample(normal, make(expfam.Observations, prior.Dim())))(t,
			"unknown parameters, which Live does not draw; take Sample")
	}
	live.Sampler.Guidance = Delta{}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("softplus(x)")}
	post, err := live.Sample(like, observe(t, like, 3, 1))
	must.Be(t, err == nil && post.Info.Compile != 0, "another guidance took the old graphs: %v", err)
	// A family that embeds another has its text and other formulas.
	renamed := expfam.Likelihood{Family: waiting{}, Link: like.Link}
	post, err = live.Sample(renamed, observe(t, like, 3, 1))
	must.Be(t, err == nil && post.Info.Compile != 0, "another family of the same text took the old graphs: %v", err)
}

// waiting is called poisson and has the formulas of the exponential.
type waiting struct{ expfam.Poisson }

func (waiting) Natural() expfam.Natural { return expfam.Exponential{}.Natural() }

// Each call has the Watch, the Progress and the Plan that it was given, though the graphs stay compiled.
func TestLiveIsWatched(t *testing.T) {
	live := &Live{Prior: gp.RBF{Cells: 4}, Sampler: liveSampler(t, Delta{})}
	defer live.Close()
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := observe(t, like, 2, 0, 1, 4)
	var watched, progressed, planned [2]int
	for i := range 2 {
		live.Sampler.Plan = func(Plan) { planned[i]++ }
		live.Sampler.Watch = func(int, float64, *expfam.Draws) { watched[i]++ }
		live.Sampler.Progress = func(int, int, float64) { progressed[i]++ }
		must.Get(live.Sample(like, obs))(t)
	}
	must.Be(t, watched[0] != 0 && watched[1] == watched[0] && progressed == watched && planned == [2]int{1, 1},
		"watched %v, progress %v, planned %v", watched, progressed, planned)
}

// A call draws what its own fields ask for, although the graphs of an earlier call serve it: another part of a run, and
// an operator whose numbers the caller has changed in their slice.
func TestLiveFollowsItsFields(t *testing.T) {
	const cells = 3
	same := func(t *testing.T, live *Live, like expfam.Likelihood, obs expfam.Observations, compile bool) {
		t.Helper()
		got := must.Get(live.Sample(like, obs))(t)
		want := must.Get(Sample(live.Prior, like, obs, live.Sampler))(t)
		sameDraws(t, got.Info.First, got.X, want.X, 1e-9) // the order of a few operations may differ
		must.Equal(t, got.Info.First, want.Info.First, "the first draw has number")
		must.Equal(t, got.Info.Compile > 0, compile, "compiled is")
	}
	newLive := func(t *testing.T) *Live {
		live := &Live{Prior: gp.RBF{Cells: cells}, Sampler: liveSampler(t, nil)}
		t.Cleanup(live.Close)
		return live
	}
	t.Run("first", func(t *testing.T) {
		live, like := newLive(t), expfam.Likelihood{Family: expfam.Poisson{}}
		obs := observe(t, like, 2, 0, 1)
		same(t, live, like, obs, true)
		live.Sampler.First = 5
		same(t, live, like, obs, false)
	})
	t.Run("precise data", func(t *testing.T) { // which need another graph
		live, like := newLive(t), expfam.Likelihood{Family: expfam.Normal{}}
		live.Sampler.Method = Restarts{}
		sharp := expfam.Observations{{Stat: 2e4, Size: 1e4}, {Stat: 1e4, Size: 1e4}, {Stat: 1e4, Size: 1e4}}
		same(t, live, like, observe(t, like, 2, 0, 1), true)
		same(t, live, like, sharp, true)
		same(t, live, like, sharp, false)
	})
	t.Run("slice", func(t *testing.T) {
		live, each := newLive(t), []float64{1, 2, 3}
		like := expfam.Likelihood{Family: expfam.Normal{}, Operator: operator.Offset{Of: &operator.Select{Cells: cells},
			Each: each}}
		obs := observe(t, like, 2, 0, 1)
		same(t, live, like, obs, true)
		same(t, live, like, obs, false)
		each[1] = -4
		same(t, live, like, obs, true)
	})
	t.Run("together", func(t *testing.T) {
		live := newLive(t)
		one := expfam.Likelihood{Family: expfam.Poisson{}}
		two := expfam.Likelihood{Family: expfam.Normal{},
			Link: expfam.Must(expfam.TableLink("twice", func(x float64) float64 { return 2 * x }))}
		like := expfam.Together(one, two)
		obs := slices.Concat(observe(t, one, 2, 0, 1), observe(t, two, 1, 1, 1))
		same(t, live, like, obs, true)
		same(t, live, expfam.Together(one, two), obs, false)
		two.Link = expfam.Must(expfam.TableLink("twice", func(x float64) float64 { return -2 * x }))
		same(t, live, expfam.Together(one, two), obs, true)
	})
}
