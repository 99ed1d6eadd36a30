package reconstruct

import (
	"cmp"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
)

// TotalVariation is the intensity θ ≥ 0 on a grid that makes
//
//	Σ_k (e_k ((Hθ)_k + b_k) − y_k log((Hθ)_k + b_k)) + Weight Σⱼ |(∇θ)ⱼ|
//
// least. The data are y_k ~ Poisson(e_k ((Hθ)_k + b_k)), and the penalty is the total variation (Rudin, Osher & Fatemi
// 1992, Physica D 60; for counts Le, Chartrand & Asaki 2007). (∇θ)ⱼ has the differences to the next cell of the column
// and to the next cell of the row, 0 at the last cell. The estimate is found by the primal-dual method of Chambolle &
// Pock (2011, J. Math. Imaging Vis. 40) with the diagonal steps of Pock & Chambolle (2011, ICCV). There are no draws.
type TotalVariation struct {
	Rows, Cols int
	Weight     float64 // default 1
	// Iterations is how many iterations are made at most. Default 1000. They end earlier if within ten iterations no
	// cell has changed by more than Tolerance times the largest cell. Default of Tolerance: 1e-5.
	Iterations int
	Tolerance  float64
}

func (v TotalVariation) orDefault() TotalVariation {
	v.Weight = cmp.Or(v.Weight, 1)
	v.Iterations = cmp.Or(v.Iterations, 1000)
	v.Tolerance = cmp.Or(v.Tolerance, 1e-5)
	return v
}

// Estimate returns θ of every cell.
func (v TotalVariation) Estimate(like expfam.Likelihood, obs expfam.Observations) ([]float64, error) {
	v = v.orDefault()
	m, err := newEvents(like, obs)
	if err != nil {
		return nil, err
	}
	if v.Rows < 1 || v.Cols < 1 || v.Rows*v.Cols != m.h.Cols {
		return nil, fmt.Errorf("reconstruct: total variation on a grid of %d by %d, and the operator looks at %d "+
			"cells; give the grid of these", v.Rows, v.Cols, m.h.Cols)
	}
	if !(v.Weight > 0) || math.IsInf(v.Weight, 1) || v.Iterations < 1 || !(v.Tolerance > 0) {
		return nil, fmt.Errorf("reconstruct: total variation with the weight %g, %d iterations and tolerance %g; all "+
			"must be positive, or 0 for their default", v.Weight, v.Iterations, v.Tolerance)
	}
	theta, err := m.constant()
	if err != nil {
		return nil, err
	}
	v.solve(m, theta)
	return theta, nil
}

// Best returns the estimate with the weight, among Weight times powers of two, for which the sum
// of squared differences from the true θ is a local minimum. In practice that weight is not
// known, because it needs the truth. Best says what the method can achieve at most.
func (v TotalVariation) Best(like expfam.Likelihood, obs expfam.Observations, truth []float64) (theta []float64,
	weight float64, err error) {
	v = v.orDefault()
	type tried struct {
		theta []float64
		error float64
	}
	first, known := v.Weight, make(map[int]tried)
	at := func(power int) (tried, error) {
		if t, ok := known[power]; ok {
			return t, nil
		}
		v.Weight = first * math.Pow(2, float64(power))
		got, err := v.Estimate(like, obs)
		if err != nil {
			return tried{}, err
		}
		t := tried{theta: got}
		if t.error, err = away(got, truth); err != nil {
			return tried{}, err
		}
		known[power] = t
		return t, nil
	}
	best := 0
	for most := 30; most > 0; most-- {
		here, err := at(best)
		if err != nil {
			return nil, 0, err
		}
		next := best
		for _, power := range []int{best - 1, best + 1} {
			t, err := at(power)
			if err != nil {
				return nil, 0, err
			}
			if t.error < here.error {
				here, next = t, power
			}
		}
		if next == best {
			break
		}
		best = next
	}
	return known[best].theta, first * math.Pow(2, float64(best)), nil
}

// objective returns the function that the estimate minimises, at θ.
func (v TotalVariation) objective(m *events, theta []float64) float64 {
	v = v.orDefault()
	var sum float64
	expected := make([]float64, m.h.Rows)
	m.h.MulVec(expected, theta)
	for k, z := range expected {
		z += m.background[k]
		if sum += m.exposure[k] * z; m.counts[k] > 0 {
			sum -= m.counts[k] * math.Log(z)
		}
	}
	down, across := make([]float64, len(theta)), make([]float64, len(theta))
	v.gradient(theta, down, across)
	for j := range down {
		sum += v.Weight * math.Hypot(down[j], across[j])
	}
	return sum
}

