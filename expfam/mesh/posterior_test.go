package mesh_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/mesh"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// quantities are moments of the posterior: of the scores of the parameters, and then of the cells.
type quantities struct{ mean, sd []float64 }

// moments returns the moments of draws.
func moments(parameters []law.Parameter, post *expfam.Posterior) (q quantities) {
	add := func(x []float64) {
		m, s := stat.MeanStdDev(x, nil)
		q.mean, q.sd = append(q.mean, m), append(q.sd, s)
	}
	draws, cells := post.Dims()
	for k, p := range parameters {
		scores := make([]float64, draws)
		for i, v := range post.Parameters[k].Draws {
			scores[i] = law.Score(p.Law, v)
		}
		add(scores)
	}
	x := make([]float64, draws)
	for j := range cells {
		for i := range x {
			x[i] = post.X.At(i, j)
		}
		add(x)
	}
	return q
}

// compare logs and checks mean distances of two posteriors, and their mean widths.
func compare(t *testing.T, got, want quantities, parameters int, tolerance float64) {
	t.Helper()
	var off, width float64
	for k := range want.mean {
		o, w := math.Abs(got.mean[k]-want.mean[k])/want.sd[k], got.sd[k]/want.sd[k]
		if k < parameters {
			t.Logf("parameter %d: off %.3f sd, width %.3f", k, o, w)
			if o > tolerance || math.Abs(w-1) > tolerance {
				t.Errorf("parameter %d: off %.3f sd, width %.3f", k, o, w)
			}
			continue
		}
		off, width = off+o/float64(len(want.mean)-parameters), width+w/float64(len(want.mean)-parameters)
	}
	t.Logf("cells: mean distance %.3f sd, mean width %.3f", off, width)
	if off > tolerance/2 || math.Abs(width-1) > tolerance/2 {
		t.Errorf("cells: mean distance %.3f sd, mean width %.3f", off, width)
	}
}

// TestNormal: under normal data the posterior of the field and of range and sd is the closed form of dense matrices,
// integrated by quadrature over their scores. The tolerance is five standard errors.
func TestNormal(t *testing.T) {
	draws := fulltest.N(1000, 4000)
	for name, d := range domains(t) {
		if !*fulltest.Full && name == "mesh" {
			continue
		}
		field := mesh.Matern{On: d, Barrier: true, LevelSD: 2}
		prior := gp.Unknown{Of: field}
		like := expfam.Likelihood{Family: expfam.Normal{SD: 0.4}}
		truth := field
		truth.Range, truth.SD = 5, 1
		x, rng := make([]float64, d.Dim()), expfam.Stream(3, name)
		must.Get(truth.Gaussian())(t).Draw(rng, x)
		for j := range x {
			if x[j] += 0.4 * rng.NormFloat64(); j%3 > 0 {
				x[j] = math.NaN()
			}
		}
		obs := must.Get(like.Observe1(x...))(t)
		post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: 1, Fresh: true}))(t)
		t.Logf("%s: %d cells, %.2f s, alarm %q", name, d.Dim(), post.Info.Seconds, post.Alarm())

		var logs []float64
		var parts []*gp.Conditional
		var scores [][2]float64
		// Nodes up to 4.2 sd from the middle of the draws, at steps of 1.05 sd. Sums of a normal density at such nodes
		// are its integrals to five digits.
		got := moments(prior.Parameters(), post)
		node := func(k int, z float64) float64 { return got.mean[k] + z*got.sd[k] }
		for z := -4.2; z < 4.3; z += 1.05 {
			for w := -4.2; w < 4.3; w += 1.05 {
				a, b := node(0, z), node(1, w)
				mean, cov := must.Get2(prior.Normal(law.Values(prior.Parameters(), []float64{a, b})))(t)
				c := must.Get(gp.Exact(must.Get(gp.New(mean, cov))(t), like, obs))(t)
				logs, parts = append(logs, c.LogEvidence-(a*a+b*b)/2), append(parts, c)
				scores = append(scores, [2]float64{a, b})
			}
		}
		total := floats.LogSumExp(logs)
		want := quantities{make([]float64, 2+d.Dim()), make([]float64, 2+d.Dim())}
		for i, l := range logs {
			w := math.Exp(l - total)
			for k, v := range append(scores[i][:], parts[i].Mean...) {
				want.mean[k] += w * v
				if want.sd[k] += w * v * v; k > 1 {
					want.sd[k] += w * parts[i].Cov.At(k-2, k-2)
				}
			}
		}
		for k, m := range want.mean {
			want.sd[k] = math.Sqrt(want.sd[k] - m*m)
		}
		t.Log(want.mean[:2], want.sd[:2])
		compare(t, got, want, 2, 5/math.Sqrt(float64(draws)))
	}
}

