package joint_test

import (
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/internal/must"
)

// Draws of many cells that three machines share, sent through files, are those of one, with its certificate, although
// no share has draws enough for a certificate of its own.
func TestSharesOfAreas(t *testing.T) {
	var pairs [][2]int // a lattice of 11 rows and 12 columns
	for i := range 132 {
		if i%12 > 0 {
			pairs = append(pairs, [2]int{i - 1, i})
		}
		if i >= 12 {
			pairs = append(pairs, [2]int{i - 12, i})
		}
	}
	areas := must.Get(graph.Edges(132, pairs))(t)
	few := must.Get(graph.Edges(8, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}}))(t)
	for name, prior := range map[string]expfam.Prior{
		"unknown numbers": gp.Unknown{Of: graph.BYM2{Neighbours: areas, LevelSD: 3}},
		"areas by times": gp.Unknown{Of: graph.SpaceTime{Time: graph.Walk{Cells: 20}, Area: graph.BYM2{Neighbours: few},
			Interaction: graph.TypeII, LevelSD: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
			obs := make(expfam.Observations, prior.Dim())
			for j := range obs {
				obs[j] = expfam.Term{Stat: math.Round(2 + 2*math.Sin(float64(j))), Size: 2}
			}
			whole := diffusion.Sampler{Draws: 105, Seed: 3, Fresh: true}
			want := must.Get(diffusion.Sample(prior, like, obs, whole))(t)
			var parts []*expfam.Posterior
			for i := range 3 {
				part := must.Get(diffusion.Sample(prior, like, obs, must.Get(whole.Share(i, 3))(t)))(t)
				path := filepath.Join(t.TempDir(), "share")
				must.Do(t, part.Save(path))
				parts = append(parts, must.Get(expfam.LoadPosterior(path, like))(t))
			}
			got := must.Get(expfam.Merge(parts...))(t)
			must.Be(t, mat.Equal(got.X, want.X), "the shares are not the whole")
			must.Be(t, reflect.DeepEqual(got.Parameters, want.Parameters), "parameters of the shares are others")
			must.Be(t, want.Info.Certificate != nil && reflect.DeepEqual(got.Info.Certificate, want.Info.Certificate) &&
				got.Info.Uncertified == "", "certificate %v (%s), want %v", got.Info.Certificate, got.Info.Uncertified,
				want.Info.Certificate)
		})
	}
}
