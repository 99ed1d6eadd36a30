package viz

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Curves and methods of one name have an entry each, in static and live figures. What is one thing shares an entry.
func TestNamesApart(t *testing.T) {
	line := func(name string, of ...float64) Line { return Line{Name: name, Y: of} }
	grey := line("draw", 1, 2)
	grey.Color = soft
	two := []Method{{Name: "ours", Draws: threeDraws(3)}, {Name: "ours", Draws: threeDraws(3)},
		{Name: "truth", Draws: threeDraws(3)}, {Draws: threeDraws(3)}}
	for _, c := range []struct {
		name string
		fig  interface{ Chart() (*Chart, error) }
		want []string
	}{
		{"lines", Lines{Lines: []Line{line("district", 1, 2), line("district", 2, 1), line("district", 2, 3)}},
			[]string{"district", "district (2)", "district (3)"}},
		{"a name that another has", Lines{Lines: []Line{line("a", 1, 2), line("a", 2, 1), line("a (2)", 2, 3)}},
			[]string{"a", "a (3)", "a (2)"}},
		{"signs that are not printed", Lines{Lines: []Line{line("a\x01", 1, 2), line("a", 2, 1)}},
			[]string{"a", "a (2)"}},
		{"a number that a line has for a name", Lines{Lines: []Line{line("line 2", 1, 2), line("", 2, 1)}},
			[]string{"line 2", "line 2 (2)"}},
		{"one thing", Lines{Lines: []Line{grey, grey, grey}}, []string{"draw"}},
		{"intervals", Intervals{Methods: two, Truth: []float64{1, 2, 3}},
			[]string{"ours", "ours (2)", "truth (2)", "method 4", "truth"}},
		{"density", Density{Methods: two}, []string{"ours", "ours (2)", "truth", "method 4"}},
	} {
		chart := must.Get(c.fig.Chart())(t, c.name)
		must.Be(t, slices.Equal(chart.entries(), c.want), "%s: legend %q, want %q", c.name, chart.entries(), c.want)
		live := must.Get(must.Get(chart.layout())(t).option())(t)
		for _, name := range c.want {
			must.Be(t, strings.Contains(string(live), fmt.Sprintf("%q", name)), "%s: no series %q", c.name, name)
		}
	}
	v := Comparison{Methods: two[:2]}
	must.Get(v.read())(t)
	must.Be(t, v.Methods[0].Name == "ours" && v.Methods[1].Name == "ours (2)", "compared: %v", v.Methods)
}
