package simulate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/law"
)

// Season is a curve with a trend and a season, such as the logarithm of expected counts a month:
//
//	x_j = level + trend j/Period + amplitude cos(2π (j − peak)/Period) + e_j,  e_j ~ N(0, Scatter²).
//
// The peak is a place on a circle. Near the end of the year its posterior has draws at both ends, so look at the draws
// and not at their mean.
type Season struct {
	Cells   int     // default 48
	Period  float64 // number of cells of a year. Default 12
	Scatter float64 // default 0.2
	// Laws gives priors of some of the parameters by name. Default: "level" normal of mean 0 and sd 1, "trend" a year
	// normal of mean 0 and sd 0.3, "amplitude" half-normal of sd 1, "peak" uniform from 0 to Period.
	Laws law.Laws
}

func (s Season) orDefault() Season {
	s.Cells = cmp.Or(s.Cells, 48)
	s.Period = cmp.Or(s.Period, 12)
	s.Scatter = cmp.Or(s.Scatter, 0.2)
	return s
}

func (s Season) unknown() []law.Parameter {
	return []law.Parameter{
		{Name: "level", Law: law.Normal{SD: 1}},
		{Name: "trend", Unit: "a year", Law: law.Normal{SD: 0.3}},
		{Name: "amplitude", Law: law.HalfNormal{SD: 1}},
		{Name: "peak", Unit: "cells", Law: distuv.Uniform{Max: s.orDefault().Period}},
	}
}

// Parameters returns the level, the trend, the amplitude and the place of the peak in the first year.
func (s Season) Parameters() []law.Parameter { return replaced(s.unknown(), s.Laws) }

// Check refuses impossible fields and laws.
func (s Season) Check() error {
	d := s.orDefault()
	return check("Season", s.unknown(), s.Laws, number{"Cells", float64(d.Cells)}, number{"Period", d.Period},
		number{"Scatter", d.Scatter})
}

func (s Season) String() string {
	d := s.orDefault()
	return fmt.Sprintf("season(cells=%d, period=%g, scatter=%g)%s", d.Cells, d.Period, d.Scatter,
		describe(s.Parameters()))
}

// Dim returns the number of cells.
func (s Season) Dim() int { return s.orDefault().Cells }

// Curve fills x with the field without scatter for values of the parameters.
func (s Season) Curve(values, x []float64) {
	period := s.orDefault().Period
	for j := range x {
		x[j] = values[0] + values[1]*float64(j)/period + values[2]*math.Cos(2*math.Pi*(float64(j)-values[3])/period)
	}
}

// DrawGiven fills x with a draw for values of the parameters; see [learn.ParametricSimulator].
func (s Season) DrawGiven(rng *rand.Rand, values, x []float64) {
	s.Curve(values, x)
	scatter(rng, s.orDefault().Scatter, x)
}

// Draw fills x with a draw whose parameters are drawn from their laws.
func (s Season) Draw(rng *rand.Rand, x []float64) { s.DrawGiven(rng, law.Draw(rng, s.Parameters()), x) }

// Concurrent says that Draw may be called by several goroutines.
func (Season) Concurrent() {}
