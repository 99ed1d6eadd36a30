package diffusion

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
)

// diagnoseData makes the diagnosis of data that look at the cells through an operator, under the correlations of the
// prior.
func diagnoseData(f *expfam.Forward, r *correlations, m *moments, obs expfam.Observations) (diagnosis, bool, error) {
	table := r.Table[len(r.Table)-1]
	all, found := emptyDiagnosis(), false
	for _, s := range f.Parts {
		mean, sd := priorOf(s, r, table, m.mean, m.sd)
		own := obs[s.First : s.First+s.Rows]
		info, some, err := diagnose(s.Terms, own, mean, sd)
		if err != nil {
			return all, false, err
		}
		info.newton = newtonSteps(s.Terms, own, mean, sd)
		all.merge(info, s.First)
		found = found || some
	}
	if found {
		all.sharpest.value = sharpest(f, m, all.sites)
	}
	return all, found, nil
}

// merge appends the diagnosis g of a data set whose data are numbered from first on.
func (f *diagnosis) merge(g diagnosis, first int) {
	at := func(e extreme) extreme {
		e.cell += first
		return e
	}
	f.sharpest.atMost(at(g.sharpest))
	f.faintest.atMost(at(g.faintest))
	f.farthest.atLeast(at(g.farthest))
	f.tightest.atLeast(at(g.tightest))
	f.coarsest.atLeast(at(g.coarsest))
	f.largest, f.newton = math.Max(f.largest, g.largest), max(f.newton, g.newton)
	f.sites = append(f.sites, g.sites...)
}

// priorOf returns the prior's mean and standard deviation of what each datum of a part looks at: η_k, or
// log θ_k for a sum of intensities.
func priorOf(s expfam.ForwardPart, r *correlations, table, mean, sd []float64) (m, spread []float64) {
	if s.Operator == nil {
		return mean, sd
	}
	m = make([]float64, s.Rows)
	slopes := s.Places(mean, m)
	variance := make([]float64, len(sd))
	for j, v := range sd {
		if variance[j] = v * v; slopes != nil {
			variance[j] *= slopes[j] * slopes[j]
		}
	}
	spread = r.variances(s.H, s.Squared, table, variance)
	for k, v := range spread {
		if spread[k] = math.Sqrt(v); s.Sum != nil {
			spread[k] /= math.Exp(m[k])
		}
	}
	return m, spread
}

// linearAt returns the functions u ↦ H u and y ↦ Hᵀ y on the host, with H linearised at the prior's mean.
func linearAt(f *expfam.Forward, mean []float64) (to, from func(v []float64) []float64) {
	type part struct{ eta, slopes []float64 }
	parts := make([]part, len(f.Parts))
	for i, s := range f.Parts {
		eta := make([]float64, s.Rows)
		parts[i] = part{eta, s.Places(mean, eta)}
	}
	to = func(u []float64) []float64 {
		out := make([]float64, f.Data())
		for i, s := range f.Parts {
			at, p := out[s.First:s.First+s.Rows], parts[i]
			if s.Operator == nil {
				copy(at, u)
				continue
			}
			in := u
			if p.slopes != nil {
				in = floats.MulTo(make([]float64, len(u)), u, p.slopes)
			}
			s.H.MulVec(at, in)
			if s.Sum != nil {
				for k := range at {
					at[k] /= math.Exp(p.eta[k])
				}
			}
		}
		return out
	}
	from = func(y []float64) []float64 {
		out := make([]float64, f.Cells())
		for i, s := range f.Parts {
			s.Pull(out, y[s.First:s.First+s.Rows], parts[i].eta, parts[i].slopes)
		}
		return out
	}
	return to, from
}

// dataPrior returns the multiplication by H K Hᵀ, the prior's covariance of what the data look at, for H linearised at
// the prior's mean. multiply is the multiplication by K.
func dataPrior(f *expfam.Forward, multiply func(v []float64) []float64, mean []float64) func(v []float64) []float64 {
	to, from := linearAt(f, mean)
	return func(v []float64) []float64 { return to(multiply(from(v))) }
}

// sharpest returns the smallest posterior standard deviation of any direction of x₀, in units of a cell. It is 1/√(λ +
// 1/s²), where λ is the largest eigenvalue of Hᵀ W H, W are the precisions of the sites, and s is the root mean square
// of the prior's standard deviations. The data of many rays together fix a direction that no single ray fixes.
func sharpest(f *expfam.Forward, m *moments, sites []site) float64 {
	to, from := linearAt(f, m.mean)
	rng, u := expfam.Stream(0, "sharpest"), make([]float64, f.Cells())
	for j := range u {
		u[j] = rng.NormFloat64()
	}
	lambda := largest(u, 30, func(v []float64) []float64 {
		y := to(v)
		for k, s := range sites {
			y[k] *= s.precision
		}
		return from(y)
	})
	s := rms(m.sd)
	return 1 / math.Sqrt(lambda+1/(s*s))
}
