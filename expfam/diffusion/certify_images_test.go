package diffusion_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// concealedLattice is a Gaussian prior of a lattice that does not say so, as a network of images.
type concealedLattice struct {
	expfam.Prior
	side int
}

func (c concealedLattice) Lattice() (rows, cols int) { return c.side, c.side }

// covarianceOf returns a prior of mean 0 with its covariance as a matrix.
func covarianceOf(t *testing.T, prior interface {
	expfam.Prior
	expfam.Linear
}) *gp.Gaussian {
	t.Helper()
	d := prior.Dim()
	cov := mat.NewSymDense(d, nil)
	for j := range d {
		unit := make([]float64, d)
		unit[j] = 1
		column, _ := prior.Multiply(unit)
		for i := range j + 1 {
			cov.SetSym(i, j, column[i])
		}
	}
	return must.Get(gp.New(make([]float64, d), cov))(t)
}

// textured returns draws whose fine cosines, of at least half of the highest frequency along the rows or the columns,
// are so many times as far from their mean.
func textured(post *expfam.Posterior, side int, by float64) *expfam.Posterior {
	cosine := mat.NewDense(side, side, nil) // (cell, frequency)
	cosine.Apply(func(i, k int, _ float64) float64 {
		return math.Sqrt(2/float64(side)) * math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/float64(side)) /
			math.Sqrt(1+float64(1/(1+k)))
	}, cosine)
	out := &expfam.Posterior{X: mat.DenseCopyOf(post.X), Likelihood: post.Likelihood}
	mean := mat.NewDense(side, side, post.Latent().Mean())
	draws, _ := post.Dims()
	for i := range draws {
		var off, moved mat.Dense
		x := mat.NewDense(side, side, out.X.RawRowView(i))
		off.Sub(x, mean)
		moved.Product(cosine.T(), &off, cosine)
		moved.Apply(func(j, k int, v float64) float64 {
			if 2*j >= side || 2*k >= side {
				v *= by
			}
			return v
		}, &moved)
		off.Product(cosine, &moved, cosine.T())
		x.Add(mean, &off)
	}
	return out
}

// Under a Gaussian prior of a lattice, exact draws are called right at the stated rate, and draws that were made wrong
// are called wrong, as by the certificate that knows the prior.
func TestCertifyImages(t *testing.T) {
	const side = 16
	field := must.Get(gmrf.Prior{Grid: grid.Grid{Rows: side, Cols: side}, Range: 6, SD: 1}.Field())(t)
	d, dense := side*side, covarianceOf(t, field)
	prior, e := concealedLattice{field, side}, enginetest.Open(t, "go")
	var found verdicts
	for seed := range fulltest.N(2, 100) {
		rng, x := expfam.Stream(uint64(seed), "certified lattice"), make([]float64, d)
		field.Draw(rng, x)
		for _, sd := range []float64{1, 0.3} {
			obs := noisy(rng, x, sd)
			exact := must.Get(gp.Exact(dense, gaussian, obs))(t)
			for _, draws := range []int{40, 100} {
				post := must.Get(exact.Sample(draws, uint64(seed)))(t)
				c := must.Get(Certify(post, prior, gaussian, obs, Sampler{Engine: e}))(t)
				found.count(c)
				must.Be(t, len(c.Shift) == draws/4 && c.OtherSigma > 0 && c.BiasLocation < 0.1,
					"sd %g, %d draws: %v", sd, draws, c)
				must.Be(t, math.Abs(c.Texture-1) < 0.1, "sd %g, %d draws: texture %.3f ± %.3f", sd, draws, c.Texture,
					c.TextureSE)
				for _, by := range []float64{0.5, 2} {
					c := must.Get(Certify(textured(post, side, by), prior, gaussian, obs, Sampler{Engine: e}))(t)
					must.Be(t, c.Verdict() != "agrees" && math.Abs(c.Texture/by-1) < 0.1,
						"sd %g, %d draws, texture times %g: %v", sd, draws, by, c)
				}
				if draws < 100 {
					continue
				}
				for name, by := range map[string]struct{ move, widen float64 }{"moved": {0.3, 1}, "narrow": {0, 0.8},
					"wide": {0, 1.2}} {
					off := altered(post, exact, by.move, by.widen)
					c := must.Get(Certify(off, prior, gaussian, obs, Sampler{Engine: e}))(t)
					known := must.Get(off.Certify(field, obs))(t)
					must.Be(t, c.Verdict() == "wrong" && known.Verdict() == "wrong" &&
						math.Abs(c.MeanWidth-known.MeanWidth) < 0.1, "sd %g, %s: %v; with the prior known %v", sd, name,
						c, known)
				}
			}
		}
	}
	found.check(t)
}

