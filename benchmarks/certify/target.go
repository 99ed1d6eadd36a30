// Package certify measures the certificate of draws of package expfam/certify on posteriors with known answers: how
// often it calls exact draws wrong, and how often draws that are moved, too narrow, too wide, of one mode, or of a
// normal approximation, beside the kernelised Stein discrepancy and R-hat.
package certify

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// Target is a log density with its gradient.
type Target struct {
	Name string
	Dim  int
	// LogDensity writes the gradient at x into grad and returns the log density up to a constant.
	LogDensity func(x, grad []float64) float64
	// Draw makes an independent draw, if that is possible; else it is nil, and [Target.Sample] runs a chain.
	Draw func(rng *rand.Rand, x []float64)
	// One makes an independent draw of one of the modes; nil if there is one mode.
	One func(rng *rand.Rand, x []float64)
	// Lag is the correlation of neighbours in chains of exact draws of a normal posterior; 0 for independent draws.
	Lag float64
}

// Targets are forty posteriors.
func Targets() (all []Target) {
	for _, d := range []int{1, 2, 10, 40} {
		for _, rho := range []float64{0.3, 0.9} {
			if d > 1 || rho < 0.5 {
				all = append(all, normal(d, rho, 0))
			}
		}
	}
	for seed := range uint64(8) {
		all = append(all, regression(seed, []int{3, 8}[seed%2], true), regression(seed, []int{3, 8}[seed%2], false))
	}
	for seed := range uint64(5) {
		all = append(all, districts(seed))
	}
	for _, lag := range []float64{0.5, 0.8, 0.9, 0.95} {
		all = append(all, normal(5, 0.6, lag))
	}
	all = append(all, funnel(2), funnel(5), student(3, 6), student(6, 4))
	for _, at := range []float64{1.5, 2, 3, 5} {
		all = append(all, mixture(2, at))
	}
	return all
}

// normal has correlations ρ^|i−j|.
func normal(d int, rho, lag float64) Target {
	step := math.Sqrt(1 - rho*rho)
	return Target{Name: fmt.Sprintf("normal/d=%d/rho=%v/lag=%v", d, rho, lag), Dim: d, Lag: lag,
		LogDensity: func(x, grad []float64) float64 {
			clear(grad)
			grad[0] = -x[0]
			sum := x[0] * x[0]
			for k := 1; k < d; k++ {
				e := (x[k] - rho*x[k-1]) / step
				sum += e * e
				grad[k] -= e / step
				grad[k-1] += rho * e / step
			}
			return -sum / 2
		},
		Draw: func(rng *rand.Rand, x []float64) {
			x[0] = rng.NormFloat64()
			for k := 1; k < d; k++ {
				x[k] = rho*x[k-1] + step*rng.NormFloat64()
			}
		}}
}

// regression is of 60 trials or counts on d covariates, with priors N(0, 2²).
func regression(seed uint64, d int, logistic bool) Target {
	const n, sd = 60, 2.0
	rng := rand.New(rand.NewPCG(seed, 7))
	design, y := make([][]float64, n), make([]float64, n)
	beta := make([]float64, d)
	for k := range beta {
		beta[k] = 0.7 * rng.NormFloat64() / math.Sqrt(float64(d))
	}
	for i := range design {
		design[i] = make([]float64, d)
		design[i][0] = 1
		for k := 1; k < d; k++ {
			design[i][k] = rng.NormFloat64()
		}
		eta := floats.Dot(design[i], beta)
		if logistic && rng.Float64() < 1/(1+math.Exp(-eta)) {
			y[i] = 1
		}
		if !logistic {
			for limit, p := math.Exp(-math.Exp(eta)), rng.Float64(); p > limit; p *= rng.Float64() {
				y[i]++
			}
		}
	}
	name := map[bool]string{true: "logistic", false: "poisson"}[logistic]
	return Target{Name: fmt.Sprintf("%s/d=%d/%d", name, d, seed), Dim: d,
		LogDensity: func(x, grad []float64) float64 {
			var sum float64
			for k, v := range x {
				sum -= v * v / (2 * sd * sd)
				grad[k] = -v / (sd * sd)
			}
			for i, row := range design {
				eta := floats.Dot(row, x)
				mean := math.Exp(eta)
				if logistic {
					mean = 1 / (1 + math.Exp(-eta))
					sum += y[i]*eta - softplus(eta)
				} else {
					sum += y[i]*eta - mean
				}
				floats.AddScaled(grad, y[i]-mean, row)
			}
			return sum
		}}
}

func softplus(v float64) float64 { return math.Max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) }

