package benchmarks

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/problem"
)

// FieldCase is a Gaussian field on a grid of 32×32 cells under Normal data of standard deviation 0.5, with a fifth of
// the cells missing. Its posterior has a closed form. What a learned prior and a sampler get wrong on a grid is all
// that is left in its scores. The field has a Matérn covariance of smoothness 3/2 and variance 1 with a length of 4
// cells: (1 + h) e⁻ʰ at the distance h·4/√3.
func FieldCase() (Case, error) {
	const side, length = 32, 4
	cov := mat.NewSymDense(side*side, nil)
	for i := range side * side {
		for j := range i + 1 {
			h := math.Sqrt(3) / length * math.Hypot(float64(i/side-j/side), float64(i%side-j%side))
			cov.SetSym(i, j, (1+h)*math.Exp(-h))
		}
	}
	field, err := gp.New(nil, cov)
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}, Link: expfam.IdentityLink}
	return Case{Case: problem.Case{Name: "Field of 32×32 cells", Likelihood: like, Field: field}, Missing: 0.2,
		Columns: side}, err
}

// FieldEfforts returns the efforts on a field, each with the given number of draws: covariance-drawn steps, and those
// of [ImageEfforts] that need no inference network.
func FieldEfforts(draws int) []Effort {
	all := []Effort{Efforts[0]}
	for _, e := range ImageEfforts() {
		if s, ok := e.Sampler(30); ok && s.Guidance != (diffusion.Evidence{}) {
			all = append(all, e)
		}
	}
	for i, e := range all {
		all[i].Sampler = func(n int) (diffusion.Sampler, bool) {
			s, ok := e.Sampler(n)
			s.Draws, s.Batch = draws, 20
			return s, ok
		}
	}
	return all
}
