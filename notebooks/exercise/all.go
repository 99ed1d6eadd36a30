package exercise

import (
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/expfam/problem"
)

// All lists the exercises in the order of the lessons, three for each.
var All = []Exercise{
	{Name: "00.1", Task: "The 9 of the ten counts becomes 20: sample the posterior.",
		Prior: gp.RBF{Cells: 10}, Like: poisson, Data: counts(3, 0, 4, 20, 7, 2, 1, 0, 2, 6)},
	{Name: "00.2", Task: "The first five places were watched twice as long: their exposures are 2.",
		Prior: gp.RBF{Cells: 10}, Like: poisson, Data: expfam.Data{Y: counts(3, 0, 4, 9, 7, 2, 1, 0, 2, 6).Y,
			Known: [][]float64{{2, 2, 2, 2, 2, 1, 1, 1, 1, 1}}}},
	{Name: "00.3", Task: "Nobody looked at the fourth and the fifth place.",
		Prior: gp.RBF{Cells: 10}, Like: poisson, Data: counts(3, 0, 4, math.NaN(), math.NaN(), 2, 1, 0, 2, 6)},

	{Name: "00b.1", Task: "One count of 3: with which probability is the street a busy one?", Number: 0.387,
		Tolerance: 0.015},
	{Name: "00b.2", Task: "Four accidents in two months: with which probability is the street a busy one?",
		Number: 0.078, Tolerance: 0.01},
	{Name: "00b.3", Task: "The share of the upper group by a mixture of two Gammas, after a count of 4.", Number: 0.74,
		Tolerance: 0.04},

	{Name: "01.1", Task: "Eight cells, correlation 0.9, sd 0.5, t = 1: by which factor is the sum's pull too large?",
		Number: 6.04, Tolerance: 0.1},
	{Name: "01.2", Task: "The slope of the conjugate's log evidence of a time of 2, at x_t = 0.5 and t = 0.6.",
		Number: 0.0924, Tolerance: 0.0005},
	{Name: "01.3", Task: "Two cells, correlation 0.9, sd 3, at high noise: by which factor is the sum too large?",
		Number: 1.09, Tolerance: 0.01},

	{Name: "02.1", Task: "The ten counts under the link softplus(2*x).", Prior: gp.RBF{Cells: 10},
		Like: expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("softplus(2*x)")},
		Data: counts(3, 0, 4, 9, 7, 2, 1, 0, 2, 6)},
	{Name: "02.2", Task: "For which slope s has the prior of sigmoid(s*x) the density 1 at 1/2?", Number: 1.596,
		Tolerance: 0.05},
	{Name: "02.3", Task: "From how many counts on are 0.9 ± 1.1 nats at 30 counts three standard errors?", Number: 403,
		Tolerance: 12},

	{Name: "03.1", Task: "The exponential times of data set 4 under the exact prior.", Prior: gp.RBF{},
		Like: problem.Exponential.Likelihood, Data: counts(expfam.Must(problem.Exponential.Simulate(4)).Y...)},
	{Name: "03.2", Task: "DPS with 1/σ² counts each datum twice: by which factor is its posterior too narrow?",
		Number: math.Sqrt2, Tolerance: 0.02},
	{Name: "03.3", Task: "The mean distance of medians of 500 exact draws, in standard deviations.", Number: 0.0447,
		Tolerance: 0.001},

	{Name: "04.1", Task: "Sums over ten visits; nobody visited the sixth and the seventh cell.",
		Prior: gp.RBF{Cells: 12}, Like: expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink},
		Data: expfam.Data{Y: counts(8, 6, 9, 14, 21, math.NaN(), math.NaN(), 25, 17, 12, 7, 3).Y,
			Known: [][]float64{{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}}}},
	{Name: "04.2", Task: "The relative error of the raw estimate of an intensity of 1 after 50 visits.",
		Number: 1 / math.Sqrt(50), Tolerance: 0.002},
	{Name: "04.3", Task: "The largest intensity of an image in [−1, 1] under θ = exp(x).", Number: math.E,
		Tolerance: 0.02},

	{Name: "05.1", Task: "With ρ = 0.04, a thousand people are worth how many independent ones?", Number: 24.4,
		Tolerance: 0.1},
	{Name: "05.2", Task: "Ten villages along a river, with the numbers examined; one was not surveyed.",
		Prior: gp.RBF{Cells: 10, Length: 0.3},
		Like:  expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.SigmoidLink},
		Data: expfam.Data{Y: counts(4, 31, 9, 22, math.NaN(), 2, 3, 1, 8, 1).Y,
			Known: [][]float64{{10, 60, 20, 80, 1, 12, 40, 5, 90, 30}}}},
	{Name: "05.3", Task: "ρ = 0.04, a thousand people: how often is a count in the binomial's 95% interval?",
		Number: 0.24, Tolerance: 0.01},

	{Name: "06.1", Task: "From how many draws on do ranks give a 90% interval?", Number: 19, Tolerance: 0},
	{Name: "06.2", Task: "The coverage of the interval from the smallest to the largest of 16 draws.",
		Number: 15. / 17, Tolerance: 0.005},
	{Name: "06.3", Task: "Draws of the prior: how often is the log-likelihood of one below the truth's?",
		Number: 0.5 + math.Asin(1/math.Sqrt(3))/math.Pi, Tolerance: 0.01},

	{Name: "07.1", Task: "Five districts of two cells each report sums.", Prior: gp.RBF{Cells: 10},
		Like: expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)"),
			Operator: expfam.SumOf{Operator: &operator.Areas{Labels: []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}}}},
		Data: counts(3, 13, 9, 1, 8)},
	{Name: "07.2", Task: "35 counts of the object and 5 of background: the relative error at a tenth of the dose.",
		Number: math.Sqrt(8.5) / 3.5, Tolerance: 0.01},
	{Name: "07.3", Task: "The standard error of a coverage of .95, of a hundred independent pieces.", Number: 0.0218,
		Tolerance: 0.002},

	{Name: "08.1", Task: "The prior standard deviation of an island, σ = 0.5, φ = 0.8.", Number: 0.5, Tolerance: 0.01},
	{Name: "08.2", Task: "Six districts around a lake, with expected cases; one has not reported.", Prior: lake(),
		Like: expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink},
		Data: expfam.Data{Y: counts(12, 7, math.NaN(), 30, 4, 2).Y, Known: [][]float64{{6, 5, 8, 20, 9, 5}}}},
	{Name: "08.3", Task: "How often is a count with the mean 1 below a band from 0.7 to 1.4?", Number: math.Exp(-1),
		Tolerance: 0.005},

	{Name: "09.1", Task: "R₀ of a growth by 10% a day and a generation time of six days.", Number: math.Pow(1.15, 4),
		Tolerance: 0.01},
	{Name: "09.2", Task: "The sum of the shares w for a mean of eight days.", Number: 0.992, Tolerance: 0.0006},
	{Name: "09.3", Task: "R₀ = 1.9, all is over, 2300 reports of 10 000 people: the reporting rate.", Number: 0.3,
		Tolerance: 0.005},

	{Name: "10.1", Task: "A missed district costs 6 and a false one 1: from which probability on does one act?",
		Number: 1. / 7, Tolerance: 0.003},
	{Name: "10.2", Task: "280 gains are 0, each with a standard error of 100: how large is the largest on average?",
		Number: 286, Tolerance: 8},
	{Name: "10.3", Task: "The lower end of Wilson's 95% interval of 50 of 50.", Number: 50 / (50 + 1.96*1.96),
		Tolerance: 0.003},
}

var poisson = expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}

func counts(y ...float64) expfam.Data { return expfam.Data{Y: [][]float64{y}} }

// lake is a prior of six districts, each with two neighbours.
func lake() expfam.Prior {
	shore := expfam.Must(graph.Edges(6, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}}))
	return expfam.Must(graph.BYM2{Neighbours: shore, SD: 0.5, Mixing: 0.8}.Gaussian())
}