// districts is BYM2 of 3 by 3 districts with counts: an intercept, the logarithm of the sd with a prior N(−1, .5²), the
// logit of the spatial share with N(0, 1), and standardised structured and free effects.
func districts(seed uint64) Target {
	const side, cells = 3, 9
	rng := rand.New(rand.NewPCG(seed, 11))
	y := make([]float64, cells)
	for i := range y {
		rate := 8 * math.Exp(0.4*rng.NormFloat64())
		for limit, p := math.Exp(-rate), rng.Float64(); p > limit; p *= rng.Float64() {
			y[i]++
		}
	}
	const scale = 0.9 // makes the mean marginal variance of the structured effects about 1
	return Target{Name: fmt.Sprintf("bym2/%d", seed), Dim: 3 + 2*cells,
		LogDensity: func(x, grad []float64) float64 {
			clear(grad)
			sd, share := math.Exp(x[1]), 1/(1+math.Exp(-x[2]))
			u, v := x[3:3+cells], x[3+cells:]
			sum := -x[0]*x[0]/8 - 2*(x[1]+1)*(x[1]+1) - x[2]*x[2]/2
			grad[0], grad[1], grad[2] = -x[0]/4, -4*(x[1]+1), -x[2]
			gu, gv := grad[3:3+cells], grad[3+cells:]
			total := floats.Sum(u)
			sum -= total * total / 2 // in place of the constraint
			for i := range cells {
				gu[i] -= total
				for _, j := range []int{i + 1, i + side} {
					if j >= cells || j == i+1 && j%side == 0 {
						continue
					}
					e := u[i] - u[j]
					sum -= scale * e * e / 2
					gu[i] -= scale * e
					gu[j] += scale * e
				}
				a, b := math.Sqrt(share), math.Sqrt(1-share)
				effect := a*u[i] + b*v[i]
				eta := math.Log(8) + x[0] + sd*effect
				r := y[i] - math.Exp(eta)
				sum += y[i]*eta - math.Exp(eta) - v[i]*v[i]/2
				grad[0] += r
				grad[1] += r * sd * effect
				grad[2] += r * sd * (u[i]*a*(1-share) - v[i]*b*share) / 2
				gu[i] += r * sd * a
				gv[i] += r*sd*b - v[i]
			}
			return sum
		}}
}

// funnel is Neal's: v ~ N(0, 1), and d−1 numbers of N(0, eᵛ).
func funnel(d int) Target {
	return Target{Name: fmt.Sprintf("funnel/d=%d", d), Dim: d,
		LogDensity: func(x, grad []float64) float64 {
			sum := -x[0] * x[0] / 2
			grad[0] = -x[0]
			for k := 1; k < d; k++ {
				p := math.Exp(-x[0])
				sum -= x[k]*x[k]*p/2 + x[0]/2
				grad[0] += x[k]*x[k]*p/2 - 0.5
				grad[k] = -x[k] * p
			}
			return sum
		},
		Draw: func(rng *rand.Rand, x []float64) {
			x[0] = rng.NormFloat64()
			for k := 1; k < d; k++ {
				x[k] = math.Exp(x[0]/2) * rng.NormFloat64()
			}
		}}
}

// student is Student's distribution with some degrees of freedom.
func student(d int, freedom float64) Target {
	return Target{Name: fmt.Sprintf("student/d=%d/nu=%v", d, freedom), Dim: d,
		LogDensity: func(x, grad []float64) float64 {
			q := 1 + floats.Dot(x, x)/freedom
			power := (freedom + float64(d)) / 2
			for k, v := range x {
				grad[k] = -power * 2 * v / (freedom * q)
			}
			return -power * math.Log(q)
		},
		Draw: func(rng *rand.Rand, x []float64) {
			var chi float64
			for range int(freedom) {
				e := rng.NormFloat64()
				chi += e * e
			}
			for k := range x {
				x[k] = rng.NormFloat64() * math.Sqrt(freedom/chi)
			}
		}}
}

// mixture has two modes of N(±at e₁, I), of .7 and .3.
func mixture(d int, at float64) Target {
	const weight = 0.7
	one := func(rng *rand.Rand, x []float64) {
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		x[0] += at
	}
	return Target{Name: fmt.Sprintf("mixture/%v", at), Dim: d,
		LogDensity: func(x, grad []float64) float64 {
			a := math.Log(weight) - (x[0]-at)*(x[0]-at)/2
			b := math.Log(1-weight) - (x[0]+at)*(x[0]+at)/2
			most := math.Max(a, b)
			sum := most + math.Log(math.Exp(a-most)+math.Exp(b-most))
			grad[0] = -math.Exp(a-sum)*(x[0]-at) - math.Exp(b-sum)*(x[0]+at)
			for k := 1; k < d; k++ {
				sum -= x[k] * x[k] / 2
				grad[k] = -x[k]
			}
			return sum
		},
		Draw: func(rng *rand.Rand, x []float64) {
			one(rng, x)
			if rng.Float64() > weight {
				x[0] -= 2 * at
			}
		}, One: one}
}
