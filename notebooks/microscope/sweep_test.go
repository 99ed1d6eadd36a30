package microscope_test

import (
	"regexp"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/notebooks/microscope"
	"github.com/expfam/lab/viz"
)

// links are what people type into the lesson's panel. A link whose θ a family cannot have is refused.
var links = []string{
	"x", "x+3", "exp(x)", "1/exp(x)", "exp(5+x)", "softplus(x)", "softplus(2*x)", "8*sigmoid(x)",
	"sigmoid(x)", "sigmoid(5*x)", "sigmoid(-2*x)", "normcdf(x)", "1-exp(-exp(x))", "exp(-exp(x))",
}

// No panel stops, whatever the family, the link, the prior and the time, and no figure has a number that is not finite.
// A density may be infinite at an end of θ, as a Beta's under sigmoid(5*x).
func TestLinksSweep(t *testing.T) {
	two := microscope.Mixture{{Weight: 1, Mean: -1.2, SD: 0.4}, {Weight: 1, Mean: 1, SD: 0.5}}
	drawn := map[string]int{}
	k := 0
	for _, name := range microscope.Families() {
		f := microscope.Family(name)
		for _, text := range links {
			m := microscope.Cell{Likelihood: expfam.Likelihood{Family: f, Link: expfam.MustLink(text)}}
			if _, err := m.Likelihood.Terms(); err != nil {
				continue // θ is not in the family's range
			}
			drawn[text]++
			for _, m.Prior = range []microscope.Law{nil, two} {
				for time := range 10 {
					notch, x := float64([]int{4, 0, 12, 8, 1}[k%5]), []float64{0.5, -3, 3}[k%3]
					if k++; k%fulltest.N(37, 1) != 0 {
						continue
					}
					var err error
					m.Term = must.Get(f.Reduce(microscope.Observation(f, notch), expfam.Known{}))(t)
					m.Level = level.VP{}.Level(0.02 + 0.98*float64(time)/9)
					fig, err := microscope.Look(m, x)
					if err != nil {
						t.Errorf("%s, %s, time %d, notch %g, x_t = %g, prior %v: %v", name, text, time, notch, x,
							m.Prior, err)
						continue
					}
					page, err := fig.Encode(viz.HTML)
					must.Be(t, err == nil, "%s, %s, time %d: %v", name, text, time, err)
					svg, _ := fig.Encode(viz.SVG)
					if m := notFinite(encoded.ReplaceAllString(string(page), "") + string(svg)); m != "" {
						t.Errorf("%s, %s, time %d: a number of the figure is not finite: %s", name, text, time, m)
					}
				}
			}
		}
	}
	for _, text := range links {
		must.Be(t, drawn[text] >= 2, "%s is legal for %d families", text, drawn[text])
	}
}

// encoded is the picture within the page, which may hold any three letters.
var encoded = regexp.MustCompile(`base64,[^"]*`)

// notFinite returns the first NaN or Inf that stands alone in a text, with what surrounds it. Regular expressions that
// begin with a literal find it at the speed of strings.Index; one with \b in front takes most of the sweep's time.
func notFinite(text string) string {
	for _, name := range []*regexp.Regexp{regexp.MustCompile(`NaN\b`), regexp.MustCompile(`Inf\b`)} {
		for _, at := range name.FindAllStringIndex(text, -1) {
			if at[0] == 0 || !word.MatchString(text[at[0]-1:at[0]]) {
				return text[max(at[0]-40, 0):min(at[1]+40, len(text))]
			}
		}
	}
	return ""
}

var word = regexp.MustCompile(`\w`)

// The names of functions and types are no numbers.
func TestNotFinite(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "isNaN(x) Infinity Info aInf NaNs": "", "NaN": "NaN", "[1,-Inf]": "[1,-Inf]",
		"isNaN(NaN)": "isNaN(NaN)",
		"−Inf":       "−Inf", "x=+Inf;": "x=+Inf;", "é NaN": "é NaN",
	} {
		must.Equal(t, notFinite(text), want, text)
	}
}
