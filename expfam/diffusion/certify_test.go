package diffusion_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// concealed is a Gaussian prior that does not say so, as a learned one.
type concealed struct{ expfam.Prior }

// sharpness are standard deviations of Normal data in all cells, from far less to far more precise than the noise at
// which a certificate takes the score.
var sharpness = []float64{3, 1, 0.3, 0.05, 0.003}

// normalData are data of a draw of the field, and their exact posterior.
func normalData(t *testing.T, field gp.RBF, sd float64, seed uint64) (expfam.Observations, *gp.Conditional) {
	t.Helper()
	rng, x := expfam.Stream(seed, "certified"), make([]float64, field.Dim())
	field.Draw(rng, x)
	obs := noisy(rng, x, sd)
	return obs, must.Get(gp.Exact(field, gaussian, obs))(t)
}

var gaussian = expfam.Likelihood{Family: expfam.Normal{}}

// altered returns the draws moved by a share of their standard deviation in every cell, and widened about their mean.
func altered(post *expfam.Posterior, exact *gp.Conditional, move, widen float64) *expfam.Posterior {
	out, mean := &expfam.Posterior{X: mat.DenseCopyOf(post.X), Likelihood: post.Likelihood}, post.Latent().Mean()
	out.X.Apply(func(_, j int, x float64) float64 {
		return mean[j] + widen*(x-mean[j]) + move*math.Sqrt(exact.Cov.At(j, j))
	}, out.X)
	return out
}

// Under a Gaussian prior the score at a noise level says what the exact score says: exact draws agree at the stated
// rate, whatever the precision of the data, and the width of draws made wrong is measured.
func TestCertifyConcealed(t *testing.T) {
	field, e := gp.RBF{Cells: 12}, enginetest.Open(t, "go")
	prior := concealed{field}
	var found verdicts
	for seed := range fulltest.N(4, 200) {
		for _, sd := range sharpness {
			obs, exact := normalData(t, field, sd, uint64(seed))
			post := must.Get(exact.Sample(500, uint64(seed)))(t)
			c := must.Get(Certify(post, prior, gaussian, obs, Sampler{Engine: e}))(t)
			found.count(c)
			// 500 draws have a standard error of .01 in the mean width.
			must.Be(t, c.Sigma > 0 && math.Abs(c.MeanWidth-1) < 0.05, "sd %g: %v", sd, c)
			for _, by := range []float64{0.85, 1.15} {
				c := must.Get(Certify(altered(post, exact, 0, by), prior, gaussian, obs, Sampler{Engine: e}))(t)
				must.Be(t, c.Verdict() == "wrong" && math.Abs(c.MeanWidth-by) < 0.05, "sd %g, width %g: %v", sd, by, c)
			}
		}
	}
	found.check(t)
}

// misled is a prior whose mean is wrong near one noise level, and right at all others.
type misled struct {
	expfam.Prior
	sigma, by float64
}

func (m misled) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	mean, variance = m.Prior.Moments(x, l)
	off := DivScalar(AddScalar(Log(Div(Sqrt(l.V), l.SqrtAlpha)), -math.Log(m.sigma)), 0.05)
	return Add(mean, MulScalar(Exp(MulScalar(Square(off), -0.5)), m.by)), variance
}

// What draws of the prior say of the error of its scores is subtracted: exact draws agree although the prior's mean at
// the noise level of the certificate is .06 off, and draws that are .3 sd off do not.
func TestCertifySubtracts(t *testing.T) {
	field, e := gp.RBF{Cells: 12}, enginetest.Open(t, "go")
	obs, exact := normalData(t, field, 1, 1)
	right := must.Get(exact.Sample(500, 1))(t)
	prior := misled{field, 0.4, 0.06} // its standard deviation is 1
	c := must.Get(Certify(right, prior, gaussian, obs, Sampler{Engine: e}))(t)
	must.Be(t, c.Verdict() == "agrees" && c.BiasLocation > 0.05, "exact draws: %v", c)
	c = must.Get(Certify(altered(right, exact, 0.3, 1), prior, gaussian, obs, Sampler{Engine: e}))(t)
	must.Be(t, c.Verdict() == "wrong", "moved draws: %v", c)
}

