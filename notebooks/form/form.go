package form

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/viz"
	"github.com/expfam/lab/viz/live"
)

// families are the families that the form offers, each with its Go source.
var families = []struct {
	source string
	family expfam.Family
}{
	{"expfam.Poisson{}", expfam.Poisson{}},
	{"expfam.Binomial{Trials: 12}", expfam.Binomial{Trials: 12}},
	{"expfam.NegativeBinomial{Successes: 3}", expfam.NegativeBinomial{Successes: 3}},
	{"expfam.Geometric{}", expfam.Geometric{}},
	{"expfam.Exponential{}", expfam.Exponential{}},
}

const most = 60 // largest number of observations that the form samples while a person waits

// Show shows the form, which makes the given number of draws of each posterior.
func Show(draws int) { Panel(draws).Show() }

// Panel returns the form as a panel.
func Panel(draws int) live.Panel {
	family := &live.Choice{Label: "likelihood"}
	for _, f := range families {
		family.Options = append(family.Options, f.source)
	}
	link := &live.Text{Label: "link θ(x), empty for the likelihood's own", Value: "exp(1+x)"}
	data := &live.Text{Label: "observations", Value: "3, 0, 4, 9, 7, 2, 1, 0, 2, 6"}
	data.Check = func(text string) error { _, err := numbers(text); return err }
	seed := &live.Slider{Label: "seed", Min: 1, Max: 20, Step: 1, Value: 1, Frames: 4}
	sampler := &diffusion.Live{Keep: 4}
	now := func() entry { return entry{family.Value, link.Value, data.Value, draws, int(seed.Value)} }
	return live.Panel{Controls: []live.Control{family, link, data, seed},
		Draw: func() (viz.Figure, error) { return now().figure(sampler) },
		Code: func() string { return now().program() }}
}

// entry is what a reader has entered.
type entry struct {
	family, link, data string
	draws, seed        int
}

func (e entry) likelihood() (like expfam.Likelihood, err error) {
	for _, f := range families {
		if f.source == e.family {
			like.Family = f.family
		}
	}
	if strings.TrimSpace(e.link) != "" {
		like.Link, err = expfam.ParseLink(e.link)
	}
	return like, err
}

func (e entry) figure(sampler *diffusion.Live) (viz.Figure, error) {
	like, err := e.likelihood()
	if err != nil {
		return nil, err
	}
	y, err := numbers(e.data)
	if err != nil {
		return nil, err
	}
	obs, err := like.Observe1(y...)
	if err != nil {
		return nil, err
	}
	sampler.Prior, sampler.Sampler = gp.RBF{Cells: len(y)}, diffusion.Sampler{Draws: e.draws, Seed: uint64(e.seed)}
	post, err := sampler.Sample(like, obs)
	if err != nil {
		return nil, err
	}
	fig := viz.Intervals{Draws: post, Title: title(y), YLabel: "θ"}
	if _, counts := like.Family.(expfam.Poisson); counts {
		fig.Observed = y // counts have the scale of their rates
	}
	return fig, nil
}

// title names the figure, with the number of observations that are missing.
func title(y []float64) string {
	missing := 0
	for _, v := range y {
		if math.IsNaN(v) {
			missing++
		}
	}
	if missing > 0 {
		return fmt.Sprintf("θ of %d observations, %d missing", len(y), missing)
	}
	return fmt.Sprintf("θ of %d observations", len(y))
}

// program returns the Go program that samples the posterior of the entry.
func (e entry) program() string {
	y, err := numbers(e.data)
	if err != nil {
		return ""
	}
	link := ""
	if strings.TrimSpace(e.link) != "" {
		link = fmt.Sprintf(", Link: expfam.MustLink(%q)", e.link)
	}
	texts, imports := make([]string, len(y)), ""
	for i, v := range y {
		if texts[i] = strconv.FormatFloat(v, 'g', -1, 64); math.IsNaN(v) {
			texts[i], imports = "math.NaN()", "\t\"math\"\n\n"
		}
	}
	return fmt.Sprintf(`package main

import (
%s	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/viz"
)

func main() {
	like := expfam.Likelihood{Family: %s%s}
	obs := expfam.Must(like.Observe1(%s))
	prior := gp.RBF{Cells: %d}
	post := expfam.Must(diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: %d, Seed: %d}))
	viz.Save(viz.Intervals{Draws: post, Title: %q}, "theta.html")
}
`, imports, e.family, link, strings.Join(texts, ", "), len(y), e.draws, e.seed, title(y))
}

// decimalComma is a word that is one number with a decimal comma, or two.
var decimalComma = regexp.MustCompile(`^[+-]?\d+,\d+,?$`)

// numbers reads numbers that are separated by commas, semicolons or spaces. NA, NaN, - and nothing between two commas
// are observations that are missing, NaN in y.
func numbers(text string) (y []float64, err error) {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\u2212", "-")
	if strings.Contains(text, ",") && strings.Contains(text, ";") {
		return nil, errors.New("there are commas and semicolons: write decimal points, and separate numbers by commas")
	}
	words := strings.Fields(text)
	if len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !decimalComma.MatchString(w) }) {
		return nil, fmt.Errorf("%q may be one number or two: write decimal points, and a space after every comma "+
			"between numbers", strings.TrimRight(words[0], ","))
	}
	parts := strings.FieldsFunc(strings.ReplaceAll(strings.ReplaceAll(text, ",", ", "), ";", "; "), unicode.IsSpace)
	open := true // nothing stands since the last separator
	for _, part := range parts {
		word := strings.TrimRight(part, ",;")
		switch v, err := strconv.ParseFloat(word, 64); {
		case word == "" && open, word == "-", strings.EqualFold(word, "NA"), strings.EqualFold(word, "NaN"):
			y = append(y, math.NaN())
		case word == "":
		case err != nil:
			return nil, fmt.Errorf("%q is no number: separate numbers by commas, and write NA where nothing was "+
				"observed", word)
		case math.IsInf(v, 0):
			return nil, fmt.Errorf("%q is not finite: write NA where nothing was observed", word)
		default:
			y = append(y, v)
		}
		open = len(word) < len(part)
	}
	if len(y) < 2 {
		return nil, errors.New("give two numbers or more, separated by commas")
	}
	if len(y) > most {
		return nil, fmt.Errorf("%d numbers: give at most %d here, and use the program for more", len(y), most)
	}
	return y, nil
}
