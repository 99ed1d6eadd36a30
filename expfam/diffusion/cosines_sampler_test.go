package diffusion_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// lattice is a Gaussian field of square images that does not say that it is Gaussian.
type lattice struct {
	hidden
	side int
}

func (l lattice) Lattice() (rows, cols int) { return l.side, l.side }

// Eight readings of an image behind a blur, more than a thousand data, so that the correlations by lag
// precondition the solves: the mean and the widths of draws against the closed form.
func TestImageBehindAWideBlur(t *testing.T) {
	const side, times = 12, 8
	draws := fulltest.N(16, 128)
	cov, rows := mat.NewSymDense(side*side, nil), make([][]float64, side*side)
	for i := range rows {
		var sum float64
		rows[i] = make([]float64, side*side)
		for j := range rows[i] {
			down, across := float64(i/side-j/side), float64(i%side-j%side)
			cov.SetSym(i, j, math.Exp(-math.Hypot(down, across)/4))
			if max(math.Abs(down), math.Abs(across)) <= 3 {
				rows[i][j] = math.Exp(-(down*down + across*across) / 8)
				sum += rows[i][j]
			}
		}
		floats.Scale(1/sum, rows[i])
	}
	prior := expfam.Must(gp.New(nil, cov))
	one := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}, Operator: weighted("blur", rows...)}
	like := expfam.Together(slices.Repeat([]expfam.Likelihood{one}, times)...)
	x := make([]float64, side*side)
	prior.Draw(expfam.Stream(9, "blur"), x)
	theta, obs, sum := expfam.Must(one.Theta(x)), expfam.Observations(nil), make(expfam.Observations, side*side)
	for k := range uint64(times) {
		obs = append(obs, expfam.Must(one.Observe(expfam.Must(one.Simulate(theta, nil, 1, k))))...)
		for j, term := range obs[len(obs)-len(sum):] {
			sum[j].Stat, sum[j].Size = sum[j].Stat+term.Stat, sum[j].Size+term.Size
		}
	}
	exact := expfam.Must(gp.Exact(prior, one, sum))
	method := OperatorRestarts()
	method.Spread = 0 // it adds variance
	post := sample(t, lattice{hidden{prior, 0.003}, side}, like, obs, Sampler{Draws: draws, Seed: 1,
		Engine: enginetest.Open(t, "go"), Method: method})
	off, width := onAverage(post, exact)
	// The mean of n exact draws is 1/√n sd off. Without the preconditioner that of 128 draws is 1.23 times as far off.
	off *= math.Sqrt(float64(draws))
	must.Be(t, off < 1.15 && math.Abs(width-1) < 0.5/math.Sqrt(float64(draws)),
		"means are %.3f times as far off as those of exact draws, widths are %.3f", off, width)
}
