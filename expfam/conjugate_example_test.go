package expfam_test

import (
	"fmt"

	"github.com/expfam/lab/expfam"
)

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
