package diffusion

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
)

// misfit returns yᵀ(K + W⁻¹)⁻¹y per site of positive precision. Here y and W are the values and the precisions
// of the sites, and K is the prior's covariance; see [Demand]. Conjugate gradients solve
// (I + √W K √W) u = √W y. The quadratic form is the sum over their steps of the step length times |r|², where r
// is the residual before the step.
func (f diagnosis) misfit(prior expfam.Linear) float64 {
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
		copy(image, prior.Multiply(image))
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
