package benchmarks

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/expfam/problem"
)

// Preferential is a survey that prefers places where the field is high (Diggle, Menezes & Su 2010, JRSS C 59). With η =
// x₁ + β, where x₁ is the benchmark's field and β an intercept of standard deviation 1, cell j is visited n_j ~
// Poisson(exp(−1.5 + 1.5 ηⱼ)) times, and each visit measures ηⱼ with noise of standard deviation 0.3.
type Preferential struct {
	Prior expfam.Prior // prior of the cells and the intercept
	// Values is the likelihood of the measurements, and Places the likelihood of the numbers of visits.
	Values, Places expfam.Likelihood
}

const preferentialNoise = 0.3 // standard deviation of a measurement

// NewPreferential returns the survey.
func NewPreferential() (*Preferential, error) {
	cells := problem.Prior.Dim()
	ones := mat.NewDense(cells, 1, nil)
	for j := range cells {
		ones.Set(j, 0, 1)
	}
	level, err := gp.New(nil, mat.NewSymDense(1, []float64{1}))
	if err != nil {
		return nil, err
	}
	design := operator.Design(ones)
	return &Preferential{Prior: expfam.Product(problem.Prior, level),
			Values: expfam.Likelihood{Family: expfam.Normal{SD: preferentialNoise}, Operator: design},
			Places: expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1.5*x-1.5)"),
				Operator: design}},
		nil
}

// Draw draws a field with its intercept, the measurements of every cell, and the numbers of visits. Cells without a
// visit have no measurement.
func (p *Preferential) Draw(seed uint64) (x []float64, values, places expfam.Observations, err error) {
	cells := problem.Prior.Dim()
	rng := expfam.Stream(seed, "benchmark/preferential")
	x = make([]float64, cells+1)
	p.Prior.(expfam.Simulator).Draw(rng, x)
	if places, err = simulated(p.Places, x, seed); err != nil {
		return nil, nil, nil, fmt.Errorf("benchmarks: preferential survey, seed %d: %w", seed, err)
	}
	values = make(expfam.Observations, cells)
	for j, visits := range places {
		for range int(visits.Stat) {
			term, err := p.Values.Family.Reduce(x[j]+x[cells]+preferentialNoise*rng.NormFloat64(),
				expfam.Given(preferentialNoise))
			if err != nil {
				return nil, nil, nil, fmt.Errorf("benchmarks: preferential survey, cell %d: %w", j, err)
			}
			values[j] = values[j].Add(term)
		}
	}
	return x, values, places, nil
}

// Average returns the mean of η over all cells.
func Average(x []float64) float64 {
	cells := len(x) - 1
	var sum float64
	for _, v := range x[:cells] {
		sum += v / float64(cells)
	}
	return sum + x[cells]
}
