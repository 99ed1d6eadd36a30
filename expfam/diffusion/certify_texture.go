package diffusion

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/latent"
)

// texture returns the standard deviation of draws over that of the posterior, with its standard error, on average over
// the cosines of a lattice whose frequency is at least half of the highest along the rows or the columns. With the
// projection F onto these, and evaluations of every n-th draw, Stein's identity makes the mean of
//
//	−(x − E x)ᵀ F σ − eᵀ F J e
//
// zero if the draws are right. If they are w times as wide, the first term is w² times the second on average.
func texture(x *mat.Dense, m *pairs, rows, cols, n int) (width, se float64) {
	down, across := latent.Cosines(rows, 1, (rows+1)/2), latent.Cosines(1, cols, (cols+1)/2)
	coarse := func(values []float64) []float64 {
		var out mat.Dense
		out.Product(down.T(), mat.NewDense(rows, cols, values), across)
		return out.RawMatrix().Data
	}
	fine := func(a, b []float64) float64 { return floats.Dot(a, b) - floats.Dot(coarse(a), coarse(b)) } // aᵀFb
	draws, cells := m.score.Dims()
	mean := make([]float64, cells)
	for i := range draws {
		floats.AddScaled(mean, 1/float64(draws), x.RawRowView(i*n))
	}
	seen, right := make([]float64, draws), make([]float64, draws)
	centred, degrees := make([]float64, cells), 1-1/float64(draws)
	for i := range draws {
		floats.SubTo(centred, x.RawRowView(i*n), mean)
		seen[i] = -fine(centred, m.score.RawRowView(i)) / degrees
		right[i] = fine(m.noise.RawRowView(i), m.difference.RawRowView(i))
	}
	square, unit := stat.Mean(seen, nil), stat.Mean(right, nil)
	width = math.Sqrt(max(0, square/unit))
	floats.AddScaled(seen, -width*width, right)
	return width, stat.StdErr(stat.StdDev(seen, nil), float64(draws)) / (2 * unit * max(width, 0.1))
}
