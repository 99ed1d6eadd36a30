package form

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/notebooks/byhand"
	"github.com/expfam/lab/notebooks/microscope"
)

// calculated is a number in the prose of a lesson that no output prints: a formula, or what a figure shows, computed
// again. In says {} stands for the number.
type calculated struct {
	lesson, says, number string
	value                float64
}

// ten returns the mean rates beside the fourth of ten places, and with a 20 in its place.
func ten(t *testing.T, fourth float64) (third, fifth float64) {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	obs := must.Get(like.Observe1(3, 0, 4, fourth, 7, 2, 1, 0, 2, 6))(t)
	post := must.Get(diffusion.Sample(gp.RBF{Cells: 10}, like, obs, diffusion.Sampler{Draws: 500, Seed: 1}))(t)
	return post.Mean()[2], post.Mean()[4]
}

// street returns the probabilities of four accidents in a quiet and in a busy street, and the mean and the standard
// deviation of x₀ after them, by quadrature.
func street() (quiet, busy, mean, sd float64) {
	var m [3]float64
	for k, at := range []float64{-1.2, 1} {
		weight, sum := []float64{2, 1}[k], 0.0
		for z := -9.0; z < 9; z += 0.001 {
			x := at + 0.4*z
			p := 0.001 * distuv.UnitNormal.Prob(z) * distuv.Poisson{Lambda: math.Exp(1 + x)}.Prob(4)
			sum += p
			for j := range m {
				m[j] += weight * p * math.Pow(x, float64(j))
			}
		}
		quiet, busy = busy, sum
	}
	mean = m[1] / m[0]
	return quiet, busy, mean, math.Sqrt(m[2]/m[0] - mean*mean)
}

func alike(cells int) (times, mean, sd, narrow float64) { // two or more cells of lesson 00b
	a := byhand.Alike{Cells: cells, Rho: 0.9, SD: 0.5, Y: 1}
	c, s := a.Spread(1)
	mean, sd = stat.MeanStdDev(a.Walk(func(_, single float64) float64 { return single }, 200, 2000, 1), nil)
	_, exact := a.Average()
	return (c + 0.25) / (s + 0.25), mean, sd, sd / exact
}

// pull returns the pull on cells that are alike at high noise, exactly if guide is nil.
func pull(t *testing.T, link string, y, rho float64, cells int, guide diffusion.Guidance) float64 {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink(link)}
	e, high := must.Get(microscope.Alike(like, y, cells))(t), microscope.Scene{Rho: rho, Level: level.At(50)}
	if guide != nil {
		return must.Get(e.Shift(guide, high))(t)[0][0]
	}
	_, exact, err := e.Exact(high)
	must.Do(t, err, "exact pull")
	return exact[0][0]
}

