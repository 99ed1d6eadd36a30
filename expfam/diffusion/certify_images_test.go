package diffusion_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// concealedLattice is a Gaussian prior of a lattice that does not say so, as a network of images.
type concealedLattice struct {
	expfam.Prior
	side int
}

func (c concealedLattice) Lattice() (rows, cols int) { return c.side, c.side }

// Under a Gaussian prior of a lattice, exact draws are called right at the stated rate, and draws that were made wrong
// are called wrong, as by the certificate that knows the prior.
func TestCertifyImages(t *testing.T) {
	const side = 16
	field := must.Get(gmrf.Prior{Grid: grid.Grid{Rows: side, Cols: side}, Range: 6, SD: 1}.Field())(t)
	d, cov := side*side, mat.NewSymDense(side*side, nil)
	for j := range d {
		unit := make([]float64, d)
		unit[j] = 1
		column, _ := field.Multiply(unit)
		for i := range j + 1 {
			cov.SetSym(i, j, column[i])
		}
	}
	dense := must.Get(gp.New(make([]float64, d), cov))(t)
	prior, e := concealedLattice{field, side}, enginetest.Open(t, "go")
	wrong, doubtful, all := 0, 0, 0
	for seed := range fulltest.N(2, 100) {
		rng, x := expfam.Stream(uint64(seed), "certified lattice"), make([]float64, d)
		field.Draw(rng, x)
		for _, sd := range []float64{1, 0.3} {
			obs, n := make(expfam.Observations, d), 1/(sd*sd)
			for j := range obs {
				obs[j] = expfam.Term{Stat: n * (x[j] + sd*rng.NormFloat64()), Size: n}
			}
			exact := must.Get(gp.Exact(dense, gaussian, obs))(t)
			for _, draws := range []int{40, 100} {
				post := must.Get(exact.Sample(draws, uint64(seed)))(t)
				c := must.Get(Certify(post, prior, gaussian, obs, Sampler{Engine: e}))(t)
				switch all++; c.Verdict() {
				case "wrong":
					wrong++
				case "doubtful":
					doubtful++
				}
				must.Be(t, len(c.Shift) == draws/4 && c.OtherSigma > 0 && c.BiasLocation < 0.1,
					"sd %g, %d draws: %v", sd, draws, c)
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
	// Three standard errors above the stated rates; certificates of one seed share their data.
	most := func(p float64) float64 { return p*float64(all) + 3*math.Sqrt(p*float64(all)) }
	t.Logf("of %d exact posteriors %d wrong and %d doubtful", all, wrong, doubtful)
	must.Be(t, float64(wrong) <= most(0.01) && float64(wrong+doubtful) <= most(0.05),
		"of %d certificates of exact draws %d are wrong and %d doubtful", all, wrong, doubtful)
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
