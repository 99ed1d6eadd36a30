package diffusion

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/floats"
)

// The limits by which data are judged. TestStress of package benchmark measures on random
// configurations how accurate posteriors are within these limits.
const (
	// maxFar is the largest distance of a cell's mode from the prior's mean, in prior standard deviations.
	maxFar = 30
	// maxMisfit is the largest misfit per cell with data; see [Demand].
	maxMisfit = 100
	// maxRounding is the largest change, in nats, that rounding may make to a log-likelihood.
	// The weights of a quadrature change by the same amount in relative terms.
	maxRounding = 0.02
	// maxTight is the largest s²h of a cell in Float32. The nodes of a quadrature in Float32
	// lose a posterior that is narrower than s/√maxTight.
	maxTight = 1e5
	// maxFaint is the smallest posterior standard deviation, as a multiple of the rounding error of x₀.
	maxFaint = 50
	// maxJoined is the largest eigenvalue of √W K √W, as a multiple of the rounding error, with which a type solves the
	// data's equations together. Draws of very smooth curves with sharp data overflow from about ten times as much.
	maxJoined = 1
	// coupledTight is the s²h above which three steps of conjugate gradients leave an error
	// where cells are strongly coupled. Above coupledTighter eight steps leave one too.
	coupledTight, coupledTighter = 30, 1e4
	// preciseBlur is the s²h of a datum behind a blur above which the correlations of an image by lag do not
	// precondition. A network's Jacobian does not know the small eigenvalues that such data ask for, and the more a
	// solve has converged the rougher are the draws. Behind a blur of sd 2 it is .5 with ten photons a cell and 5 with
	// a hundred; see benchmarks/README.md.
	preciseBlur = 2
	// joinedTight is the same limit for the data of all cells: the largest eigenvalue of √W K √W, with the precisions W
	// of their sites. Under a smooth curve of 300, 400 and 500 cells it is 400, 510 and 600, and after three steps the
	// sd of draws is 1.1, 1.4 and 8 times as large as it should be. On a map of 64×64 cells it is 35, and the sd is
	// 1.26 times as large. Eight steps are exact to 0.002 there.
	joinedTight, joinedTighter = 10, 1e5
	// endings is the smallest posterior standard deviation as a multiple of the last noise level. An estimate of x₀ at
	// that level lacks the share 1/(2·endings²) of the standard deviation, 2 percent.
	endings = 5
	// faint is the information of a datum about its cell, as a multiple of the prior's, below which data are
	// [Demand].Faint on average. It is .57 for a count of 0 that is expected to be 1.
	faint = 0.7
	// leastEnding is the same multiple for a method that cannot be refined. The estimate then
	// lacks up to 12 percent. On the paper's own benchmark its sampler has a multiple of 5.
	leastEnding = 2
)

// possible refuses data that put a cell far from the prior.
func (f diagnosis) possible(m *model) error {
	if far := f.farthest; far.value > maxFar {
		return fmt.Errorf("sample: %s %d: the data put x₀ at %.4g, %.3g standard deviations from the prior's "+
			"mean %.3g; check their units and exposures, or put location and scale into the link",
			m.forward.Place(), far.cell, far.mode, far.value, far.mean)
	}
	return nil
}

// variant returns the variant of the graphs that the data need: the types of numbers, the steps of conjugate gradients
// and the Newton steps. It returns an error if no type resolves the data.
func (f diagnosis) variant(s *setup) (variant, error) {
	v := s.plain()
	q, quadrature := s.sampler.Guidance.(Quadrature)
	if v.dtype != dtypes.Float64 {
		coarse := f.coarsest.value*epsilon(v.dtype) > maxRounding || f.tightest.value > maxTight ||
			f.largest > math.MaxFloat32
		faint := f.faintest.value < maxFaint*epsilon(v.dtype)
		if coarse || faint {
			v.data = dtypes.Float64
		}
		joined := s.linear() && s.forward.Plain() && f.tightest.value > maxTight &&
			f.coupling(s.multiply)*epsilon(v.dtype) > maxJoined
		if faint || coarse && !quadrature || joined {
			v.dtype = dtypes.Float64
		}
	}
	if e := f.coarsest; e.value*epsilon(v.data) > maxRounding {
		return v, fmt.Errorf("sample: %s %d: the log-likelihood is a difference of terms of size %.3g, which %v "+
			"does not resolve; subtract what is constant in the link from the data",
			s.forward.Place(), e.cell, e.value, v.data)
	}
	if e := f.faintest; e.value < maxFaint*epsilon(v.dtype) {
		return v, fmt.Errorf("sample: %s %d: the data fix x₀ = %.4g to %.2g of itself, which %v does not resolve; "+
			"put its location and scale into the link", s.forward.Place(), e.cell, e.mode, e.value, v.dtype)
	}
	if quadrature && q.Newton == 0 && f.newton > usualNewton+patience {
		if v.newton = mostNewton / 2; f.newton > v.newton-patience {
			v.newton = mostNewton
		}
	}
	v.inner = s.needsFinerSteps(f.sharpest.value)
	if c, ok := s.covariance.(*productCovariance); ok && c.cosines() != nil {
		v.unconditioned = f.tightest.value > preciseBlur
	}
	if quadrature && s.forward.Plain() && q.Steps == 0 && !q.Independent && s.linear() &&
		s.covariance.iterates(s.steps) {
		switch coupling := f.coupling(s.multiply); {
		case f.tightest.value > coupledTighter || coupling > joinedTighter:
			v.solve = min(20, s.prior.Dim())
		case f.tightest.value > coupledTight || coupling > joinedTight:
			v.solve = min(8, s.prior.Dim())
		}
	}
	return v, nil
}

