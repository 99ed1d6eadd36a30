package gmrf

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// move proposes a neighbouring point of the hyperparameters on the unit lattice, and returns the point of the chain
// afterwards. In half of the proposals x₀ stays as it is, which mixes where the data tell x₀. In the other half the
// whitened field and effects stay as they are and x₀ follows the hyperparameters, which mixes where they do not
// (Papaspiliopoulos, Roberts & Sköld 2007, Statistical Science 22).
func (p *polish) move(ctx context.Context, k int, w *walker) (int, error) {
	q, ok := p.beside(k, w.rng)
	centred, u := w.rng.IntN(2) == 0, w.rng.Float64()
	if !ok {
		return k, nil
	}
	next, err := p.at(ctx, q)
	if err != nil {
		return k, err
	}
	s, gain := w.now, 0.0
	slope := make([]float64, len(s.x))
	if centred {
		gain = next.logPrior(s) - w.t.logPrior(s)
	} else {
		s = w.t.follows(s, next)
		gain = p.points[q].logPrior - p.points[k].logPrior
	}
	if !centred || p.model.mixed != nil {
		gain += next.model.logLik(s.x, slope) - w.t.model.logLik(w.now.x, slope)
	}
	if !(math.Log(u) < gain) {
		return k, nil
	}
	w.t = next
	w.set(s)
	return q, nil
}

// beside proposes a point: a neighbour on the unit lattice, or any other point of a design.
func (p *polish) beside(k int, rng *rand.Rand) (q int, ok bool) {
	if p.model.precision.N >= designed {
		q = rng.IntN(len(p.points) - 1)
		if q >= k {
			q++
		}
		return q, true
	}
	at := p.points[k].at
	axis, by := rng.IntN(len(p.model.axes())), 1-2*rng.IntN(2)
	at[axis] += by
	q, ok = p.index[at]
	return q, ok
}

// follows returns the state with the whitened field and effects of s under the hyperparameters of next. The level
// stays.
func (t *target) follows(s state, next *target) state {
	l, from, to := t.lattice, t.spectrum, next.spectrum
	f := mat.NewDense(l.rows, l.cols, nil)
	raw := f.RawMatrix().Data
	for i, v := range s.field {
		raw[i] = (v - s.level) * from.scale[i] / t.hyper.sd
	}
	z := l.analyse(f)
	for i, v := range to.inverse.RawMatrix().Data {
		z.RawMatrix().Data[i] *= math.Sqrt(v / from.inverse.RawMatrix().Data[i])
	}
	out := state{s.level, make([]float64, len(s.field)), make([]float64, len(s.x))}
	ratio := 0.0
	if t.hyper.nugget > 0 {
		ratio = next.hyper.nugget / t.hyper.nugget
	}
	for i, v := range l.synthesise(z).RawMatrix().Data {
		out.field[i] = s.level + next.hyper.sd*v/to.scale[i]
		out.x[i] = out.field[i] + ratio*(s.x[i]-s.field[i])
	}
	return out
}
