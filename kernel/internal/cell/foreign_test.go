package cell

import (
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// What people write in other languages is answered by what Go or the kernel has.
func TestHabits(t *testing.T) {
	for source, want := range map[string]string{
		"x = 5":                                  "to define it, write x := …",
		"names := []string{}\nfor n in names {}": "for i, v := range values",
		"var names []string = {\"a\"}":           "a list is written with its type",
		"1 == 2 ? 3 : 4":                         "use if and else",
		"?viz.Lines":                             "%help NAME",
		"viz.Lines?":                             "%help NAME",
		"def f(x):\n\treturn x":                  "func name(x float64)",
		"let x = 5":                              "x := …",
		"quuxes(1)":                              "no cell that ran defines it",
		"sqrt(2)":                                "did you mean math.Sqrt?",
		"n := fmt.Println(1)":                    "take both, as in v, err := f()",
		"x := 5\nx = \"a ? b : c\"":              "cannot use \"a ? b : c\"",
	} {
		_, err := newSession().Translate(Cell{Number: 1, Source: source})
		must.Be(t, err != nil && strings.Contains(err.Error(), want), "%q: %v, want %q", source, err, want)
	}
}