// unsparse hides the sparse precision of a family, so that package joint takes the dense covariance.
type unsparse struct{ gp.Family }

// TestCounts: under counts Laplace's approximation on 200 nodes, whose evidence weighs the numbers, is that
// of dense matrices. With -full, draws are those of dense matrices, and of long chains of Hamiltonian Monte Carlo.
func TestCounts(t *testing.T) {
	m := must.Get(mesh.Outline{Rings: island(), Edge: 1.25, Margin: 1.5}.Mesh())(t)
	field := mesh.Matern{On: m, Barrier: true, LevelSD: 2}
	like, obs := counts(t, m)
	tuner := must.Get(like.Tuner(m.Dim(), obs, nil))(t)
	data := must.Get(tuner(nil))(t)
	f := must.Get(field.Sparse())(t)
	model := must.Get(latent.NewSparse(f, data, f.Offset))(t)
	var off []float64
	for _, values := range [][]float64{{3, 1.5}, {8, 0.6}, {60, 1}} {
		mean, cov := must.Get2(field.Given(values))(t)
		root := must.Get(latent.Cholesky(cov))(t)
		dense := must.Get(latent.LaplaceOf(mean, cov, data))(t)
		around := must.Get(model.Mode(t.Context(), values, data, nil))(t)
		off = append(off, around.LogEvidence()-dense.LogEvidence)
		mode, x := must.Get(latent.ByLaplace(mean, root, data))(t), [2][]float64{}
		for k := range x {
			x[k] = make([]float64, m.Dim())
		}
		mode.Place(make([]float64, mode.Rank()), x[0])
		f.Place(around.Mode, x[1])
		must.Absolute(t, "the largest difference of the modes", floats.Distance(x[0], x[1], math.Inf(1)), 0, 1e-4)
	}
	must.Absolute(t, "log evidence", off[1], off[0], 1e-4)
	must.Absolute(t, "log evidence", off[2], off[0], 1e-4)

	if !*fulltest.Full {
		return
	}
	m = must.Get(mesh.Outline{Rings: island(), Edge: 3, Margin: 0.5}.Mesh())(t)
	prior := gp.Unknown{Of: mesh.Matern{On: m, Barrier: true, LevelSD: 2}, Laws: law.Laws{
		"range": law.LogNormal{Median: 6, SD: 0.5}}}
	like, obs = counts(t, m)
	const draws = 1000
	post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: 1, Fresh: true}))(t)
	t.Logf("%d nodes, %.2f s, alarm %q", m.Dim(), post.Info.Seconds, post.Alarm())
	by := must.Get(joint.Sample(gp.Unknown{Of: unsparse{prior.Of}, Laws: prior.Laws}, like, obs, joint.Options{
		Draws: draws, Seed: 2, Fresh: true}))(t)
	t.Logf("dense: %.2f s", by.Info.Seconds)
	compare(t, moments(prior.Parameters(), post), moments(prior.Parameters(), by), 2, 5*math.Sqrt(2./draws))

	// A range within a hundredth of 5 is as good as known.
	prior = gp.Unknown{Of: mesh.Matern{On: m, Barrier: true, LevelSD: 2, SD: 1}, Laws: law.Laws{
		"range": law.LogNormal{Median: 5, SD: 0.01}}}
	post = must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: 1, Fresh: true}))(t)
	known := must.Get(mesh.Matern{On: m, Barrier: true, LevelSD: 2, SD: 1, Range: 5}.Gaussian())(t)
	chain := must.Get(hmc.Sample(known, like, obs, hmc.Options{Seed: 2, Fresh: true}))(t)
	t.Logf("chains: %.1f s", chain.Info.Seconds)
	compare(t, moments(nil, post), moments(nil, chain), 0, 5*math.Sqrt(2./draws))
}

// counts are 200 counts at places in the sea.
func counts(t *testing.T, m *mesh.Mesh) (expfam.Likelihood, expfam.Observations) {
	rng := expfam.Stream(9, "counts")
	var x, y, counts []float64
	for len(x) < 200 {
		px, py := 10*rng.Float64(), 10*rng.Float64()
		if px > 4 && px < 6 && py > 4 && py < 6 {
			continue
		}
		x, y = append(x, px), append(y, py)
		counts = append(counts, math.Floor(6*rng.Float64()*(1.1+math.Sin(px/2))))
	}
	at := must.Get(m.At(x, y, 0))(t)
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink, Operator: at}
	return like, must.Get(like.Observe1(counts...))(t)
}
