package gmrf

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/expfam/lab/expfam"
)

// through is how data look at the field through an operator. With J the Jacobian of what they
// look at, H for a linear operator and H_kj f′(xⱼ)/θ_k for a sum of intensities, the
// information of the log-likelihood is taken as Jᵀ W J, W those of the data one by one: that of
// the model that is linear at the present point. At the mode this is what the iterated
// linearisation of inlabru ends with (Lindgren et al. 2024, arXiv 2407.00791).
type through struct {
	forward *expfam.Forward
	lattice *lattice
	obs     expfam.Observations
	place   []int // on the lattice, of each cell of the grid
	width   int   // how far apart two cells of a datum are on the lattice, at most
}

// sites are the data at a point: rows of J by cells of the grid, and W.
type sites struct {
	rows func(k int, visit func(cell int, weight float64))
	w    []float64
}

// mostBand is the largest band of a precision in numbers, 4 GB. Two or three are needed.
const mostBand = 1 << 29

func newThrough(prior Prior, l *lattice, terms *expfam.Terms, obs expfam.Observations) (*through, error) {
	g := prior.Grid
	f, err := terms.Forward(g.Len())
	if err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	if len(obs) != f.Data() {
		return nil, fmt.Errorf("gmrf: %d observations of %d data; give one term for each row of an operator", len(obs), f.Data())
	}
	if err := f.Check(obs); err != nil {
		return nil, fmt.Errorf("gmrf: %w", err)
	}
	if prior.Nugget != 0 || prior.FitNugget {
		return nil, errors.New("gmrf: a nugget with an operator; effects of single cells are for data of single cells, leave Nugget and FitNugget out")
	}
	t := &through{forward: f, lattice: l, obs: obs, place: make([]int, g.Len())}
	start := make([]float64, g.Len())
	for k, j := range l.order {
		t.place[j], start[j] = k, prior.Level
	}
	rows, _ := f.Precision(start, obs)
	for k, term := range obs {
		if term == (expfam.Term{}) {
			continue
		}
		first, last, outside := len(start), -1, -1
		rows(k, func(j int, _ float64) {
			first, last = min(first, t.place[j]), max(last, t.place[j])
			if !g.Inside(j) {
				outside = j
			}
		})
		if outside >= 0 {
			return nil, fmt.Errorf("gmrf: datum %d looks at cell %d, which lies outside of the domain; leave such cells out of the operator", k, outside)
		}
		t.width = max(t.width, last-first)
	}
	if numbers := len(start) * (t.width + 1); numbers > mostBand {
		return nil, fmt.Errorf("gmrf: data look at cells %d places apart, and a band as wide of %d cells takes %.1f GB; take a coarser grid", t.width, len(start), 8*float64(numbers)/(1<<30))
	}
	return t, nil
}

// band is how many numbers the precision of the posterior has. t may be nil.
func (t *through) band(p blas64.SymmetricBand) int {
	if t == nil {
		return len(p.Data)
	}
	return p.N * (max(t.width, p.K) + 1)
}

// logLik is log p(y | x) and its slopes, for x in the order of the lattice.
func (m *model) logLik(x, slope []float64) float64 {
	if m.through == nil {
		return m.terms.LogLikSlope(x, m.obs, slope)
	}
	gradient := make([]float64, len(x))
	v := m.through.forward.LogLikSlope(m.lattice.restore(x), m.obs, gradient)
	for k, j := range m.lattice.order {
		slope[k] = gradient[j]
	}
	return v
}

// look leaves the sites at the present point, and in w the product Jᵀ W J 1, which says how
// the level is seen.
func (c *climb) look() error {
	m := c.model
	c.sites.rows, c.sites.w = m.through.forward.Precision(m.lattice.restore(c.x), m.obs)
	clear(c.w)
	for k, w := range c.sites.w {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("gmrf: datum %d: information %g; check the link there", k, w)
		}
		if w == 0 {
			if m.obs[k] != (expfam.Term{}) {
				c.notConcave++
			}
			continue
		}
		var sum float64
		c.sites.rows(k, func(_ int, v float64) { sum += v })
		c.sites.rows(k, func(j int, v float64) { c.w[m.through.place[j]] += w * v * sum })
	}
	for i, s := range c.slope {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("gmrf: cell %d: slope %g at x₀ = %g; check the link there", m.lattice.order[i], s, c.x[i])
		}
	}
	return nil
}

// entries lists the cells of a datum by their place on the lattice.
func (t *through) entries(s sites, k int, row []entry) []entry {
	row = row[:0]
	s.rows(k, func(j int, v float64) { row = append(row, entry{t.place[j], v}) })
	slices.SortFunc(row, func(a, b entry) int { return a.at - b.at })
	return row
}

