package form

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// claim is a number in the prose of a lesson with the output that it is taken from. In says and computed, {} stands for
// the number. A computed text that begins with a file and a colon is of this file.
type claim struct {
	lesson, says, number, computed string
	scale                          float64 // of the output to the prose: 100 for percent, 1 else
}

const results = "../../docs/results.md:"

// What stands before the prevalence of all land in the rows of lesson 05.
const (
	images20 = "images, 20 draws 0.0576 ± 0.0017 0.9309 ± 0.0056 25.7 ± 3.1 -3.485 ± 0.053 "
	gmrf200  = "GMRF, 200 draws 0.0571 ± 0.0017 0.9259 ± 0.0058 25.1 ± 2.8 -3.482 ± 0.053 "
)

var claims = []claim{
	{"00b", "it takes {}% of the walks", "68", "evidence trick: {}% upper", 1},
	{"00b", "the exact evidence takes {}% there", "73", "exact: {}% upper", 1},
	{"00b", "the mean takes {}% there", "90", "at the mean: {}% upper", 1},
	{"00b", "instead of {} ± 0.33", "0.88", "Exact average: {} ± 0.33", 1},
	{"00b", "instead of 0.88 ± {}", "0.33", "Exact average: 0.88 ± {}", 1},
	{"01", "likelihood at the mean is {} times as steep", "2.7", "Score: exact 0.3311, conjugate 0.3559, DPS {}",
		1 / 0.3311},
	{"01", "DPS is {} times as steep", "2.7", "Score: exact 0.3311, conjugate 0.3559, DPS {}", 1 / 0.3311},
	{"02", "by {} ± 1.1 nats", "0.9", "exp(2*x) -45.6 6.0 8.2 -{}", 1},
	{"02", "by 0.9 ± {} nats", "1.1", "exp(2*x) -45.6 6.0 8.2 -0.9 {}", 1},
	{"03", "the slow samplers' draws, of {} evaluations", "999", "likelihood at the mean 0.085 0.94 0.100 {}", 1},
	{"03", "and {} in the Wasserstein distance", "0.056", results + "500 exact draws have {}.", 1},
	{"04", "With data the {} evaluations", "17", "0.4 GB; {} evaluations", 1},
	{"04", "and after {} of them", "17", "0.4 GB; {} evaluations", 1},
	{"04", "log score is −{} for it", "0.149", results + "| **default**, 17 evaluations | **−{}", 1},
	{"04", "and −{} for the field", "0.195", results + "log-Gaussian Cox process (GMRF) | −{}", 1},
	{"04", "On {} of 30 images", "30", results + "| −0.195 ± 0.014 | 0.113 | 0.931 | 0.939 | {} of 30", 1},
	{"04", "On {} photographs and odd", "44", results + "On {} photographs", 1},
	{"04", "it is better on {}.", "39", results + "the default is better than the GMRF on {}.", 1},
	{"04", "intervals hold {}% of the cells held out, and 95%", "97", "diffusion prior -0.095 ± 0.024 0.069 ± " +
		"0.010 {}", 100},
	{"04", "held out, and {}% of the sums over squares", "95", "0.069 ± 0.010 0.9667 ± 0.0068 {}", 100},
	{"04", "errs by {} where nobody looked", "0.0461", "camera images 0.0376 0.589 {}", 1},
	{"04", "that of the GMRF by {}.", "0.0758", "camera GMRF 0.0673 0.563 {}", 1},
	{"04", "city the errors are {} and", "0.0808", "city images 0.0563 0.514 {}", 1},
	{"04", "errors are 0.0808 and {},", "0.1082", "city GMRF 0.0765 0.511 {}", 1},
	{"04", "in Olinda {} and", "0.1211", "olinda images 0.0698 0.487 {}", 1},
	{"04", "Olinda 0.1211 and {},", "0.1293", "olinda GMRF 0.0796 0.521 {}", 1},
	{"04", "intervals hold {}% and 64%", "62", "camera images 0.0376 0.589 0.0461 {}", 100},
	{"04", "62% and {}% of the cells held out", "64", "camera GMRF 0.0673 0.563 0.0758 {}", 100},
	{"05", "{}%, that is 73 of 82", "89", "Cells held out; inside, outside; 95% of replicated data against " +
		"observed rate; Dot: median. Dashed: where both agree. Bars: central 95% of replicated data, which hold {}", 1},
	{"05", "kriging is 33 ± {} nats worse", "15", "kriging of logits -426.4 24.5 -33.3 {}", 1},
	{"05", "for 272 of the {} cells", "328", "which hold 100% of {} cells", 1},
	{"05", "64×64 cells, {} with a simulated", "410", "471644 examined, in {} cells", 1},
	{"05", "kriging is {} ± 15 nats worse", "33", "kriging of logits -426.4 24.5 -{}", 1},
	{"05", "difference of {} nats", "254", "GMRF, binomial -646.7 182.2 -{}", 1},
	{"05", "has a standard error of {}.", "176", "GMRF, binomial -646.7 182.2 -253.7 {}", 1},
	{"05", "is too high for {} of the 328 cells", "272", "GMRF, binomial -1067.6 24.5 202.0 0.0 0.0 1.00 {} k", 1},
	{"05", "of {} such cells about eight", "363", "Outlined, probability at least 0.9: {} of 1838", 1},
	{"05", "in the error of the mean, {} in place", "0.150", "image prior, binomial 0.115 ± 0.014 {}", 1},
	{"05", "0.150 in place of {},", "0.094", "image prior, beta-binomial 0.090 ± 0.011 {}", 1},
	{"05", "over all land its median errs by {},", "0.0330", gmrf200 + "{}", 1},
	{"05", "of the image prior by {}.", "0.0352", images20 + "{}", 1},
	{"05", "the image prior lie {}% of the true", "43", images20 + "0.0352 {}", 100},
	{"05", "draws of this map took {} s", "355", "image prior: 20 draws in {} s", 1},
	{"05", "itself errs by {} there", "0.0522", "MAE of the true prevalence: {}", 1},
	{"05", "256×256 cells, {} with another", "7046", "4540039 examined, in {} cells", 1},
	{"06", "smallest of the four is {}", ".36", "mean p {}", 1},
	{"06", "its p value of {} is below", "0.0085", "50% intervals hold 0.545 ± 0.035, 90% 0.920 ± 0.019 of 200 " +
		"log-likelihood p {}", 1},
	{"06", "with higher rates, {} have a sum", "185", "{} of 200 sums of higher rates", 1},
	{"06", "90% intervals hold the mean in {}%", "34",
		"independent, ODE mean p 0 50% intervals hold 0.140 " +
			"± 0.025, 90% {}", 100},
	{"06", "of the simulations and a cell in {}%, and", "66",
		"90% 0.342 ± 0.033 of 200 cell p 0 50% intervals hold " +
			"0.280 ± 0.032, 90% {}", 100},
	{"06", "of the mean hold it in {}%", "85", "mean p 3.9e-13 50% intervals hold 0.505 ± 0.035, " +
		"90% {}", 100},
	{"06", "50% intervals of a cell hold {}%", "74", "cell p 7.7e-07 50% intervals hold {}", 100},
	{"06", "still hold the mean in {}%", "87", "higher rates mean p 0.0059 50% intervals hold 0.445 ± 0.035, " +
		"90% {}", 100},
	{"06", "of the simulations and a cell in {}%.", "89", "90% 0.873 ± 0.023 of 200 cell p 0.14 50% intervals " +
		"hold 0.490 ± 0.035, 90% {}", 100},
	{"06", "90% intervals of a cell hold {}%", "62", "cell p 0 50% intervals hold 0.290 ± 0.032, " +
		"90% {}", 100},
	{"06", "the posterior *has* seen it is {}%", "69", "the 10 seen 0.961 0.985 {}", 100},
	{"06", "and {}% for as many new people", "61", "10 new 0.961 0.951 {}", 100},
	{"07", "intervals hold {}% and 93%", "98", "exact 0 0.387 1.00 {}", 100},
	{"07", "98% and {}% of the cells", "93", "likelihood at the mean 0 0.377 0.88 {}", 100},
	{"07", "those of DPS {}%", "88", "DPS 6 1.716 2.97 {}", 100},
	{"07", "is 72 to {}%; a share", "82", "10 photons a cell 0.169 0.143 0.840 {}", 100},
	{"07", "hold the truth in {} to 86%", "82", "15 angles 0.319 0.219 {}", 100},
	{"07", "hold the truth in 82 to {}%", "86", "60 angles 0.260 0.186 {}", 100},
	{"07", "squares the coverage is {} to 82%", "72", "60 angles 0.260 0.186 0.863 {}", 100},
	{"07", "exact posterior has a coverage of {}%", "98", "exact 0 0.387 1.00 {}", 100},
	{"08", "to 1980, {} districts", "56", "{} areas, 126 pairs", 1},
	{"08", "Of {} counties", "100", "{} areas, 231 pairs", 1},
	{"08", "Anson had {} deaths", "15", "Anson {}", 1},
	{"08", "because {} deaths are few", "15", "Anson {}", 1},
	{"08", "Halifax come closest, at {}.", "0.89", "Halifax 18 7.3 1.92 {}", 1},
	{"08", "but its median is only {}", "2.2", "Anson 15 3.2 {}", 1},
	{"08", "Halifax has a median of only {},", "1.92", "Halifax 18 7.3 {}", 1},
	{"09", "their correlation is {}", "0.93", "[pairs: correlation {}; generation time (days) against R0]", 1},
	{"10", "We act in {} counties", "30", "act in {} of 100 counties", 1},
	{"10", "would be worth {},", "77632", "if nothing is done 212896 to know the truth first is worth {}", 1},
	{"10", "expected loss of {}.", "82682", "act in 30 of 100 counties: expected loss {}", 1},
	{"10", "message is the width, {} on", ".69", "hold 1 ± 0, mean width {}", 1},
}