// gradient writes the differences to the next cells of the column (down) and of the row (across).
func (v TotalVariation) gradient(theta, down, across []float64) {
	for r := range v.Rows {
		for c := range v.Cols {
			j := r*v.Cols + c
			down[j], across[j] = 0, 0
			if r+1 < v.Rows {
				down[j] = theta[j+v.Cols] - theta[j]
			}
			if c+1 < v.Cols {
				across[j] = theta[j+1] - theta[j]
			}
		}
	}
}

// primalDual is the state of the iteration.
type primalDual struct {
	v            TotalVariation
	m            *events
	theta, ahead []float64 // θ, and the extrapolation 2θ − θ′, with θ′ of the iteration before
	p            []float64 // multipliers of the data
	down, across []float64 // multipliers of the differences
	tau, sigma   []float64 // step sizes of θ and of p
	// The results of one iteration: H and ∇ applied to ahead, and Hᵀp + ∇ᵀ(down, across).
	seen, gradDown, gradAcross, pull []float64
}

// solve runs the iteration. theta is its start and then the estimate.
func (v TotalVariation) solve(m *events, theta []float64) {
	n, data := len(theta), m.h.Rows
	d := &primalDual{v: v, m: m, theta: theta, ahead: append([]float64(nil), theta...),
		p: make([]float64, data), down: make([]float64, n), across: make([]float64, n),
		seen: make([]float64, data), gradDown: make([]float64, n), gradAcross: make([]float64, n),
		pull: make([]float64, n)}
	d.steps()
	former := append([]float64(nil), theta...)
	for i := range v.Iterations {
		d.dual()
		d.primal()
		if i%10 == 9 {
			var change, largest float64
			for j, x := range theta {
				change, largest = math.Max(change, math.Abs(x-former[j])), math.Max(largest, x)
			}
			if change <= v.Tolerance*largest {
				return
			}
			copy(former, theta)
		}
	}
}

// steps sets the step sizes. tau is 1 over the sum of the |weights| in each column of (H, ∇), and
// sigma is 1 over the sum in each row of H.
func (d *primalDual) steps() {
	d.tau, d.sigma = make([]float64, len(d.theta)), make([]float64, len(d.p))
	for k := range d.sigma {
		d.m.h.Row(k, func(j int, w float64) { d.tau[j] += w; d.sigma[k] += w })
	}
	for j := range d.tau {
		r, c := j/d.v.Cols, j%d.v.Cols
		for _, there := range []bool{r > 0, r+1 < d.v.Rows, c > 0, c+1 < d.v.Cols} {
			if there {
				d.tau[j]++
			}
		}
		d.tau[j] = 1 / d.tau[j]
	}
	for k := range d.sigma {
		d.sigma[k] = 1 / d.sigma[k]
	}
}

// dual makes the step of the multipliers.
func (d *primalDual) dual() {
	const edge = 0.5 // the step size of the multipliers of the differences
	d.m.h.MulVec(d.seen, d.ahead)
	for k, z := range d.seen {
		// The proximal map of the conjugate of e (z + b) − y log(z + b).
		e, q := d.m.exposure[k], d.p[k]+d.sigma[k]*(z+d.m.background[k])
		d.p[k] = (q + e - math.Sqrt((q-e)*(q-e)+4*d.sigma[k]*d.m.counts[k])) / 2
	}
	d.v.gradient(d.ahead, d.gradDown, d.gradAcross)
	for j := range d.down {
		a, b := d.down[j]+edge*d.gradDown[j], d.across[j]+edge*d.gradAcross[j]
		shrink := math.Max(1, math.Hypot(a, b)/d.v.Weight)
		d.down[j], d.across[j] = a/shrink, b/shrink
	}
}

// primal makes the step of the intensities.
func (d *primalDual) primal() {
	d.m.h.MulTransVec(d.pull, d.p)
	rows, cols := d.v.Rows, d.v.Cols
	for r := range rows {
		for c := range cols {
			j := r*cols + c
			if r+1 < rows {
				d.pull[j] -= d.down[j]
			}
			if r > 0 {
				d.pull[j] += d.down[j-cols]
			}
			if c+1 < cols {
				d.pull[j] -= d.across[j]
			}
			if c > 0 {
				d.pull[j] += d.across[j-1]
			}
		}
	}
	for j, old := range d.theta {
		d.theta[j] = math.Max(0, old-d.tau[j]*d.pull[j])
		d.ahead[j] = 2*d.theta[j] - old
	}
}
