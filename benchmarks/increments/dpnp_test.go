package increments

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/internal/must"
)

// Independent normal cells of variance 1, each seen with noise of sd s: x is N(y/(1 + s² + η²), (s² + η²)/(1 + s² +
// η²)) when the chain is stationary, for the pair (v, x) has the density N(x; 0, 1) N(v; x, η²) N(y; v, s²).
func TestDPnPOfGauss(t *testing.T) {
	prior := must.Get(NewMixture(Gauss{}))(t)
	eye, y := mat.NewDense(Cells, Cells, nil), make([]float64, Cells)
	for j := range Cells {
		eye.Set(j, j, 1)
		y[j] = 2
	}
	const draws, eta, noise = 100, 0.5, 0.8
	s := must.Get(newSplitGibbs(DPnP{Eta: eta, Rounds: 20, Steps: 40}, prior, eye, noise))(t)
	defer s.close()
	x := must.Get(s.sample(y, draws, 1))(t)
	mean, variance := stat.MeanVariance(x.RawMatrix().Data, nil)
	total := noise*noise + eta*eta
	// 6400 draws have a standard error of 0.009 of the mean. Forty ancestral steps lack a share of the variance that
	// x₀ | v has, which is a fifth.
	want := 2 / (1 + total)
	must.Be(t, math.Abs(mean-want) <= 0.04, "the mean is %.3f, want %.3f", mean, want)
	ratio := variance / (total / (1 + total))
	must.Be(t, ratio >= 0.9 && ratio <= 1.06, "the variance is %.3f of what it must be", ratio)
	for _, m := range []DPnP{{}, {Eta: 2}, {Eta: 0.1, Steps: 1}} {
		must.Be(t, m.Check() != nil, "%v was taken", m)
	}
}
