package simulate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam/law"
)

// Epidemic is the logarithm of the expected number of reported cases a week, by the renewal equation (Fraser 2007, PLoS
// ONE 2, e758) in a population that is susceptible at first. The new infections of day t are
//
//	I_t = R0 (S_t/Population) Σ_s w_s I_{t−s} + Imports,  S_{t+1} = S_t − I_t,
//
// where w is a gamma distribution of the generation time, cut into days, with half of its mean as standard deviation.
// The infections of day 0 are a parameter. A week reports its infections times the reporting rate, plus Background.
// Weeks differ from this by independent factors with the standard deviation Scatter of their logarithms.
//
// Counts of a week are Poisson or negative binomial with the link exp(x).
type Epidemic struct {
	Weeks      int     // default 20
	Population float64 // default 10000
	Imports    float64 // infections a day that come from outside. Default 0.05
	Background float64 // reports a week that are no cases of the epidemic. Default 0.5
	Scatter    float64 // default 0.15
	// Laws gives priors of some of the parameters by name. Default: "R0" log-normal of median 2 and sd 0.3,
	// "generation time" in days log-normal of median 5 and sd 0.2, "reporting rate" Beta(4, 8), "first infections"
	// log-normal of median 5 and sd 0.7.
	Laws law.Laws
}

func (e Epidemic) orDefault() Epidemic {
	e.Weeks = cmp.Or(e.Weeks, 20)
	e.Population = cmp.Or(e.Population, 1e4)
	e.Imports = cmp.Or(e.Imports, 0.05)
	e.Background = cmp.Or(e.Background, 0.5)
	e.Scatter = cmp.Or(e.Scatter, 0.15)
	return e
}

// unknown returns the parameters with their default laws.
func (e Epidemic) unknown() []law.Parameter {
	return []law.Parameter{
		{Name: "R0", Law: law.LogNormal{Median: 2, SD: 0.3}},
		{Name: "generation time", Unit: "days", Law: law.LogNormal{Median: 5, SD: 0.2}},
		{Name: "reporting rate", Law: distuv.Beta{Alpha: 4, Beta: 8}},
		{Name: "first infections", Law: law.LogNormal{Median: 5, SD: 0.7}},
	}
}

// Parameters returns R0, the mean generation time, the reporting rate and the number of first infections.
func (e Epidemic) Parameters() []law.Parameter { return replaced(e.unknown(), e.Laws) }

// Check refuses impossible fields and laws.
func (e Epidemic) Check() error {
	d := e.orDefault()
	err := check("Epidemic", e.unknown(), e.Laws, number{"Weeks", float64(d.Weeks)}, number{"Population", d.Population},
		number{"Imports", d.Imports}, number{"Background", d.Background}, number{"Scatter", d.Scatter})
	if err != nil {
		return err
	}
	most := [4]float64{math.Inf(1), math.Inf(1), 1, math.Inf(1)}
	for k, p := range e.Parameters() {
		err = cmp.Or(err, between("Epidemic", p, 0, most[k]))
	}
	return err
}

func (e Epidemic) String() string {
	d := e.orDefault()
	return fmt.Sprintf("epidemic(weeks=%d, population=%g, imports=%g, background=%g, scatter=%g)%s", d.Weeks,
		d.Population, d.Imports, d.Background, d.Scatter, describe(e.Parameters()))
}

// Dim returns the number of weeks.
func (e Epidemic) Dim() int { return e.orDefault().Weeks }

// mostDays bounds the generation time.
const mostDays = 30

// Curve fills x with the field without scatter for values of the parameters.
func (e Epidemic) Curve(values, x []float64) {
	e = e.orDefault()
	r0, generation, reported := values[0], values[1], values[2]
	w := generationTime(generation)
	days := 7 * len(x)
	infections, left := make([]float64, days), e.Population
	for t := range days {
		var pressure float64
		for s := 1; s <= min(t, mostDays); s++ {
			pressure += w[s-1] * infections[t-s]
		}
		infections[t] = math.Min(r0*left/e.Population*pressure+e.Imports, left)
		if t == 0 {
			infections[t] += math.Min(values[3], left-infections[t])
		}
		left -= infections[t]
	}
	for week := range x {
		var sum float64
		for _, v := range infections[7*week : 7*week+7] {
			sum += v
		}
		x[week] = math.Log(reported*sum + e.Background)
	}
}

// generationTime returns the shares of days 1 to mostDays in a gamma density of this mean, whose standard deviation is
// half of the mean.
func generationTime(mean float64) (w [mostDays]float64) {
	const shape = 4
	var sum float64
	for s := range w {
		day := float64(s + 1)
		w[s] = day * day * day * math.Exp(-shape*day/mean)
		sum += w[s]
	}
	for s := range w {
		w[s] /= sum
	}
	return w
}

// DrawGiven fills x with a draw for values of the parameters; see [learn.ParametricSimulator].
func (e Epidemic) DrawGiven(rng *rand.Rand, values, x []float64) {
	e.Curve(values, x)
	scatter(rng, e.orDefault().Scatter, x)
}

// Draw fills x with a draw whose parameters are drawn from their laws.
func (e Epidemic) Draw(rng *rand.Rand, x []float64) {
	e.DrawGiven(rng, law.Draw(rng, e.Parameters()), x)
}

// Concurrent says that Draw may be called by several goroutines.
func (Epidemic) Concurrent() {}