// calculate returns all numbers of this kind. l has the outputs of lessons by name.
func calculate(t *testing.T, l map[string]lesson) []calculated {
	third, fifth := ten(t, 9)
	third20, fifth20 := ten(t, 20)
	quiet, busy, mean, sd := street()
	two, average, spread, _ := alike(2)
	many, _, _, _ := alike(32)
	low := microscope.Cell{Level: level.VP{}.Level(0.5), Likelihood: expfam.Likelihood{Family: expfam.Poisson{}},
		Term: must.Get(expfam.Poisson{}.Reduce(4, expfam.Known{}))(t)}
	at := must.Get(low.At(-0.5))(t)[0]
	widest := widestHigh(t)
	least, most := plain(t)
	shift, width := independent(t)
	sigmoid := 100 / (1 + math.Exp(-5))
	sum := func(of float64) (sum float64) {
		for s := range 21 {
			sum += distuv.Gamma{Alpha: 4, Beta: 4 / of}.Prob(float64(s))
		}
		return sum
	}
	relative := func(parameter string) float64 { // standard deviation in percent of the mean
		of := l["09"].output(t, parameter+": mean {}, sd")
		return 100 * l["09"].output(t, fmt.Sprintf("%s: mean %.4g, sd {}", parameter, of)) / of
	}
	return []calculated{
		{"00", "their means were {} and 6.2", "3.5", third}, {"00", "3.5 and {}, and become", "6.2", fifth},
		{"00", "and become {} and 7.0", "4.2", third20}, {"00", "4.2 and {}.", "7.0", fifth20},
		{"00b", "no bell curve is right: {}%", "74", 100 * busy / (2*quiet + busy)},
		{"00b", "takes 73% there ({}% is right)", "74", 100 * busy / (2*quiet + busy)},
		{"00b", "once in {} months, and", "66", 1 / quiet}, {"00b", "busy one once in {}.", "12", 1 / busy},
		{"00b", "are therefore {} to 1", "2.8", busy / (2 * quiet)},
		{"00b", "least has the middle {} and", "0.33", mean}, {"00b", "standard deviation {}.", "0.72", sd},
		{"00b", "two cells are pulled {} times", "1.7", two}, {"00b", "and 32 cells {} times", "23", many},
		{"00b", "comes out at {} ± 0.31", "0.96", average}, {"00b", "± {} instead of 0.88", "0.31", spread},
		{"01", "an error of {}%", "7.5", 100 * (at.Trick.Slope/at.Exact.Slope - 1)},
		{"01", "By {}, nearly the number", "61", pull(t, "exp(5+x)", 260, 0.95, 64,
			diffusion.Quadrature{Independent: true, Nodes: 31, Newton: 12}) / pull(t, "exp(5+x)", 260, 0.95, 64, nil)},
		{"01", "exact pull at high noise is {}", "1.3", pull(t, "exp(x)", 4, 0.9, 8, nil)},
		{"01", "The sum gives {}", "7.0", pull(t, "exp(x)", 4, 0.9, 8, diffusion.Evidence{})},
		{"01", "tempering {}", "1.7", pull(t, "exp(x)", 4, 0.9, 8, diffusion.Tempered{})},
		{"01", "the correction {}", "1.2", pull(t, "exp(x)", 4, 0.9, 8, diffusion.Corrected{})},
		{"01", "slopes by quadrature {}", "1.3", pull(t, "exp(x)", 4, 0.9, 8, diffusion.Quadrature{})},
		{"02", "with 3, {}% are below", "46", 200 * distuv.UnitNormal.CDF(-math.Log(9)/3)},
		{"02", "would score about {} in the medians", "0.045", 1 / math.Sqrt(500)},
		{"02", "which is odds of {} to 1", "2.9", math.Exp(l["02"].output(t, "exp(2*x) log evidence -{}") -
			l["02"].output(t, "exp(x) log evidence -{}"))},
		{"02", "then between {} and 99.3%", "0.7", 100 - sigmoid}, {"02", "between 0.7 and {}%", "99.3", sigmoid},
		{"03", "about {} in the medians", "0.045", 1 / math.Sqrt(500)},
		{"03", "the posterior is 2 to {}% as wide", "13", 100 * widest},
		{"03", "plain network is {} to 16 times", "6", least}, {"03", "is 6 to {} times", "16", most},
		{"05", "is between 0.7 and {}%", "99.3", sigmoid},
		{"05", "that is {} of 82", "73", 0.82 * l["05"].output(t, "which hold {}% of 82 cells")},
		{"05", "where {} are expected", "78", 0.95 * 82},
		{"05", "more information than {} independent", "24", 1000 / 40.96},
		{"05", ": {} at a prevalence of 20%", "0.08", math.Sqrt(0.04 * 0.2 * 0.8)},
		{"06", "the level is {} posterior", "0.7", -shift}, {"06", "and {} times as wide", "0.4", width},
		{"06", "a coverage of {}% from 39", "90.2", 95 * 38. / 40}, {"06", "draws, {}% from 64", "92.1", 95 * 63. / 65},
		{"06", "from 64 and {}% from 500", "94.6", 95 * 499. / 501},
		{"06", "people ({} cells that", "720", 12 * 60},
		{"07", "there are {} counts", "960", 15 * 64}, {"07", "counts for {} cells", "4096", 64 * 64},
		{"08", "its covariance of {} cells", "1080", 30 * 36},
		{"09", "only nearly 1: {} for a mean of 3", "1.003", sum(3)}, {"09", "and {} for 8.", ".992", sum(8)},
		{"09", ", to {}% of its size", "11", relative("R0")},
		{"09", "the generation time, to {}%", "17", relative("generation time (days)")},
		{"09", "the reporting rate, to {}%", "18", relative("reporting rate")},
		{"10", "It has {} cells", "280", 14 * 20}, {"10", "between 10 and {} people", "160", 10 * 16},
		{"10", "level goes from {} to 1", ".93", 50 / (50 + 1.96*1.96)},
	}
}

// widestHigh returns the widest standard deviation of a cell at the high rate, whose prior has 1.
func widestHigh(t *testing.T) float64 {
	d := must.Get(problem.PoissonHigh.Simulate(4))(t)
	s := diffusion.Sampler{Seed: 1, Draws: 500}
	return slices.Max(must.Get(diffusion.Sample(gp.RBF{}, d.Case.Likelihood, d.Obs, s))(t).Latent().SD())
}

// plain returns between which factors the error of the plain network is larger, at noise levels from 0.1 to 3.
func plain(t *testing.T) (least, most float64) {
	shipped := must.Get(learn.Load("../weights/gp-experts-score.safetensors"))(t)
	other := must.Get(learn.Load("../weights/gp-mlp-score.safetensors"))(t)
	sigmas := []float64{0.114, 0.171, 0.256, 0.384, 0.577, 0.865, 1.297, 1.946, 2.919}
	a, b := must.Get(problem.DenoisingError(shipped, sigmas))(t), must.Get(problem.DenoisingError(other, sigmas))(t)
	least = math.Inf(1)
	for k := range sigmas {
		least, most = min(least, b[k]/a[k]), max(most, b[k]/a[k])
	}
	return least, most
}

// independent returns what the certificate of lesson 06 finds in the coarsest mode of cells taken as independent.
func independent(t *testing.T) (shift, width float64) {
	prior := gp.RBF{Cells: 12, Length: 0.3}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	_, obs, err := calibrate.Joint{Prior: prior, Likelihood: like}.Simulate(5)
	must.Do(t, err, "simulation")
	s := diffusion.Sampler{Draws: 500, Guidance: diffusion.Quadrature{Independent: true}, Method: diffusion.ODE{}}
	c := must.Get(diffusion.Sample(prior, like, obs, s))(t).Info.Certificate
	return c.Shift[0], c.Width[0]
}

// Numbers that no output prints are what they are calculated to be, rounded to the digits of the prose.
func TestCalculated(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	all := map[string]lesson{}
	for _, l := range lessons(t) {
		all[l.name] = l
	}
	for _, c := range calculate(t, all) {
		says := strings.Replace(c.says, "{}", c.number, 1)
		must.Be(t, strings.Contains(blanks(all[c.lesson].prose), says), "lesson %s does not say %q", c.lesson, says)
		_, decimals, _ := strings.Cut(c.number, ".")
		want := must.Get(strconv.ParseFloat(c.number, 64))(t, says)
		must.Be(t, math.Abs(c.value-want) <= 0.5001*math.Pow(10, -float64(len(decimals))),
			"lesson %s says %q, and it is %g", c.lesson, says, c.value)
	}
}
