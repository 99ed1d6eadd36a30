package expfam

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/latent"
)

// comparison is what a certificate compares: draws, the number of the prior of each, and the data.
type comparison struct {
	x          *mat.Dense
	chains     int // 0 if the draws are independent
	which      []int
	parameters [][]float64 // ranks of the draws of each unknown number
	data       latent.Data
	prior      func(number int) any
	name       string // of the directions
}

// thin keeps every n-th draw of each chain. Independent draws count as one chain.
func (c *comparison) thin(n int) {
	draws, cells := c.x.Dims()
	chains := max(1, c.chains)
	length := draws / chains
	var flat []float64
	var numbers []int
	parameters := make([][]float64, len(c.parameters))
	for chain := range chains {
		for i := chain * length; i+n <= (chain+1)*length; i += n {
			flat = append(flat, c.x.RawRowView(i)...)
			numbers = append(numbers, c.which[i])
			for k, q := range c.parameters {
				parameters[k] = append(parameters[k], q[i])
			}
		}
	}
	c.x, c.which, c.parameters = mat.NewDense(len(flat)/cells, cells, flat), numbers, parameters
}

// standardised returns w and s_u of [Posterior.Certify], (draws, modes), from coarse to fine, in the coarsest modes
// that all priors have.
func (c *comparison) standardised() (position, score *mat.Dense, err error) {
	draws, _ := c.x.Dims()
	first, err := whiteningOf(c.prior(c.which[0]), c.x)
	if err != nil {
		return nil, nil, err
	}
	c.name = first.name
	groups := map[int][]int{}
	var numbers []int
	for i, number := range c.which {
		if groups[number] == nil {
			numbers = append(numbers, number)
		}
		groups[number] = append(groups[number], i)
	}
	var common information
	var near *similar
	if len(numbers) > 1 {
		near = c.similar()
	} else {
		common.rows, common.w = typical(c.x, c.data)
	}
	position, score = mat.NewDense(draws, mostModes, nil), mat.NewDense(draws, mostModes, nil)
	errs, modes := make([]error, len(numbers)), make([]int, len(numbers))
	parallel.For(len(numbers), parallel.Heavy, func(k int) {
		d, prior, data := first, c.prior(numbers[k]), c.data
		if own, ok := prior.(interface{ Data() latent.Data }); ok {
			data = own.Data()
		}
		if numbers[k] != c.which[0] {
			if d, errs[k] = whiteningOf(prior, c.x); errs[k] != nil {
				return
			}
		}
		_, modes[k] = d.l.Dims()
		group, info := groups[numbers[k]], common
		var centre func(draw int, to []float64)
		if near != nil {
			info, centre = near.information(group[0], data), near.mean
		}
		var r mat.TriDense
		if errs[k] = d.root(&r, info.rows, info.w); errs[k] != nil {
			return
		}
		z, middle, s := d.whiten(c.x, group, data, centre)
		if errs[k] = standardise(z, middle, s, &r); errs[k] != nil {
			return
		}
		for j, i := range group {
			copy(position.RawRowView(i)[:modes[k]], z.RawRowView(j))
			copy(score.RawRowView(i)[:modes[k]], s.RawRowView(j))
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	each := make([]int, draws)
	for k, number := range numbers {
		for _, i := range groups[number] {
			each[i] = modes[k]
		}
	}
	position, score = c.common(position, score, each)
	return position, score, nil
}

// common returns the modes that nearly all draws have, of these draws. Which draws are left out follows from their
// numbers alone, given which both identities hold. Chains keep all draws.
func (c *comparison) common(position, score *mat.Dense, modes []int) (*mat.Dense, *mat.Dense) {
	const least = 0.9
	sorted := slices.Sorted(slices.Values(modes))
	most := sorted[0]
	if c.chains == 0 {
		most = sorted[int((1-least)*float64(len(modes)))]
	}
	kept := 0
	for i, n := range modes {
		if n >= most {
			position.SetRow(kept, position.RawRowView(i))
			score.SetRow(kept, score.RawRowView(i))
			kept++
		}
	}
	return position.Slice(0, kept, 0, most).(*mat.Dense), score.Slice(0, kept, 0, most).(*mat.Dense)
}

// standardise turns z and s_z, whose columns go from fine to coarse, into w and s_u of [Posterior.Certify], from coarse
// to fine. The middle of each draw, or nil, is z̄ of other draws. It is shrunk by J⁻¹(J − I), as a prior of this draw's
// own numbers shrinks what the data say: without that, a draw with a small sd would lie far from the others' mean.
func standardise(z, middle, s *mat.Dense, r *mat.TriDense) error {
	var own, back mat.Dense
	own.Mul(z, r) // rows: wᵀ = zᵀ R
	if middle != nil {
		var whole, prior mat.Dense // Rᵀ J⁻¹ = R⁻¹
		whole.Mul(middle, r)
		if err := prior.Solve(r, middle.T()); err != nil && !finite(&prior) {
			return err
		}
		own.Sub(&own, &whole)
		own.Add(&own, prior.T())
	}
	if err := back.Solve(r, s.T()); err != nil && !finite(&back) {
		return err // without it, R is only ill conditioned
	}
	z.Copy(reversed(&own))
	s.Copy(reversed(back.T()))
	return nil
}

func finite(m *mat.Dense) bool { return !math.IsNaN(mat.Sum(m)) && !math.IsInf(mat.Sum(m), 0) }

// typical returns the median informations of the data over some draws, with rows as [latent.Data] has them.
func typical(x *mat.Dense, data latent.Data) (rows func(k int, visit func(cell int, weight float64)), w []float64) {
	const most = 15
	draws, _ := x.Dims()
	n := min(draws, most)
	all := make([][]float64, n)
	for i := range n {
		rows, all[i] = data.Precision(x.RawRowView(i * draws / n))
	}
	w = make([]float64, len(all[0]))
	column := make([]float64, n)
	for k := range w {
		for i := range all {
			column[i] = all[i][k]
		}
		slices.Sort(column)
		w[k] = column[n/2]
	}
	return rows, w
}
