package increments

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// collapsed is the normal model y = B u + σ z of data, in which increment j is N(0, τⱼ). It holds the variances τ and
// what the data say with the increments integrated out. Let
//
//	M = (σ²I + Σ τⱼ BⱼBⱼᵀ)⁻¹,  G = BᵀMB,  g = BᵀMy.
//
// If the variance of an increment changes from τ to τ + δ, the log evidence changes by −½ log(1 + δGⱼⱼ) + ½ c gⱼ² with
// c = δ/(1 + δGⱼⱼ). G changes by −c GⱼGⱼᵀ, and g by −c Gⱼgⱼ. A proposal therefore costs a few operations, and a change
// costs a rank-one update.
type collapsed struct {
	information, pull []float64 // G and g where all variances are 0
	big, small        []float64 // G and g for the present variances
	tau               []float64
	u, mean           []float64 // the last draw of increments, and their mean given τ
	age               int       // sweeps since G and g were last computed anew
}

// reach is the largest distance, in cells, at which increments exchange their variances.
const reach = 4

// newCollapsed returns a model whose variances are all 0. Its pull is set later.
func newCollapsed(cells int, information []float64) *collapsed {
	return &collapsed{information: information, big: make([]float64, cells*cells), small: make([]float64, cells),
		tau: make([]float64, cells), u: make([]float64, cells), mean: make([]float64, cells)}
}

// renew computes G and g anew, which removes the rounding errors of many updates.
func (c *collapsed) renew() {
	copy(c.big, c.information)
	copy(c.small, c.pull)
	for j, tau := range c.tau {
		if tau > 0 {
			c.add(j, tau)
		}
	}
	c.age = 0
}

// grow counts a sweep. It computes G and g anew after a hundred sweeps.
func (c *collapsed) grow() {
	if c.age++; c.age > 100 {
		c.renew()
	}
}

// set sets the variance of increment j.
func (c *collapsed) set(j int, tau float64) {
	c.add(j, tau-c.tau[j])
	c.tau[j] = tau
}

// add changes G and g by a change δ of the variance of increment j.
func (c *collapsed) add(j int, delta float64) {
	n := len(c.tau)
	row := c.big[j*n : (j+1)*n]
	share := delta / (1 + delta*row[j])
	pull, column := c.small[j], append([]float64(nil), row...)
	for i, v := range column {
		f := share * v
		if f == 0 {
			continue
		}
		to := c.big[i*n : (i+1)*n]
		for k, w := range column {
			to[k] -= f * w
		}
		c.small[i] -= f * pull
	}
}

// gain returns the change of the log evidence if the variance of increment j changes by δ.
func (c *collapsed) gain(j int, delta float64) float64 {
	return gain(c.big[j*len(c.tau)+j], c.small[j], delta)
}

// gain returns the change of the log evidence if the variance of an increment changes by δ. g is Gⱼⱼ and pull is gⱼ.
func gain(g, pull, delta float64) float64 {
	d := 1 + delta*g
	return (delta/d*pull*pull - math.Log(d)) / 2
}

// pair holds the entries of G (a, b, ab) and of g (pa, pb) that belong to two increments.
type pair struct{ a, b, ab, pa, pb float64 }

func (c *collapsed) pair(i, j int) pair {
	n := len(c.tau)
	return pair{c.big[i*n+i], c.big[j*n+j], c.big[i*n+j], c.small[i], c.small[j]}
}

// first returns the pair after δ is added to the variance of its first increment, and the change of the log evidence.
func (p pair) first(delta float64) (pair, float64) {
	c := delta / (1 + delta*p.a)
	return pair{p.a - c*p.a*p.a, p.b - c*p.ab*p.ab, p.ab - c*p.a*p.ab, p.pa - c*p.a*p.pa, p.pb - c*p.ab*p.pa},
		gain(p.a, p.pa, delta)
}

// swapped returns the pair with its increments in the other order.
func (p pair) swapped() pair { return pair{p.b, p.a, p.ab, p.pb, p.pa} }

// conditional returns the Cholesky factor of the covariance T − T G T of the increments whose variances are positive.
// It is not ok if rounding errors have made the covariance indefinite.
func (c *collapsed) conditional(on []int) (factor *mat.Cholesky, ok bool) {
	n, cov := len(c.tau), mat.NewSymDense(len(on), nil)
	for a, i := range on {
		for b, j := range on[:a+1] {
			v := -c.tau[i] * c.big[i*n+j] * c.tau[j]
			if a == b {
				v += c.tau[i] * (1 + 1e-10) // against rounding errors where the data are informative
			}
			cov.SetSym(a, b, v)
		}
	}
	factor = new(mat.Cholesky)
	return factor, factor.Factorize(cov)
}

// increments draws the increments given τ into u, and their mean into mean. Those of positive variance follow
// N(T g, T − T G T), with T the diagonal matrix of their τ. The others are 0.
func (c *collapsed) increments(rng *rand.Rand) error {
	var on []int
	for j, tau := range c.tau {
		c.u[j], c.mean[j] = 0, 0
		if tau > 0 {
			on = append(on, j)
		}
	}
	if len(on) == 0 {
		return nil
	}
	factor, ok := c.conditional(on)
	if !ok { // rounding errors of many changes have added up
		c.renew()
		if factor, ok = c.conditional(on); !ok {
			return fmt.Errorf("increments: the covariance of %d increments is not positive definite; give the data "+
				"more noise", len(on))
		}
	}
	z := make([]float64, len(on))
	for a := range z {
		z[a] = rng.NormFloat64()
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	var move mat.VecDense
	move.MulVec(&lower, mat.NewVecDense(len(z), z))
	for a, j := range on {
		c.mean[j] = c.tau[j] * c.small[j]
		c.u[j] = c.mean[j] + move.AtVec(a)
	}
	return nil
}

// draw draws an index with probability ∝ exp(logs).
func draw(logs []float64, rng *rand.Rand) int {
	high := logs[0]
	for _, v := range logs {
		high = math.Max(high, v)
	}
	var sum float64
	for _, v := range logs {
		sum += math.Exp(v - high)
	}
	u := rng.Float64() * sum
	for i, v := range logs {
		if u -= math.Exp(v - high); u < 0 {
			return i
		}
	}
	return len(logs) - 1
}
