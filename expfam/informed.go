package expfam

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// place returns the word for the place of an observation: "cell" or "datum".
func (c *Compiled) place() string { return c.forward.place() }

// informed returns what the data say before the first step, and whether there are data. Without an operator
// the reading is of each cell. With an operator it is of each η_k (of log θ_k for a sum of intensities), under
// the prior's correlations of the cells.
func (c *Compiled) informed(ctx context.Context, obs Observations) (reading, bool, error) {
	if c.forward.plain() {
		return readingOf(c.terms, obs, c.mean, c.sd)
	}
	r, err := c.correlated(ctx)
	if err != nil {
		return reading{}, false, err
	}
	table := r.Table[len(r.Table)-1]
	var all reading
	found := false
	for _, s := range c.forward.sights {
		mean, sd, err := s.prior(r, table, c.mean, c.sd)
		if err != nil {
			return all, false, err
		}
		info, some, err := readingOf(s.terms, obs[s.first:s.first+s.rows], mean, sd)
		if err != nil {
			return all, false, err
		}
		info.newton = s.terms.newtonSteps(obs[s.first:s.first+s.rows], mean, sd)
		if !some {
			info.sites = make([]site, s.rows)
		} else if !found {
			sites := all.sites
			all, found = info.from(s.first), true
			all.sites = sites
		} else {
			all.merge(info.from(s.first))
		}
		all.sites = append(all.sites, info.sites...)
	}
	if found {
		all.sharpest.value = c.sharpest(all.sites)
	}
	return all, found, nil
}

// from returns the reading of a data set with its data numbered from first on.
func (f reading) from(first int) reading {
	for _, e := range []*extreme{&f.sharpest, &f.faintest, &f.farthest, &f.tightest, &f.coarsest} {
		e.cell += first
	}
	return f
}

// merge takes each extreme of g that is more extreme than the one of f.
func (f *reading) merge(g reading) {
	for _, e := range []struct{ mine, other *extreme }{{&f.sharpest, &g.sharpest}, {&f.faintest, &g.faintest}} {
		if e.other.value < e.mine.value {
			*e.mine = *e.other
		}
	}
	for _, e := range []struct{ mine, other *extreme }{{&f.farthest, &g.farthest}, {&f.tightest, &g.tightest}, {&f.coarsest, &g.coarsest}} {
		if e.other.value > e.mine.value {
			*e.mine = *e.other
		}
	}
	f.largest, f.newton = math.Max(f.largest, g.largest), max(f.newton, g.newton)
}

// prior returns the prior's mean and standard deviation of what each datum of a sight looks at: η_k, or
// log θ_k for a sum of intensities.
func (s sight) prior(r *correlations, table, mean, sd []float64) (m, spread []float64, err error) {
	if s.op == nil {
		return mean, sd, nil
	}
	m = make([]float64, s.rows)
	slopes, err := s.places(mean, m)
	if err != nil {
		return nil, nil, err
	}
	variance := make([]float64, len(sd))
	for j, v := range sd {
		if variance[j] = v * v; slopes != nil {
			variance[j] *= slopes[j] * slopes[j]
		}
	}
	spread = r.variances(s.h, s.squared, table, variance)
	for k, v := range spread {
		if spread[k] = math.Sqrt(v); s.sum != nil {
			spread[k] /= math.Exp(m[k])
		}
	}
	return m, spread, nil
}

// linear returns the functions u ↦ H u and y ↦ Hᵀ y on the host, with H linearised at the prior's mean.
func (f *Forward) linear(mean []float64) (to, from func(v []float64) []float64) {
	type part struct{ eta, slopes []float64 }
	parts := make([]part, len(f.sights))
	for i, s := range f.sights {
		eta := make([]float64, s.rows)
		slopes, _ := s.places(mean, eta) // checked by [sight.prior]
		parts[i] = part{eta, slopes}
	}
	to = func(u []float64) []float64 {
		out := make([]float64, f.data)
		for i, s := range f.sights {
			at, p := out[s.first:s.first+s.rows], parts[i]
			if s.op == nil {
				copy(at, u)
				continue
			}
			in := u
			if p.slopes != nil {
				in = floats.MulTo(make([]float64, len(u)), u, p.slopes)
			}
			s.h.MulVec(at, in)
			if s.sum != nil {
				for k := range at {
					at[k] /= math.Exp(p.eta[k])
				}
			}
		}
		return out
	}
	from = func(y []float64) []float64 {
		out := make([]float64, f.cells)
		for i, s := range f.sights {
			s.pull(out, y[s.first:s.first+s.rows], parts[i].eta, parts[i].slopes)
		}
		return out
	}
	return to, from
}

// dataPrior returns the Gaussian prior of what the data look at, with the covariance H K Hᵀ.
func (c *Compiled) dataPrior(prior Linear) Linear {
	if c.forward.plain() {
		return prior
	}
	to, from := c.forward.linear(c.mean)
	return seenLinear{prior, to, from}
}

type seenLinear struct {
	prior    Linear
	to, from func(v []float64) []float64
}

func (l seenLinear) Multiply(v []float64) []float64 { return l.to(l.prior.Multiply(l.from(v))) }

// sharpest returns the smallest posterior standard deviation of any direction of x₀, in units of a cell. It
// is 1/√(λ + 1/s²), where λ is the largest eigenvalue of Hᵀ W H, W are the precisions of the sites, and s is
// the root mean square of the prior's standard deviations. The data of many rays together fix a direction
// that no single ray fixes.
func (c *Compiled) sharpest(sites []site) float64 {
	to, from := c.forward.linear(c.mean)
	rng, u := Stream(0, "sharpest"), make([]float64, c.forward.cells)
	for j := range u {
		u[j] = rng.NormFloat64()
	}
	var lambda float64
	for range 30 {
		floats.Scale(1/math.Max(floats.Norm(u, 2), 1e-300), u)
		y := to(u)
		for k, s := range sites {
			y[k] *= s.precision
		}
		u = from(y)
		lambda = floats.Norm(u, 2)
	}
	s := rms(c.sd)
	return 1 / math.Sqrt(lambda+1/(s*s))
}