// add is P + Jᵀ W J as a band in memory.
func (t *through) add(p blas64.SymmetricBand, s sites, memory []float64) blas64.SymmetricBand {
	width := max(t.width, p.K)
	sum := blas64.SymmetricBand{Uplo: blas.Upper, N: p.N, K: width, Stride: width + 1, Data: memory}
	clear(memory)
	for i := range p.N {
		copy(memory[i*sum.Stride:], p.Data[i*p.Stride:(i+1)*p.Stride])
	}
	var row []entry
	for k, w := range s.w {
		if w == 0 {
			continue
		}
		row = t.entries(s, k, row)
		for n, a := range row {
			out, f := memory[a.at*sum.Stride:], w*a.value
			for _, b := range row[n:] {
				out[b.at-a.at] += f * b.value
			}
		}
	}
	return sum
}

// centreThrough is [Approximation.centre] where data look through an operator: the third
// derivatives of the log-likelihood pull the mean off the mode by C t/2. Of datum k, with η = J x
// to the first order and v = J C Jᵀ,
//
//	tⱼ = J_kj (ℓ‴ v − W (Σ_l J_kl ρ_l C_ll − 3v + 2 ρⱼ (C Jᵀ)ⱼ)),
//
// where the bracket after W is there for sums of intensities, whose logarithm bends by
// diag(J ρ) − JᵀJ, ρ = f″/f′. The slope ℓ′ times the third derivative of that logarithm is left
// out: it has the size of the noise.
func (a *Approximation) centreThrough() {
	t, n, x := a.model.through, len(a.x), a.lattice.restore(a.x)
	sigma := inverseBand(a.u)
	a.variance = make([]float64, n)
	for i := range a.variance {
		a.variance[i] = sigma[i*a.u.Stride] + a.h[i]*a.h[i]/a.s
	}
	third, bends := t.third(x, a.sites.w), t.forward.Bends(x)
	shift := make([]float64, n)
	var row []entry
	var spread []float64 // C Jᵀ
	for k, w := range a.sites.w {
		if w == 0 {
			continue
		}
		row = t.entries(a.sites, k, row)
		spread = a.spread(sigma, row, spread)
		var v, bent float64
		for i, c := range row {
			v += c.value * spread[i]
		}
		rho := bends(k)
		if rho != nil {
			for _, c := range row {
				bent += c.value * rho[a.lattice.order[c.at]] * a.variance[c.at]
			}
		}
		for i, c := range row {
			pull := third[k] * v
			if rho != nil {
				pull -= w * (bent - 3*v + 2*rho[a.lattice.order[c.at]]*spread[i])
			}
			shift[c.at] += c.value * pull / 2
		}
	}
	a.shift(shift)
	a.mean = make([]float64, n)
	for i, s := range shift {
		most := math.Sqrt(a.variance[i])
		a.mean[i] = a.x[i] + math.Min(math.Max(s, -most), most)
	}
	a.fieldMean = a.mean
}

// spread is C times a row, at the cells of the row.
func (a *Approximation) spread(sigma []float64, row []entry, out []float64) []float64 {
	out = append(out[:0], make([]float64, len(row))...)
	var level float64
	for _, c := range row {
		level += c.value * a.h[c.at] / a.s
	}
	for i, c := range row {
		band := sigma[c.at*a.u.Stride:]
		out[i] += c.value*band[0] + a.h[c.at]*level
		for k, d := range row[i+1:] {
			v := band[d.at-c.at]
			out[i] += d.value * v
			out[i+1+k] += c.value * v
		}
	}
	return out
}

// third are the third derivatives of the log-likelihoods in what data look at, by central
// differences over a thousandth of the smaller of 1 and of 1/√W; 0 where these leave the link's
// domain.
func (t *through) third(x, w []float64) []float64 {
	eta, err := t.forward.Look(x)
	if err != nil {
		panic(err) // the mode was found there
	}
	n := len(eta)
	at, ahead, behind := make([]float64, n), make([]float64, n), make([]float64, n)
	step := func(k int) float64 { return 1e-3 / math.Max(1, math.Sqrt(w[k])) }
	for k, v := range eta {
		at[k] = v + step(k)
	}
	t.forward.Informations(at, t.obs, ahead)
	for k, v := range eta {
		at[k] = v - step(k)
	}
	t.forward.Informations(at, t.obs, behind)
	for k := range ahead {
		d := (behind[k] - ahead[k]) / (2 * step(k))
		if math.IsNaN(d) || math.IsInf(d, 0) {
			d = 0
		}
		ahead[k] = d
	}
	return ahead
}