// The numbers of the prose are those of the outputs, rounded to the digits of the prose.
func TestClaims(t *testing.T) {
	all := lessons(t)
	for _, c := range claims {
		l := all[slices.IndexFunc(all, func(l lesson) bool { return l.name == c.lesson })]
		must.Be(t, strings.Contains(blanks(l.prose), strings.Replace(c.says, "{}", c.number, 1)),
			"lesson %s does not say %q with %s", c.lesson, c.says, c.number)
		value := l.output(t, c.computed)
		_, decimals, _ := strings.Cut(c.number, ".")
		step := math.Pow(10, -float64(len(decimals)))
		want := must.Get(strconv.ParseFloat(c.number, 64))(t, c.says)
		must.Be(t, math.Abs(value*c.scale-want) <= 0.5*step+1e-9, "lesson %s: %q is %s, and the output %g", c.lesson,
			c.says, c.number, value*c.scale)
	}
}

// output returns the number that stands in the outputs of a lesson, or in a file, in the place of {}.
func (l lesson) output(t *testing.T, computed string) float64 {
	t.Helper()
	texts, where := l.outputs, "lesson "+l.name
	if file, rest, of := strings.Cut(computed, ".md:"); of {
		where, computed = file+".md", rest
		texts = blanks(string(must.Get(os.ReadFile(where))(t)))
	}
	before, after, _ := strings.Cut(computed, "{}")
	found := regexp.MustCompile(regexp.QuoteMeta(before) + `(-?[\d.]*\d(?:e-?\d+)?)` + regexp.QuoteMeta(after)).
		FindStringSubmatch(texts)
	must.Need(t, found != nil, "%s has no %q", where, computed)
	return must.Get(strconv.ParseFloat(found[1], 64))(t, computed)
}
