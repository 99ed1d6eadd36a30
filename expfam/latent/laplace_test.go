package latent

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// poisson are counts of means exp(Σ h x), with two cells a datum, and the last datum missing.
type poisson struct{ y []float64 }

func (p poisson) row(k int, visit func(cell int, weight float64)) {
	visit(k, 1)
	visit((k+1)%len(p.y), 0.3)
}

func (p poisson) LogLikSlope(x, slope []float64) (sum float64) {
	clear(slope)
	for k, y := range p.y[:len(p.y)-1] {
		var eta float64
		p.row(k, func(j int, h float64) { eta += h * x[j] })
		sum += y*eta - math.Exp(eta)
		p.row(k, func(j int, h float64) { slope[j] += h * (y - math.Exp(eta)) })
	}
	return sum
}

func (p poisson) Precision(x []float64) (func(k int, visit func(cell int, weight float64)), []float64) {
	w := make([]float64, len(p.y))
	for k := range p.y[:len(p.y)-1] {
		var eta float64
		p.row(k, func(j int, h float64) { eta += h * x[j] })
		w[k] = math.Exp(eta)
	}
	return p.row, w
}

// TestLaplace: systems of the data, and a root of low rank, give the mode and the evidence of systems of the cells.
func TestLaplace(t *testing.T) {
	const cells = 12
	for _, rank := range []int{cells, 2} {
		rng := rand.New(rand.NewPCG(1, 2))
		root := mat.NewDense(cells, rank, nil)
		root.Apply(func(i, j int, _ float64) float64 { return rng.NormFloat64() / 3 }, root)
		cov := mat.NewSymDense(cells, nil)
		cov.SymOuterK(1, root)
		mean, data := make([]float64, cells), poisson{make([]float64, cells)}
		for k := range mean {
			mean[k], data.y[k] = 0.1*float64(k), float64(rng.IntN(6))
		}
		l := must.Get(Cholesky(cov))(t)
		want := must.Get(ByLaplace(mean, l, data))(t)
		a := must.Get(LaplaceOf(mean, cov, data))(t)
		got := must.Get(a.Target(mean, l, data))(t)
		// The searches end when the gain is below 1e-10. Modes and determinants are then within 1e-5 of each other.
		must.Absolute(t, "evidence", a.LogEvidence, want.LogEvidence(), 1e-5)
		must.Absolute(t, "evidence of the target", got.LogEvidence(), want.LogEvidence(), 1e-5)
		for k := range want.mode {
			must.Absolute(t, "mode", got.mode[k], want.mode[k], 1e-5)
		}
	}
}

// steep is a log-likelihood that is finite everywhere, and has no slope in its first cell.
type steep struct{ poisson }

func (s steep) LogLikSlope(x, slope []float64) float64 {
	value := s.poisson.LogLikSlope(x, slope)
	slope[0] = math.NaN()
	return value
}

// TestSlopesAreNumbers: a search that meets a slope that is no number says so, and does not end where it began.
func TestSlopesAreNumbers(t *testing.T) {
	mean, data := make([]float64, 3), steep{poisson{[]float64{1, 2, 0}}}
	cov := mat.NewSymDense(3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	l := mat.DenseCopyOf(cov)
	must.Refuse(ByLaplace(mean, l, data))(t, "cell 0: slope NaN")
	must.Refuse(LaplaceOf(mean, cov, data))(t, "cell 0: slope NaN")
}
