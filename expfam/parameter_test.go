package expfam_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/must"
)

// withParameter returns three draws of two cells and of a length scale in km.
func withParameter() *expfam.Posterior {
	length := law.Parameter{Name: "length scale", Unit: "km", Law: law.LogNormal{Median: 2, SD: 0.5}}
	post := &expfam.Posterior{X: mat.NewDense(3, 2, []float64{1, 10, 2, 20, 3, 30}),
		Likelihood: expfam.Likelihood{Family: expfam.Normal{SD: 2}}, Info: expfam.Info{Method: "exact", Run: "r"}}
	post.AddParameter(length, []float64{1, 2, 6})
	return post
}

func ExamplePosterior_Parameter() {
	post := withParameter()
	length, err := post.Parameter("length scale")
	fmt.Println(length, err)
	fmt.Println(length.Mean(), length.Median())
	fmt.Println(post)
	_, err = post.Parameter("sd")
	fmt.Println(err)
	length.Draws = length.Draws[:1]
	fmt.Println(length)
	// Output:
	// length scale (km): mean 3, sd 2.65, median 2, 95% in [1.05, 5.8]; prior log-normal(median=2, sd=0.5) <nil>
	// 3 2
	// 3 independent draws of θ in 2 cells: normal(sd=2) with theta = x
	// exact
	//                cell  mean    sd   2.5%  median  97.5%
	//   length scale (km)     3  2.65   1.05       2    5.8
	//                   0     2     1   1.05       2   2.95
	//                   1    20    10   10.5      20   29.5
	//             average    11   5.5  5.775      11  16.22
	// expfam: the posterior has no parameter "sd"; it has "length scale"
	// length scale (km): 1 in the only draw; prior log-normal(median=2, sd=0.5)
}

// TestParametersAreKept: parameters survive files, parts, sums and merges, and a number that is missing is refused.
func TestParametersAreKept(t *testing.T) {
	post := withParameter()
	path := filepath.Join(t.TempDir(), "post")
	must.Do(t, post.Save(path))
	read := expfam.Must(expfam.LoadPosterior(path, post.Likelihood))
	part, seen := expfam.Must(post.Part([]int{1})), expfam.Must(post.Seen())[0]
	for name, got := range map[string]*expfam.Posterior{"file": read, "part": part, "seen": seen} {
		must.Be(t, reflect.DeepEqual(got.Parameters, post.Parameters), "%s: parameters %v", name, got.Parameters)
	}
	second := withParameter()
	second.Info.First, second.Parameters[0].Draws = 3, []float64{7, 8, 9}
	whole := expfam.Must(expfam.Merge(second, post))
	got := whole.Parameters[0].Draws
	must.Be(t, reflect.DeepEqual(got, []float64{1, 2, 6, 7, 8, 9}), "merged draws %v", got)
	csv := filepath.Join(t.TempDir(), "post.csv")
	must.Do(t, post.WriteCSV(csv))
	text := string(expfam.Must(os.ReadFile(csv)))
	must.Be(t, strings.HasPrefix(text, "cell_0,cell_1,length scale (km)\n1,10,1\n"), "the table is\n%s", text)
	post.Parameters[0].Draws = post.Parameters[0].Draws[:2]
	must.Err(t, post.Check(), "2 draws")
	must.Err(t, post.WriteCSV(csv), "2 draws")
}

// TestParameterAlarm: a parameter that the data put beyond its prior is named, and one within it is not.
func TestParameterAlarm(t *testing.T) {
	post := withParameter()
	must.Equal(t, post.Alarm(), "", "alarm")
	post.Parameters[0].Draws = []float64{900, 1000, 1100}
	alarm := post.Alarm()
	must.Be(t, strings.Contains(alarm, "length scale at 1e+03"), "alarm %q", alarm)
}

// TestPredictiveHasConstantsOfItsDraw: replicates of a draw have the draw's own constant, not the median of all draws.
// Here every other draw has noise of 0.001, and the others of 3.
func TestPredictiveHasConstantsOfItsDraw(t *testing.T) {
	const draws = 400
	post := &expfam.Posterior{X: mat.NewDense(draws, 1, nil)}
	noise := make([]float64, draws)
	for i := range noise {
		noise[i] = 0.001
		if i%2 == 1 {
			noise[i] = 3
		}
	}
	post.AddParameter(law.Parameter{Name: "noise sd", Law: law.LogNormal{Median: 1, SD: 1}}, noise)
	q := must.Get(post.Parameter("noise sd"))(t)
	post.Likelihood = expfam.Likelihood{Family: expfam.Normal{SD: q.Median()}}
	y := must.Get(post.Predictive(1, nil))(t)
	var quiet, loud float64
	for i := range draws {
		if v := y.X.At(i, 0); i%2 == 0 {
			quiet += v * v / (draws / 2)
		} else {
			loud += v * v / (draws / 2)
		}
	}
	// The mean of 200 squares of a normal number has the relative standard error 0.1.
	must.Be(t, quiet <= 1e-5 && math.Abs(loud/9-1) <= 0.4,
		"replicates have the variances %g and %g, not 1e-6 and 9", quiet, loud)
}
