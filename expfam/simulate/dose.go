package simulate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/law"
)

// Dose is the log-odds of a response at several doses, by Hill's equation (the Emax model of pharmacology):
//
//	p(dose) = base + (top − base)/(1 + (ED50/dose)^slope).
//
// Doses differ from this by independent normal noise of the log-odds. Numbers of responses are binomial with the link
// sigmoid(x).
type Dose struct {
	Doses   []float64 // positive. Default 12 doses from 0.1 to 100 in equal ratios
	Unit    string    // of the doses, such as "mg"
	Scatter float64   // standard deviation of the noise. Default 0.2
	// Laws gives priors of some of the parameters by name. Default: "base" Beta(2, 18), "top" Beta(8, 2), "ED50"
	// log-normal of the median dose and sd 1, "slope" log-normal of median 1.5 and sd 0.4.
	Laws law.Laws
}

func (d Dose) orDefault() Dose {
	if d.Doses == nil {
		for i := range 12 {
			d.Doses = append(d.Doses, 0.1*math.Pow(1000, float64(i)/11))
		}
	}
	d.Scatter = cmp.Or(d.Scatter, 0.2)
	return d
}

func (d Dose) unknown() []law.Parameter {
	d = d.orDefault()
	doses := slices.Sorted(slices.Values(d.Doses))
	middle := math.Sqrt(doses[(len(doses)-1)/2] * doses[len(doses)/2])
	return []law.Parameter{
		{Name: "base", Law: distuv.Beta{Alpha: 2, Beta: 18}},
		{Name: "top", Law: distuv.Beta{Alpha: 8, Beta: 2}},
		{Name: "ED50", Unit: d.Unit, Law: law.LogNormal{Median: middle, SD: 1}},
		{Name: "slope", Law: law.LogNormal{Median: 1.5, SD: 0.4}},
	}
}

// Parameters returns the response without a dose, the response at the highest doses, the dose with half of the effect,
// and the slope.
func (d Dose) Parameters() []law.Parameter { return replaced(d.unknown(), d.Laws) }

// Check refuses impossible fields and laws.
func (d Dose) Check() error {
	d = d.orDefault()
	if len(d.Doses) == 0 {
		return fmt.Errorf("simulate: Dose has no Doses; give some, or leave them out for the default")
	}
	for i, v := range d.Doses {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("simulate: dose %d is %g; it must be positive and finite", i, v)
		}
	}
	if err := check("Dose", d.unknown(), d.Laws, number{"Scatter", d.Scatter}); err != nil {
		return err
	}
	all := d.Parameters()
	return cmp.Or(between("Dose", all[0], 0, 1), between("Dose", all[1], 0, 1),
		between("Dose", all[2], 0, math.Inf(1)))
}

func (d Dose) String() string {
	d = d.orDefault()
	return fmt.Sprintf("dose(%v, scatter=%g)%s", d.Doses, d.Scatter, describe(d.Parameters()))
}

// Dim returns the number of doses.
func (d Dose) Dim() int { return len(d.orDefault().Doses) }

// Curve fills x with the field without scatter for values of the parameters.
func (d Dose) Curve(values, x []float64) {
	for i, dose := range d.orDefault().Doses {
		p := values[0] + (values[1]-values[0])/(1+math.Pow(values[2]/dose, values[3]))
		x[i] = math.Log(p / (1 - p))
	}
}

// DrawGiven fills x with a draw for values of the parameters; see [learn.ParametricSimulator].
func (d Dose) DrawGiven(rng *rand.Rand, values, x []float64) {
	d.Curve(values, x)
	scatter(rng, d.orDefault().Scatter, x)
}

// Draw fills x with a draw whose parameters are drawn from their laws.
func (d Dose) Draw(rng *rand.Rand, x []float64) { d.DrawGiven(rng, law.Draw(rng, d.Parameters()), x) }

// Concurrent says that Draw may be called by several goroutines.
func (Dose) Concurrent() {}