// Under a Gaussian prior each group of draws has its mean and covariance, up to the error of the steps, which is a
// fiftieth at most.
func TestPriorGroups(t *testing.T) {
	field := gp.RBF{Cells: 12}
	x, groups := PriorDraws(concealed{field}, enginetest.Open(t, "go"))
	draws, cells := x.Dims()
	cov, n := field.Cov(), draws/groups
	for g := range groups {
		var got mat.SymDense
		some := x.Slice(g*n, (g+1)*n, 0, cells)
		stat.CovarianceMatrix(&got, some, nil)
		for i := range cells {
			mean := stat.Mean(mat.Col(nil, i, some), nil)
			must.Be(t, math.Abs(mean) < 1e-3, "group %d, cell %d: mean %g", g, i, mean)
			for j := range cells {
				must.Be(t, math.Abs(got.At(i, j)-cov.At(i, j)) < 0.02, "group %d, cells %d and %d: %g, want %g", g, i,
					j, got.At(i, j), cov.At(i, j))
			}
		}
	}
}

// verdicts counts the verdicts of certificates of exact draws.
type verdicts struct{ all, wrong, doubtful float64 }

func (v *verdicts) count(c *expfam.Certificate) {
	switch v.all++; c.Verdict() {
	case "wrong":
		v.wrong++
	case "doubtful":
		v.doubtful++
	}
}

// check compares the shares with the stated rates and three standard errors. Certificates of one seed share their data.
func (v verdicts) check(t *testing.T) {
	t.Helper()
	most := func(p float64) float64 { return p*v.all + 3*math.Sqrt(p*v.all) }
	t.Logf("of %g exact posteriors %g wrong and %g doubtful", v.all, v.wrong, v.doubtful)
	must.Be(t, v.wrong <= most(0.01) && v.wrong+v.doubtful <= most(0.05),
		"of %g certificates of exact draws %g are wrong and %g doubtful", v.all, v.wrong, v.doubtful)
}

// Under a mixture of two Gaussian fields, which is no Gaussian, exact draws agree, and draws of one of the fields alone
// or of another width do not.
func TestCertifyMixture(t *testing.T) {
	const cells = 12
	part := func(level float64) *gp.Gaussian {
		mean, cov := make([]float64, cells), mat.NewSymDense(cells, nil)
		for i := range cells {
			mean[i] = level
			for j := i; j < cells; j++ {
				cov.SetSym(i, j, 0.5*math.Exp(-float64(j-i)/6))
			}
		}
		return must.Get(gp.New(mean, cov))(t)
	}
	e, wrong := enginetest.Open(t, "go"), 0
	prior := &gp.Mixture{Weights: []float64{1, 1}, Parts: []*gp.Gaussian{part(-1), part(1)}}
	for _, sd := range []float64{3, 0.3} {
		for seed := range fulltest.N(2, 50) {
			rng, x := expfam.Stream(uint64(seed), "mixture"), make([]float64, cells)
			prior.Draw(rng, x)
			obs := noisy(rng, x, sd)
			first, second := must.Get(gp.Exact(prior.Parts[0], gaussian, obs))(t),
				must.Get(gp.Exact(prior.Parts[1], gaussian, obs))(t)
			share := 1 / (1 + math.Exp(second.LogEvidence-first.LogEvidence))
			post := must.Get(first.Sample(500, 1))(t)
			other := must.Get(second.Sample(500, 2))(t)
			for i := range 500 {
				if rng.Float64() > share {
					post.X.SetRow(i, other.X.RawRowView(i))
				}
			}
			if c := must.Get(Certify(post, prior, gaussian, obs, Sampler{Engine: e}))(t); c.Verdict() == "wrong" {
				t.Logf("sd %g, share %.2f: %v", sd, share, c)
				wrong++
			}
			c := must.Get(Certify(altered(post, first, 0, 1.25), prior, gaussian, obs, Sampler{Engine: e}))(t)
			must.Be(t, c.Verdict() == "wrong", "sd %g, share %.2f, too wide: %v", sd, share, c)
		}
	}
	must.Be(t, wrong <= fulltest.N(1, 5), "%d exact posteriors are called wrong", wrong)
}

