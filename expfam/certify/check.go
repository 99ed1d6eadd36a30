package certify

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam/internal/certify"
)

// Options say how draws are judged.
type Options struct {
	// Rate is the probability with which exact draws are called wrong; 0 means .01.
	Rate float64
}

// Check compares draws with the posterior of their scores by Stein's identities, which hold for exact draws, any
// constant c and any vectors a and b:
//
//	E[b·s] = 0,  E[(a·(x − c)) (b·s)] = −a·b.
//
// They are compared for each parameter, whose score is that of the parameter alone (b the row of J⁻¹, the information
// of [information]); on average over all parameters; and along the directions that look worst. Whatever is chosen by
// draws, b and the directions, is chosen by one half of the draws and tested on the other half, so that the identities
// hold exactly for what is tested. Draws of chains count by their effective number.
func Check(d Draws, o Options) (*Report, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	if o.Rate == 0 {
		o.Rate = 0.01
	}
	n, m := d.X.Dims()
	c := &comparison{Draws: d}
	for h := range 2 {
		c.x[h], c.s[h] = d.rows(h)
		c.info[h] = informationOf(c.x[h], c.s[h])
	}
	r := &Report{Rate: o.Rate, Draws: n, Chains: d.Chains}
	shifts, widths := c.parameters(r)
	mean := c.mean()
	r.MeanWidth = math.Sqrt(math.Max(mean.Mean, leastWidth*leastWidth))
	r.MeanWidthSE = mean.SE / (2 * r.MeanWidth)
	tests := []certify.Test{{P: certify.Largest(shifts), Share: 0.3}, {P: certify.Largest(widths), Share: 0.2},
		{P: mean.P(), Share: 0.15}}
	if m > 1 {
		for h := range 2 {
			for _, w := range []worst{c.worstWidth(h), c.worstShift(h)} {
				tests = append(tests, certify.Test{P: w.series.P(), Share: w.share})
				if math.Abs(w.series.T) > math.Abs(r.Worst.T) {
					r.Worst = w.direction(d.Names)
				}
			}
		}
	} else {
		tests[0].Share, tests[1].Share = 0.5, 0.35
	}
	r.P = math.Min(1, certify.Together(tests...))
	c.signs(r)
	r.judge()
	return r, nil
}

// comparison has the draws and scores of both halves.
type comparison struct {
	Draws
	x, s [2]*mat.Dense
	info [2]*information
}

// rows returns the draws and the scores of a half.
func (d Draws) rows(half int) (x, s *mat.Dense) {
	n, m := d.X.Dims()
	var flatX, flatS []float64
	for i := range n {
		if d.half(i) == half {
			flatX, flatS = append(flatX, d.X.RawRowView(i)...), append(flatS, d.S.RawRowView(i)...)
		}
	}
	return mat.NewDense(len(flatX)/m, m, flatX), mat.NewDense(len(flatS)/m, m, flatS)
}

// parameters compares each parameter alone. The b of a draw comes from the half that the draw is not in.
func (c *comparison) parameters(r *Report) (shifts, widths []certify.Series) {
	n, m := c.X.Dims()
	scores, products := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	for i := range n {
		f := c.info[1-c.half(i)]
		s, scale := f.efficient(c.S.RawRowView(i))
		for k, v := range s {
			scores.Set(i, k, v)
			products.Set(i, k, -v*(c.X.At(i, k)-f.centre[k])*scale[k])
		}
	}
	for k := range m {
		s := mat.Col(nil, k, scores)
		shift := certify.Of(s, 0, c.Chains)
		width := certify.Of(mat.Col(nil, k, products), 1, c.Chains)
		root := math.Sqrt(math.Max(width.Mean, 1e-6))
		p := Parameter{Name: c.Names[k], Shift: -shift.Mean * root, ShiftSE: shift.SE * root, Width: root,
			WidthSE: width.SE / (2 * root), Draws: shift.N}
		var slack float64
		for _, f := range c.info {
			_, scale := f.efficient(c.S.RawRowView(0))
			slack += scale[k] * scale[k] / 2
		}
		p.Spread = stat.Variance(mat.Col(nil, k, c.X), nil) * slack / math.Max(width.Mean*width.Mean, 1e-6)
		p.Tail = tail(s)
		p.RHat = c.rhat(k)
		r.Parameters = append(r.Parameters, p)
		r.Effective += shift.N / float64(m)
		r.Location += p.Shift * p.Shift / float64(m)
		r.Floor += p.ShiftSE * p.ShiftSE / float64(m)
		shifts, widths = append(shifts, shift), append(widths, width)
		if t := math.Abs(shift.T); m == 1 && t > math.Abs(r.Worst.T) {
			r.Worst = Direction{Of: ofLocation, Names: c.Names, Weights: []float64{1}, Value: p.Shift, SE: p.ShiftSE,
				T: shift.T}
		}
	}
	r.Location, r.Floor = math.Sqrt(r.Location), math.Sqrt(r.Floor)
	return shifts, widths
}

// mean compares the mean of −(x − c)·s over all parameters, which depends on no information.
func (c *comparison) mean() certify.Series {
	n, m := c.X.Dims()
	values := make([]float64, n)
	for i := range values {
		centre := c.info[1-c.half(i)].centre
		for k := range m {
			values[i] -= (c.X.At(i, k) - centre[k]) * c.S.At(i, k) / float64(m)
		}
	}
	return certify.Of(values, 1, c.Chains)
}
