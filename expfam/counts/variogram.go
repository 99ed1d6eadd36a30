package counts

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// variogram is a covariance of two cells at distance d: a Matérn covariance sd² ρ(d). The
// covariance of a cell with itself has nugget² in addition.
type variogram struct{ length, sd, nugget, smoothness float64 }

// at returns the covariance of two cells at distance d. For ν = ½, 3/2 and 5/2 it is an elementary function of u =
// √(8ν) d/range. At the range the correlation is near 0.14, whatever ν.
func (v variogram) at(d float64) float64 {
	u := math.Sqrt(8*v.smoothness) * d / v.length
	poly := 1.0
	switch v.smoothness {
	case 1.5:
		poly = 1 + u
	case 2.5:
		poly = 1 + u + u*u/3
	}
	return v.sd * v.sd * poly * math.Exp(-u)
}

// system is the system of equations of ordinary kriging, from measurements z with variances noise.
type system struct {
	at     []place
	chol   mat.Cholesky  // factor of Σ, the covariances of z, with nugget and noise
	weight *mat.VecDense // Σ⁻¹1
	total  float64       // 1ᵀΣ⁻¹1
	level  float64       // estimate of the level
	pull   *mat.VecDense // Σ⁻¹(z − level)
	// logLikelihood is the log-likelihood of the contrasts of z, which do not depend on the
	// level (restricted maximum likelihood; Patterson & Thompson 1971, Biometrika 58).
	logLikelihood float64
}

// system returns the solved system, and false if Σ is not positive definite.
func (v variogram) system(at []place, z, noise []float64) (*system, bool) {
	n := len(at)
	sigma := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i + 1; j < n; j++ {
			sigma.SetSym(i, j, v.at(at[i].distance(at[j])))
		}
		sigma.SetSym(i, i, v.sd*v.sd+v.nugget*v.nugget+noise[i])
	}
	s := &system{at: at, weight: mat.NewVecDense(n, nil), pull: mat.NewVecDense(n, nil)}
	if !s.chol.Factorize(sigma) {
		return nil, false
	}
	ones := mat.NewVecDense(n, nil)
	for i := range n {
		ones.SetVec(i, 1)
	}
	if s.chol.SolveVecTo(s.weight, ones) != nil {
		return nil, false
	}
	s.total = floats.Sum(s.weight.RawVector().Data)
	data := mat.NewVecDense(n, append([]float64(nil), z...))
	s.level = mat.Dot(s.weight, data) / s.total
	data.AddScaledVec(data, -s.level, ones)
	if s.chol.SolveVecTo(s.pull, data) != nil {
		return nil, false
	}
	s.logLikelihood = -(s.chol.LogDet() + math.Log(s.total/float64(n)) + mat.Dot(data,
		s.pull) + float64(n-1)*math.Log(2*math.Pi)) / 2
	return s, !math.IsNaN(s.logLikelihood)
}

// fit maximises the restricted likelihood over the open parameters: length and sd if they are 0, and the nugget if
// nugget is true. least and most are the shortest and the longest distance on the map.
func (v variogram) fit(nugget bool, at []place, z, noise []float64, least, most float64) (variogram, error) {
	type axis struct {
		to               *float64
		low, high, start float64
	}
	var open []axis
	if v.length == 0 {
		open = append(open, axis{&v.length, least, 10 * most, most / 4})
	}
	if v.sd == 0 {
		open = append(open, axis{&v.sd, 0.01, 100, 1})
	}
	if nugget {
		open = append(open, axis{&v.nugget, 0.01, 100, 0.3})
	}
	if len(open) == 0 {
		return v, nil
	}
	start := make([]float64, len(open))
	for i, a := range open {
		start[i] = math.Log(math.Max(a.start, a.low))
	}
	set := func(x []float64) (over float64) {
		for i, a := range open {
			u := math.Min(math.Max(x[i], math.Log(a.low)), math.Log(a.high))
			*a.to = math.Exp(u)
			over += math.Abs(x[i] - u)
		}
		return over
	}
	result, err := optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 {
		over := set(x) // a penalty that grows leads back from beyond the bounds
		s, ok := v.system(at, z, noise)
		if !ok {
			return math.Inf(1)
		}
		return over - s.logLikelihood
	}}, start, &optimize.Settings{
		FuncEvaluations: 300,
		Converger:       &optimize.FunctionConverge{Absolute: 1e-4, Iterations: 10},
	}, &optimize.NelderMead{SimplexSize: 0.5})
	if err != nil {
		return v, fmt.Errorf("counts: fitting the variogram: %w; give Range and SD", err)
	}
	set(result.X)
	return v, nil
}