// Under a prior of smooth and rough curves exact draws of a smooth posterior agree, although the certificate's noise
// hides them in the modes of rough curves. Draws that are moved or too wide do not agree.
func TestCertifySmooth(t *testing.T) {
	const cells, sd = 20, 0.3
	part := func(length float64) *gp.Gaussian { return gp.RBF{Cells: cells, Length: length}.Gaussian() }
	prior := &gp.Mixture{Weights: []float64{1, 1}, Parts: []*gp.Gaussian{part(0.8), part(0.03)}}
	e, wrong := enginetest.Open(t, "go"), 0
	for seed := range fulltest.N(4, 40) {
		rng, x := expfam.Stream(uint64(seed), "smooth"), make([]float64, cells)
		rough := seed%2 == 1
		of := prior.Parts[seed%2]
		of.Draw(rng, x)
		obs, n := make(expfam.Observations, cells), 1/(sd*sd)
		for j := range obs {
			obs[j] = expfam.Term{Stat: n * (x[j] + sd*rng.NormFloat64()), Size: n}
		}
		exact := must.Get(gp.Exact(of, gaussian, obs))(t) // the other part has a share below e^−10
		post := must.Get(exact.Sample(500, uint64(seed)))(t)
		for _, by := range [][2]float64{{0, 1}, {0.4, 1}, {0, 1.25}} {
			some := altered(post, exact, by[0], by[1])
			c := must.Get(Certify(some, prior, gaussian, obs, Sampler{Engine: e}))(t)
			t.Logf("rough %t, moved by %g, %g times as wide: %v", rough, by[0], by[1], c)
			switch right := by[0] == 0 && by[1] == 1; {
			case right && c.Verdict() == "wrong":
				wrong++
			case !right:
				must.Be(t, rough && c.Verdict() != "agrees" || c.Verdict() == "wrong", "rough %t, moved by %g, %g "+
					"times as wide: %v", rough, by[0], by[1], c)
			}
		}
	}
	must.Be(t, wrong <= fulltest.N(0, 2), "%d exact posteriors are called wrong", wrong)
}

// A posterior under the network that ships has a certificate, which its file and its summary have too, and which finds
// what is made wrong on purpose.
func TestCertifyLearned(t *testing.T) {
	prior := must.Get(learn.Load(weights))(t)
	field, e := gp.RBF{Cells: prior.Dim()}, enginetest.Fast(t)
	obs, exact := normalData(t, field, 0.3, 5)
	post := must.Get(Sample(prior, gaussian, obs, Sampler{Engine: e, Seed: 1}))(t)
	c := post.Info.Certificate
	must.Need(t, c != nil && c.Verdict() != "wrong" && c.Sigma > 0, "certificate %v", c)
	must.Be(t, strings.Contains(post.String(), "the network's own error"), "summary %v", post)
	again := must.Get(Sample(prior, gaussian, obs, Sampler{Engine: e, Seed: 1}))(t)
	must.Be(t, again.Info.Certificate.String() == c.String(), "stored %v, want %v", again.Info.Certificate, c)
	right := must.Get(exact.Sample(500, 1))(t)
	for name, change := range map[string]struct {
		move, widen float64
		verdict     string
	}{
		"exact":            {0, 1, "agrees"},
		"level .3 sd off":  {0.3, 1, "wrong"},
		"width .85":        {0, 0.85, "wrong"},
		"width 1.15":       {0, 1.15, "wrong"},
		"eight times wide": {0, 8, "wrong"},
	} {
		c := must.Get(Certify(altered(right, exact, change.move, change.widen), prior, gaussian, obs,
			Sampler{Engine: e}))(t)
		must.Be(t, c.Verdict() == change.verdict, "%s: %v", name, c)
	}
	must.Refuse(Certify(right, gp.RBF{Cells: 3}, gaussian, obs, Sampler{Engine: e}))(t, "3 cells for draws of 30")
	must.Refuse(Certify(&expfam.Posterior{}, prior, gaussian, obs, Sampler{Engine: e}))(t, "no draws")
	// Data that are more precise than the network knows its prior have no certificate, and say so.
	sharp := expfam.Likelihood{Family: expfam.Normal{SD: 1e-5}}
	at := expfam.Observations{7: {Stat: 0.3e10, Size: 1e10}, 29: {}}
	post = must.Get(Sample(prior, sharp, at, Sampler{Engine: e, Seed: 1, Fresh: true}))(t)
	must.Be(t, post.Info.Certificate == nil && strings.Contains(post.String(), "no certificate: the draws of cell 7"),
		"summary %v", post)
	few := &expfam.Posterior{X: mat.DenseCopyOf(right.X.Slice(0, 50, 0, 30))}
	must.Refuse(Certify(few, prior, gaussian, obs, Sampler{Engine: e}))(t, "at least 100 draws")
	right.X.Set(3, 2, math.NaN())
	must.Refuse(Certify(right, prior, gaussian, obs, Sampler{Engine: e}))(t, "draw 3, cell 2 is NaN")
}

