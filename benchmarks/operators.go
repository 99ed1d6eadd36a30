package benchmarks

import (
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/operator"
)

// Operated is a likelihood with an operator for the field of the benchmark, 30 cells of gp.RBF{}.
type Operated struct {
	Name       string
	Likelihood expfam.Likelihood
}

// OperatorCases returns the likelihoods with an operator. Five act on x₀: a blur of standard deviation 2 cells with few
// and with many counts, means of five cells, 20 rays through random cells, and differences of neighbours together with
// the mean of all cells, for proportions. Three are sums of intensities over the blur, the means and the rays.
func OperatorCases() []Operated {
	const cells = 30
	blur := &operator.Convolution{Cols: cells, Kernel: operator.Gaussian{SD: 2}}
	means := &operator.Downsample{Cols: cells, Across: 5}
	rays, differences := mat.NewDense(20, cells, nil), mat.NewDense(cells, cells, nil)
	rng := expfam.Stream(5, "benchmark/rays")
	for k := range 20 {
		row, seen := rays.RawRowView(k), 0.0
		for seen == 0 {
			for j := range row {
				if row[j] = 0; rng.Float64() < 0.3 {
					row[j] = 1
					seen++
				}
			}
		}
		for j := range row {
			row[j] /= seen
		}
	}
	for k := range cells - 1 {
		differences.Set(k, k, -1)
		differences.Set(k, k+1, 1)
	}
	for j := range cells {
		differences.Set(cells-1, j, 1.0/cells)
	}
	through := func(op expfam.Operator, family expfam.Family, link string) expfam.Likelihood {
		return expfam.Likelihood{Family: family, Link: expfam.MustLink(link), Operator: op}
	}
	counts := expfam.Poisson{}
	return []Operated{
		{"blur, few counts", through(blur, counts, "exp(x)")},
		{"blur, many counts", through(blur, counts, "exp(5+x)")},
		{"means of five", through(means, counts, "exp(3+x)")},
		{"rays", through(&operator.Dense{Matrix: rays}, counts, "exp(3+x)")},
		{"differences", through(&operator.Dense{Matrix: differences}, expfam.Binomial{Trials: 20}, "sigmoid(3*x)")},
		{"sums, blur", through(expfam.SumOf{Operator: blur}, counts, "exp(3+x)")},
		{"sums, areas", through(expfam.SumOf{Operator: means}, counts, "exp(3+x)")},
		{"sums, rays", through(expfam.SumOf{Operator: &operator.Dense{Matrix: rays}}, counts, "exp(4+x)")},
	}
}

// Draw draws a field from the prior, and simulates data given the field.
func (o Operated) Draw(prior expfam.Simulator, seed uint64) (x0 []float64, obs expfam.Observations, err error) {
	x0 = make([]float64, prior.Dim())
	prior.Draw(expfam.Stream(seed, "benchmark/operated"), x0)
	theta, err := o.Likelihood.Theta(x0)
	if err != nil {
		return nil, nil, err
	}
	data, err := o.Likelihood.Simulate(theta, nil, 1, seed)
	if err != nil {
		return nil, nil, err
	}
	obs, err = o.Likelihood.Observe(data)
	return x0, obs, err
}
