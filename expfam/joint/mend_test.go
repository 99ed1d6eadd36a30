package joint

import (
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/internal/must"
)

// complete is a prior without unknown parameters, which gp.Unknown refuses.
type complete struct{ gp.Unknown }

func (complete) Check() error { return nil }

// Draws of Laplace's approximation whose certificate is wrong are made anew with transitions, once, and agree then.
func TestMend(t *testing.T) {
	const side = 24
	prior := complete{gp.Unknown{Of: graph.BYM2{Neighbours: rook(t, side, side), SD: 0.4,
		Mixing: 0.9, LevelSD: 1}}}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	y := make([]float64, side*side)
	for i := range y {
		y[i] = float64(5 + i%7)
	}
	obs := must.Get(like.Observe1(y...))(t)
	m := must.Get(newModel(prior, like, obs))(t)
	m.approximate = true
	r := must.Get(m.run(must.Get(m.explore(t.Context()))(t), Options{Draws: 200, Seed: 1}))(t)
	first := must.Get(r.posterior(t.Context()))(t)
	must.Equal(t, r.steps, 0, "transitions")
	must.Be(t, !r.mend(first.Info.Certificate), "mends draws that agree: %v", first.Info.Certificate)
	must.Need(t, r.mend(&expfam.Certificate{Far: 1}), "does not mend draws that are wrong")
	again := must.Get(r.posterior(t.Context()))(t)
	must.Equal(t, again.Info.Diagnostics["steps"], float64(mended), "transitions")
	must.Equal(t, again.Info.Certificate.Verdict(), "agrees", again.Info.Certificate)
	must.Be(t, !r.mend(&expfam.Certificate{Far: 1}), "mends twice")
}
