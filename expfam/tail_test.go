package expfam_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/must"
)

// quantiles are the parameter whose draws are n equally probable numbers of a law, under a prior.
func quantiles(n int, of, prior law.Law) *expfam.Posterior {
	post := &expfam.Posterior{X: mat.NewDense(n, 1, nil)}
	post.AddParameter(law.Parameter{Name: "length scale", Unit: "weeks", Law: prior}, law.Grid(of, n))
	return post
}

// A parameter with a heavy tail has its median and interval first, without a mean in the summary, and a word where its
// data say no more than its prior. Laws whose mean is that of many draws are told as before.
func TestHeavyTails(t *testing.T) {
	wide := law.LogNormal{Median: 10, SD: 3}
	for _, c := range []struct {
		name  string
		of    law.Law
		heavy bool
		word  string
	}{
		{"the prior itself", wide, true, "do not bound it from above"},
		{"half of the scale", law.LogNormal{Median: 5, SD: 2}, true, ""},
		{"bounded by the data", law.LogNormal{Median: 5, SD: 0.4}, false, ""},
	} {
		post := quantiles(400, c.of, wide)
		q := must.Get(post.Parameter("length scale"))(t)
		text, line := post.String(), q.String()
		must.Be(t, (q.Tail() != "") == c.heavy && strings.Contains(q.Tail(), c.word), "%s: tail %q", c.name, q.Tail())
		if !c.heavy {
			must.Be(t, strings.Contains(line, ": mean ") && !strings.Contains(text, "heavy"), "%s: %s\n%s", c.name,
				line,
				text)
			continue
		}
		must.Be(t, c.word != "" || !strings.Contains(q.Tail(), "do not bound"), "%s: tail %q", c.name, q.Tail())
		must.Be(t, strings.Contains(line, ": median ") && strings.Index(line, "median") < strings.Index(line, "mean"),
			"%s: %s", c.name, line)
		row := strings.Fields(text[strings.Index(text, "length scale"):])
		must.Be(t, row[3] == "–" && row[4] == "–" && strings.Contains(text, "length scale (weeks): a heavy tail"),
			"%s: the summary is\n%s", c.name, text)
	}
	// Of ten draws nothing is said: the interval of so few does not hold the tail of any law.
	must.Equal(t, quantiles(10, wide, wide).Tails()[0], "")
	must.Be(t, math.Abs(must.Get(quantiles(400, wide, wide).Parameter("length scale"))(t).Median()-10) < 0.1, "median")
}
