package hmc

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/parallel"
)

// diagnose returns the diagnostics that [Sample] lists. The error is not nil if R-hat is above its limit in any cell,
// or if any transition diverged. Cells whose prior variance is 0 are left out, because their draws are equal and have
// no R-hat.
func diagnose(x *mat.Dense, records []record, o Options) (map[string]float64, *NotConverged) {
	_, cells := x.Dims()
	rhats, bulks, tails := make([]float64, cells), make([]float64, cells), make([]float64, cells)
	parallel.For(cells, parallel.Heavy, func(j int) {
		column := mat.Col(nil, j, x)
		chains := make([][]float64, o.Chains)
		for c := range chains {
			chains[c] = column[c*o.Draws : (c+1)*o.Draws]
		}
		rhats[j], bulks[j], tails[j] = RHat(chains), ESSBulk(chains), ESSTail(chains)
	})

	worst := NotConverged{}
	d := map[string]float64{"ess_bulk": math.Inf(1), "ess_tail": math.Inf(1), "ebfmi": math.Inf(1)}
	for j, r := range rhats {
		if math.IsNaN(r) {
			continue
		}
		if r > worst.RHat {
			worst.RHat, worst.Cell = r, j
		}
		d["ess_bulk"], d["ess_tail"] = math.Min(d["ess_bulk"], bulks[j]), math.Min(d["ess_tail"], tails[j])
	}
	for _, r := range records {
		n := float64(len(records))
		d["accept"] += floats.Sum(r.accept) / float64(len(r.accept)) / n
		d["step"] += r.step / n
		d["gradients"] += float64(r.gradients) / n / float64(o.Draws)
		d["ebfmi"] = math.Min(d["ebfmi"], EBFMI(r.energy))
		worst.Divergences += int(floats.Sum(r.diverging))
	}
	d["rhat"], d["divergences"] = worst.RHat, float64(worst.Divergences)
	if worst.RHat > maxRHat || worst.Divergences > 0 {
		return d, &worst
	}
	return d, nil
}
