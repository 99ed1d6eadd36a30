package browser

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// links are links that a person types into the panel of lesson 01.
var links = []string{"sigmoid(5*x)", "normcdf(x)", "sigmoid(-2*x)", "1-exp(-exp(x))", "exp(-exp(x))", "sigmoid(x)",
	"exp(x)", "exp(5+x)",
	"softplus(x)", "1/exp(x)", "x", "x+3"}

// TestPageLinks types links into the live page of lesson 01, for every likelihood and prior; all links at ten times
// with -full. A figure follows, or a sentence says that θ would be out of range; the panel stays live.
func TestPageLinks(t *testing.T) {
	beside(t)
	shots(t)
	const lesson = "01-conjugacy-and-evidence"
	p := host(t, sited(t, filepath.Join("notebooks", lesson+".ipynb")))
	p.visit(lesson + ".html")
	cell := in[[]string](p, time.Minute, "cells")[0]
	in[float64](p, 2*time.Minute, "live", cell, 90000)
	set := func(label string, value any) drawn {
		return in[drawn](p, 2*time.Minute, "set", cell, label, value, 60000)
	}
	controls := in[[]control](p, time.Minute, "controls", cell)
	find := func(label string) control {
		i := slices.IndexFunc(controls, func(c control) bool { return strings.HasPrefix(c.Label, label) })
		must.Need(t, i >= 0, "no control %s in %+v", label, controls)
		return controls[i]
	}
	link, times := find("link"), find("time")
	outside := regexp.MustCompile(`^microscope: link .* lies outside .*; use `)
	n, refused := 0, 0
	for i, family := range find("likelihood").Options {
		set(link.Label, "")
		set("likelihood", family)
		for k, text := range links {
			if k > 1 && (k+i)%fulltest.N(5, 1) != 0 {
				continue
			}
			set(link.Label, text)
			for _, prior := range find("prior").Options {
				set("prior", prior)
				for range fulltest.N(1, 10) {
					at := times.Min + (times.Max-times.Min)*float64(n%10)/9
					got := set(times.Label, at)
					if n++; got.Error != "" {
						refused++
						must.Be(t, outside.MatchString(got.Error),
							"%s, %s, %s, time %g: %s", family, text, prior, at, got.Error)
						break // it is the link's, at every time
					}
					must.Be(t, strings.Contains(got.Figure, "<svg") && !strings.Contains(got.Figure, "NaN") &&
						!strings.Contains(got.Figure, "Inf"),
						"%s, %s, %s, time %g: the figure is %.200s", family, text, prior, at, got.Figure)
				}
				state := in[string](p, time.Minute, "status", cell)
				must.Need(t, state == "live", "%s, %s, %s: the panel is %s", family, text, prior, state)
			}
		}
	}
	for _, text := range []string{"sigmoid(5*x)", "normcdf(x)"} { // what a binomial's θ may be
		set("likelihood", "bernoulli")
		must.Equal(t, set(link.Label, text).Error, "", text, "is refused")
		p.shot(text)
	}
	for _, problem := range in[[]string](p, time.Minute, "problems") {
		t.Error(problem)
	}
	t.Logf("%d settings, %d refused", n, refused)
}