// Draws of images have a certificate from forty on, of 25 directions from a hundred on.
func TestCertifyImagesDraws(t *testing.T) {
	const side = 12
	field := must.Get(gmrf.Prior{Grid: grid.Grid{Rows: side, Cols: side}, Range: 6, SD: 1}.Field())(t)
	prior, e := concealedLattice{field, side}, enginetest.Open(t, "go")
	obs := make(expfam.Observations, side*side)
	for j := range obs {
		obs[j] = expfam.Term{Stat: math.Sin(float64(j)), Size: 1}
	}
	for draws, modes := range map[int]int{39: 0, 40: 10, 210: 25} {
		post := must.Get(Sample(prior, gaussian, obs, Sampler{Draws: draws, Engine: e, Fresh: true}))(t)
		c := post.Info.Certificate
		if must.Be(t, (c != nil) == (modes > 0), "%d draws: %v", draws, c); c == nil {
			continue
		}
		must.Be(t, len(c.Shift) == modes && c.Verdict() != "" && c.Draws <= 100, "%d draws: %v of %g", draws, c,
			c.Draws)
	}
	post := &expfam.Posterior{X: mat.NewDense(39, side*side, nil)}
	must.Refuse(Certify(post, prior, gaussian, obs, Sampler{Engine: e}))(t, "40 draws of images")
}

// Under the network of images that ships, no default posterior of painted images is called wrong, none that was made
// wrong is said to agree, and half or twice the texture shows in the certificate. The table of docs/certificate.md has
// what each is called.
func TestCertifyImagesLearned(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("minutes; run with -full")
	}
	const side = 32
	whole, e := must.Get(learn.Load("../../notebooks/weights/images-score.safetensors"))(t), enginetest.Fast(t)
	prior := must.Get(whole.Grid(side, side))(t)
	blur := &operator.Convolution{Rows: side, Cols: side, Kernel: operator.Gaussian{SD: 1.5}}
	x := make([]float64, side*side)
	for image := range 3 {
		scenes.Procedural{Rows: side, Cols: side}.Draw(expfam.Stream(77, fmt.Sprintf("zz/%d", image)), x)
		for _, of := range []struct {
			name   string
			like   expfam.Likelihood
			visits int
		}{
			{"ten visits", expfam.Likelihood{Family: expfam.Poisson{}}, 10},
			{"blur", expfam.Likelihood{Family: expfam.Poisson{},
				Operator: expfam.SumOf{Operator: operator.Scale{Of: blur, By: 10}}}, 1},
			{"sd 1", gaussian, 1},
		} {
			theta := must.Get(of.like.Theta(x))(t)
			data := must.Get(of.like.Simulate(theta, nil, of.visits, uint64(image)+1))(t)
			obs := must.Get(of.like.Observe(data))(t)
			post := must.Get(Sample(prior, of.like, obs, Sampler{Draws: 100, Engine: e, Seed: 1}))(t)
			t.Logf("image %d, %s: %v", image, of.name, post.Info.Certificate)
			must.Be(t, post.Info.Certificate.Verdict() != "wrong", "image %d, %s", image, of.name)
			mean, sd := post.Latent().Mean(), post.Latent().SD()
			as := post.Info.Certificate
			for _, by := range []float64{0.5, 2} {
				c := must.Get(Certify(textured(post, side, by), prior, of.like, obs, Sampler{Engine: e}))(t)
				t.Logf("  texture times %g: %v", by, c)
				must.Be(t, (c.Texture-as.Texture)*(by-1) > 0, "image %d, %s, texture times %g", image, of.name, by)
			}
			for _, by := range []struct{ move, widen float64 }{{0.3, 1}, {0, 0.8}, {0, 1.2}} {
				off := &expfam.Posterior{X: mat.DenseCopyOf(post.X), Likelihood: of.like}
				off.X.Apply(func(_, j int, v float64) float64 {
					return mean[j] + by.widen*(v-mean[j]) + by.move*sd[j]
				}, off.X)
				c := must.Get(Certify(off, prior, of.like, obs, Sampler{Engine: e}))(t)
				t.Logf("  %v: %v", by, c)
				must.Be(t, c.Verdict() != "agrees", "image %d, %s, %v", image, of.name, by)
			}
		}
	}
}
