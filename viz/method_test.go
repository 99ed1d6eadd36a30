package viz

import (
	"image/color"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// A method keeps its colour at any place, in every figure that has methods.
func TestMethodColor(t *testing.T) {
	draws := mat.NewDense(5, 2, []float64{1, 10, 2, 20, 3, 31, 4, 40, 5, 50})
	own := color.NRGBA{0xE6, 0x9F, 0, 0xFF}
	methods := []Method{{Name: "first", Draws: draws}, {Name: "own", Draws: draws, Color: own}}
	for name, fig := range map[string]interface{ Chart() (*Chart, error) }{
		"intervals": Intervals{Methods: methods},
		"density":   Density{Methods: methods},
	} {
		t.Run(name, func(t *testing.T) {
			c := must.Get(fig.Chart())(t)
			want := map[string]string{}
			want["first"], _ = hex(methodColor(0))
			want["own"], _ = hex(own)
			seen := map[string]bool{}
			for _, m := range c.marks {
				o := outlineOf(m)
				if o.Mark == "points" && name == "intervals" {
					continue // dots are darker
				}
				if w, ok := want[o.Name]; ok {
					seen[o.Name] = true
					must.Equal(t, o.Color, w, o.Mark, o.Name)
				}
			}
			must.Equal(t, len(seen), 2, "marks of", seen)
		})
	}
}
