package byhand

import (
	"math"

	"github.com/expfam/lab/expfam"
)

// Alike is a number of cells with the prior N(0, 1) each and equal correlations Rho, and a measurement of each with
// standard deviation SD, all equal to Y. The average of the cells, scaled to √cells × average, is then a diffusion of
// its own, because it is an eigenvector of the covariance.
type Alike struct {
	Cells      int
	Rho, SD, Y float64
}

// Common returns the prior variance of the direction (1, …, 1)/√cells, and the datum in this direction.
func (a Alike) Common() (variance, datum float64) {
	m := float64(a.Cells)
	return 1 - a.Rho + m*a.Rho, math.Sqrt(m) * a.Y
}

// Spread returns the variance of the direction (1, …, 1)/√cells given x_t, and that of one cell.
func (a Alike) Spread(t float64) (together, single float64) {
	l, m := schedule.Level(t), float64(a.Cells)
	given := func(prior float64) float64 { return prior * l.V / (l.SqrtAlpha*l.SqrtAlpha*prior + l.V) }
	lambda, _ := a.Common()
	together = given(lambda)
	return together, (together + (m-1)*given(1-a.Rho)) / m
}

// Average returns the exact posterior mean and standard deviation of the average of the cells.
func (a Alike) Average() (mean, sd float64) {
	lambda, datum := a.Common()
	root := math.Sqrt(float64(a.Cells))
	return lambda / (lambda + a.SD*a.SD) * datum / root, math.Sqrt(lambda*a.SD*a.SD/(lambda+a.SD*a.SD)) / root
}

// Walk returns draws of the average of the cells, by a reverse diffusion in the direction (1, …, 1)/√cells. The pull of
// the data divides y − m by divide(together, single) + SD².
func (a Alike) Walk(divide func(together, single float64) float64, steps, draws int, seed uint64) []float64 {
	lambda, datum := a.Common()
	rng := expfam.Stream(seed, "alike")
	out := make([]float64, draws)
	for i := range out {
		x := rng.NormFloat64()
		for k := steps; k > 0; k-- {
			t, dt := float64(k)/float64(steps), 1/float64(steps)
			l := schedule.Level(t)
			variance := l.SqrtAlpha*l.SqrtAlpha*lambda + l.V
			together, single := a.Spread(t)
			mean := l.SqrtAlpha * lambda / variance * x
			pull := l.SqrtAlpha / l.V * together * (datum - mean) / (divide(together, single) + a.SD*a.SD)
			b := schedule.Beta(t) * dt
			x += b*(x/2-x/variance+pull) + math.Sqrt(b)*rng.NormFloat64()
		}
		out[i] = x / math.Sqrt(float64(a.Cells))
	}
	return out
}
