package counts

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
)

// TotalVariation is the intensity θ ≥ 0 on a grid that makes
//
//	Σ_k (e_k ((Hθ)_k + b_k) − y_k log((Hθ)_k + b_k)) + Weight Σⱼ |(∇θ)ⱼ|
//
// least: Poisson counts of sums, as [RichardsonLucy] has them, with the total variation as the
// penalty (Rudin, Osher & Fatemi 1992, Physica D 60; for counts Le, Chartrand & Asaki 2007).
// (∇θ)ⱼ are the differences to the next cells of the column and of the row, 0 at the last. It is
// found by the primal-dual method of Chambolle & Pock (2011, J. Math. Imaging Vis. 40) with the
// diagonal steps of Pock & Chambolle (2011, ICCV). It is an estimate without draws.
type TotalVariation struct {
	Rows, Cols int
	Weight     float64 // default 1
	// Iterations of the method, at most. Default 1000. It ends when over ten iterations no cell
	// has changed by more than Tolerance times the largest cell. Default of Tolerance: 1e-5.
	Iterations int
	Tolerance  float64
}

func (v TotalVariation) orDefault() TotalVariation {
	if v.Weight == 0 {
		v.Weight = 1
	}
	if v.Iterations == 0 {
		v.Iterations = 1000
	}
	if v.Tolerance == 0 {
		v.Tolerance = 1e-5
	}
	return v
}

// Estimate is θ of every cell.
func (v TotalVariation) Estimate(like expfam.Likelihood, obs expfam.Observations) ([]float64, error) {
	v = v.orDefault()
	m, err := newMissingData(like, obs)
	if err != nil {
		return nil, err
	}
	if v.Rows < 1 || v.Cols < 1 || v.Rows*v.Cols != m.h.Cols {
		return nil, fmt.Errorf("counts: total variation on a grid of %d by %d, and the operator looks at %d cells; give the grid of these", v.Rows, v.Cols, m.h.Cols)
	}
	if !(v.Weight > 0) || math.IsInf(v.Weight, 1) || v.Iterations < 1 || !(v.Tolerance > 0) {
		return nil, fmt.Errorf("counts: total variation with the weight %g, %d iterations and tolerance %g; all must be positive, or 0 for their default", v.Weight, v.Iterations, v.Tolerance)
	}
	theta, err := m.start(nil)
	if err != nil {
		return nil, err
	}
	v.solve(m, theta)
	return theta, nil
}

// Best is the estimate with the weight, of powers of two times Weight, whose sum of squared
// differences from the true θ is least among its neighbours. That weight is not known in
// practice, because it needs the truth; Best says what the method can achieve at most.
func (v TotalVariation) Best(like expfam.Likelihood, obs expfam.Observations, truth []float64) (theta []float64, weight float64, err error) {
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
		if len(got) != len(truth) {
			return tried{}, fmt.Errorf("counts: the truth has %d cells, and the operator looks at %d", len(truth), len(got))
		}
		t := tried{theta: got}
		for j, x := range got {
			t.error += (x - truth[j]) * (x - truth[j])
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

// objective is what the estimate makes least, at θ.
func (v TotalVariation) objective(m *missingData, theta []float64) float64 {
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

// gradient has the differences to the next cells.
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

// solve goes on from theta.
func (v TotalVariation) solve(m *missingData, theta []float64) {
	n, data := len(theta), m.h.Rows
	// Steps: 1 over the sums of |weights| of the columns of (H, ∇) and of its rows.
	tau, sigma := make([]float64, n), make([]float64, data)
	for k := range data {
		m.h.Row(k, func(j int, w float64) { tau[j] += w; sigma[k] += w })
	}
	for j := range tau {
		r, c := j/v.Cols, j%v.Cols
		for _, there := range []bool{r > 0, r+1 < v.Rows, c > 0, c+1 < v.Cols} {
			if there {
				tau[j]++
			}
		}
		tau[j] = 1 / tau[j]
	}
	for k := range sigma {
		sigma[k] = 1 / sigma[k]
	}
	const edge = 0.5 // the rows of ∇
	p, down, across := make([]float64, data), make([]float64, n), make([]float64, n)
	seen, pull, ahead := make([]float64, data), make([]float64, n), append([]float64(nil), theta...)
	gradDown, gradAcross, former := make([]float64, n), make([]float64, n), append([]float64(nil), theta...)
	for i := range v.Iterations {
		m.h.MulVec(seen, ahead)
		for k, z := range seen {
			// The proximal map of the conjugate of e (z + b) − y log(z + b).
			e, q := m.exposure[k], p[k]+sigma[k]*(z+m.background[k])
			p[k] = (q + e - math.Sqrt((q-e)*(q-e)+4*sigma[k]*m.counts[k])) / 2
		}
		v.gradient(ahead, gradDown, gradAcross)
		for j := range down {
			a, b := down[j]+edge*gradDown[j], across[j]+edge*gradAcross[j]
			shrink := math.Max(1, math.Hypot(a, b)/v.Weight)
			down[j], across[j] = a/shrink, b/shrink
		}
		m.h.MulTransVec(pull, p)
		for r := range v.Rows {
			for c := range v.Cols {
				j := r*v.Cols + c
				if r+1 < v.Rows {
					pull[j] -= down[j]
				}
				if r > 0 {
					pull[j] += down[j-v.Cols]
				}
				if c+1 < v.Cols {
					pull[j] -= across[j]
				}
				if c > 0 {
					pull[j] += across[j-1]
				}
			}
		}
		for j, old := range theta {
			theta[j] = math.Max(0, old-tau[j]*pull[j])
			ahead[j] = 2*theta[j] - old
		}
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