// demand returns what the data require of a method. It refuses data that are no draw of a Linear prior. The argument
// mean has the prior's means.
func (f diagnosis) demand(m *model, mean []float64) (Demand, error) {
	d := Demand{End: f.sharpest.value / endings}
	if !m.linear() {
		d.Faint = m.forward.Plain() && f.typical > 0 && f.typical < faint
		return d, nil
	}
	multiply := m.multiply
	if !m.forward.Plain() {
		multiply = dataPrior(m.forward, multiply, mean)
	}
	if d.Misfit = f.misfit(multiply); d.Misfit > maxMisfit {
		return d, fmt.Errorf("sample: the data are no draw of this model: their squared distance from what "+
			"%v expects is %.3g per cell, where 1 is usual (%s %d is %.3g standard deviations off by itself); "+
			"check the data, give the prior a nugget, or take a family with overdispersion",
			m.prior, d.Misfit, m.forward.Place(), f.farthest.cell, f.farthest.value)
	}
	return d, nil
}

// epsilon returns the relative rounding error of a type.
func epsilon(d dtypes.DType) float64 {
	if d == dtypes.Float64 {
		return 0x1p-53
	}
	return 0x1p-24
}

// coupling returns the largest eigenvalue of √W K √W, with the precisions W of the sites and the prior's covariance
// K, to a tenth. It is what the data of all cells together tell about the direction of which they tell most.
func (f diagnosis) coupling(multiply func(v []float64) []float64) float64 {
	root, u := make([]float64, len(f.sites)), make([]float64, len(f.sites))
	for j, s := range f.sites {
		root[j] = math.Sqrt(s.precision)
		u[j] = root[j] * (1 + 0.1*math.Sin(float64(j))) // no eigenvector is orthogonal to it by symmetry
	}
	return largest(u, 15, func(v []float64) []float64 {
		floats.Mul(v, root)
		copy(v, multiply(v))
		floats.Mul(v, root)
		return v
	})
}

// largest returns the largest eigenvalue of a matrix after n products with vectors, the first of them with u.
func largest(u []float64, n int, multiply func(v []float64) []float64) (lambda float64) {
	for range n {
		floats.Scale(1/math.Max(floats.Norm(u, 2), 1e-300), u)
		u = multiply(u)
		lambda = floats.Norm(u, 2)
	}
	return lambda
}

// misfit returns yᵀ(K + W⁻¹)⁻¹y per site of positive precision. Here y and W are the values and the precisions of the
// sites, and K is the prior's covariance; see [Demand]. Conjugate gradients solve (I + √W K √W) u = √W y. The quadratic
// form is the sum over their steps of the step length times |r|², where r is the residual before the step.
func (f diagnosis) misfit(multiply func(v []float64) []float64) float64 {
	d := len(f.sites)
	root, r, n := make([]float64, d), make([]float64, d), 0
	for j, s := range f.sites {
		if s.precision > 0 {
			n++
		}
		root[j] = math.Sqrt(s.precision)
		r[j] = root[j] * s.value
	}
	if n == 0 {
		return 0
	}
	p, image := append([]float64(nil), r...), make([]float64, d)
	rr := floats.Dot(r, r)
	var sum float64
	for tolerance, steps := 1e-12*rr, 0; rr > tolerance && steps < 2*n+20; steps++ {
		floats.MulTo(image, root, p)
		copy(image, multiply(image))
		floats.Mul(image, root)
		floats.Add(image, p)
		length := rr / floats.Dot(p, image)
		sum += length * rr
		floats.AddScaled(r, -length, image)
		next := floats.Dot(r, r)
		floats.AddScaledTo(p, r, next/rr, p)
		rr = next
	}
	return sum / float64(n)
}
