package expfam_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	fields "github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/operator"
)

// Positives of those examined on a grid, with a cell where nobody looked.
func ExampleLikelihood_ObserveField() {
	positive := expfam.Must(fields.NewField([][]float64{{3, math.NaN()}, {0, 7}}))
	examined := expfam.Must(fields.NewField([][]float64{{10, 12}, {9, 20}}))
	like := expfam.Likelihood{Family: expfam.Binomial{}}
	obs, err := like.ObserveField(positive, examined)
	fmt.Println(obs.Missing(), obs.Sizes(), err)

	_, err = like.ObserveField(examined, positive)
	fmt.Println(err)
	// Output:
	// [false true false false] [10 0 9 20] <nil>
	// binomial: row 0, column 1 (from 0): y is 12 and the second field has no value there; give it one, or make y NaN
}

// Two draws of the prevalence of three cells become those of two districts, weighted by the people in each cell.
func ExamplePosterior_Through() {
	post := &expfam.Posterior{X: mat.NewDense(2, 3, []float64{0.1, 0.3, 0.5, 0.2, 0.2, 0.6}),
		Info: expfam.Info{Method: "exact"}}
	districts, err := post.Through(&operator.Areas{Labels: []int{0, 0, 1}, Weights: []float64{100, 300, 50},
		Mean: true})
	fmt.Printf("%.3g %.3g %v\n", districts.X.RawRowView(0), districts.X.RawRowView(1), err)
	what, _ := districts.Describe()
	fmt.Println(what)
	// Output:
	// [0.25 0.5] [0.2 0.6] <nil>
	// 2 independent draws of weighted means over 2 areas of 3 cells
}

// A Go function as link, and what is no link.
func ExampleTableLink() {
	hill := func(x float64) float64 { return 0.05 + 0.9/(1+math.Exp(-2*x)) }
	link, err := expfam.TableLink("hill", hill)
	fmt.Println(link, link.At(0), err)
	like := expfam.Likelihood{Family: expfam.Binomial{Trials: 10}, Link: link}
	fmt.Printf("%.4f\n", expfam.Must(like.Terms()).Slope(0, expfam.Term{Stat: 7, Size: 10})) // 0.45 (7 − 5)/0.25

	_, err = expfam.TableLink("hinge", func(x float64) float64 { return math.Max(x, 2*x) })
	fmt.Println(err)
	// Output:
	// hill 0.5 <nil>
	// 3.6000
	// link hinge: it jumps or bends near x = -0.075, or is too steep there for a table; make it smooth for all x in [-6, 6], or write it as a formula
}

func ExampleParseLink() {
	link, err := expfam.ParseLink("n*sigmoid(x)", expfam.Constants{"n": 3})
	fmt.Println(link, link.At(0), err)

	fmt.Println(expfam.Likelihood{Family: expfam.Binomial{}, Link: link}.Check()) // a proportion is below 1

	_, err = expfam.ParseLink("x-x")
	fmt.Println(err)
	// Output:
	// 3*sigmoid(x) 1.5 <nil>
	// link 3*sigmoid(x): theta = 1.5 at x = 0 lies outside (0, 1) of binomial(n=1); use sigmoid(x)
	// link "x-x": it does not depend on x; write a formula of x such as exp(5+x)
}

// Three clinics: 31, 2 and no patients examined.
func ExampleLikelihood_Observe() {
	like := expfam.Likelihood{Family: expfam.Binomial{}}
	obs, err := like.Observe(expfam.Data{
		Y:     [][]float64{{12, 0, 0}},
		Known: [][]float64{{31, 2, 0}},
	})
	fmt.Println(obs.Stats(), obs.Sizes(), obs.Missing(), err)

	_, err = like.Observe(expfam.Data{Y: [][]float64{{12, 3}}, Known: [][]float64{{31, 2}}})
	fmt.Println(err)
	// Output:
	// [12 0 0] [31 2 0] [false false true] <nil>
	// binomial: cell 1: 3 positive of 2 examined
}

// A rate with a Gamma prior of mean 2, after 7 events in 1.5 units of time.
func ExampleStandard_Update() {
	prior := expfam.Standard{Conjugate: expfam.Poisson{}.Conjugate(), A: 4, B: 2}
	term, _ := expfam.Poisson{}.Reduce(7, expfam.Given(1.5))
	posterior := prior.Update(term)
	fmt.Println(posterior)
	fmt.Printf("mean %.3f, 95%% interval %.3f to %.3f\n", posterior.Mean(), posterior.Quantile(0.025),
		posterior.Quantile(0.975))
	fmt.Printf("log probability of the data %.4f\n", prior.LogEvidence(term))
	// Output:
	// gamma(11, 3.5)
	// mean 3.143, 95% interval 1.569 to 5.254
	// log probability of the data -3.3821
}