// Where a certificate is open, Sample certifies twice as many draws, and four times as many if it is still open. The
// posterior keeps its own. So it is under a prior whose score is exact, and under one that is known by its moments.
func TestFurtherDraws(t *testing.T) {
	field, e := gp.RBF{Cells: 6}, enginetest.Open(t, "go")
	for name, c := range map[string]struct {
		prior expfam.Prior
		seed  uint64 // the certificate of this seed or of one of the next is open twice, as about one of forty is
		first int    // of the draws, which are a share of a run if it is above 0
	}{"exact": {field, 90, 0}, "moments": {concealed{field}, 20, 100}} {
		t.Run(name, func(t *testing.T) {
			prior, most := c.prior, 0
			for seed := c.seed; most < 300; seed++ {
				must.Need(t, seed < c.seed+400, "no certificate was open twice")
				obs, _ := normalData(t, field, 1, seed)
				var plans []int
				s := Sampler{Engine: e, First: c.first, Draws: 100, Seed: seed, Fresh: true,
					Plan: func(p Plan) { plans = append(plans, p.Draws) }}
				post := must.Get(Sample(prior, gaussian, obs, s))(t)
				draws, _ := post.Dims()
				must.Be(t, draws == 100 && slices.Equal(plans, []int{100}), "%d draws, planned %v", draws, plans)
				all := &expfam.Posterior{X: post.X, Likelihood: gaussian}
				want := must.Get(Certify(all, prior, gaussian, obs, s))(t)
				if want.Open() {
					s.Seed, s.First, s.Draws = FurtherSeed(seed, c.first), 0, 1500
					further := must.Get(Sample(prior, gaussian, obs, s))(t)
					for n := 100; want.Open(); n *= 2 {
						all.X = new(mat.Dense)
						all.X.Stack(post.X, further.X.Slice(0, 2*n-100, 0, 6))
						want = must.Get(Certify(all, prior, gaussian, obs, s))(t)
						want.Further = 2*n - 100
					}
				}
				c := post.Info.Certificate
				most = max(most, c.Further)
				must.Be(t, c.Further == want.Further && math.Abs(c.P-want.P) < 1e-6, "seed %d: %v, want %v", seed, c,
					want)
				must.Be(t, c.Further == 0 || strings.Contains(post.String(), "further draws to decide"), "%v", post)
			}
		})
	}
}

// The higher the noise level at which the network that ships gives the score, the less its error moves the location of
// exact draws. The levels of docs/certificate.md are those of -full.
func TestCertifiedNoise(t *testing.T) {
	prior := must.Get(learn.Load(weights))(t)
	field, e := gp.RBF{Cells: prior.Dim()}, enginetest.Fast(t)
	levels := []float64{0.05, 0.4}
	if *fulltest.Full {
		levels = []float64{0.05, 0.1, 0.2, 0.4, 0.8}
	}
	for _, noise := range levels {
		certify := Certifier(prior, e, noise)
		var location, floor, most, width, n float64
		modes := 0
		for seed := range fulltest.N(1, 5) {
			for _, sd := range []float64{1, 0.3, 0.05} {
				obs, exact := normalData(t, field, sd, uint64(seed))
				c := must.Get(certify(must.Get(exact.Sample(fulltest.N(1000, 4000), 1))(t), obs))(t)
				location, floor = location+c.Location*c.Location, floor+c.Floor*c.Floor
				for _, v := range c.Shift {
					most = max(most, math.Abs(v))
				}
				width, n, modes = width+(c.MeanWidth-1)*(c.MeanWidth-1), n+1, len(c.Shift)
			}
		}
		off := math.Sqrt(max(0, location-floor) / n)
		t.Logf("noise %g: %d modes, location %.3f off beyond that of exact draws, at most %.2f, mean width %.3f", noise,
			modes, off, most, math.Sqrt(width/n))
		// Draws of one seed have shifts of a standard error of .03 in each mode.
		must.Be(t, noise < 0.4 || off < 0.04, "noise %g: location %.3f off", noise, off)
	}
}
