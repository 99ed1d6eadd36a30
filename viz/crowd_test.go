package viz

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// residuals are a series of independent normal numbers.
func residuals(n int) []float64 {
	r, y := rand.New(rand.NewPCG(1, 2)), make([]float64, n)
	for i := range y {
		y[i] = r.NormFloat64()
	}
	return y
}

// crowds are figures of very many places, by name. BenchmarkCrowd draws them.
func crowds(n int) map[string]Figure {
	y := residuals(n)
	low, high := make([]float64, n), make([]float64, n)
	for i := range y {
		low[i], high[i] = y[i]-1, y[i]+1
	}
	draws := mat.NewDense(10, n/10, y)
	return map[string]Figure{
		"line":      Lines{Lines: []Line{{Y: y}}},
		"points":    Lines{Lines: []Line{{Y: y, Points: true}}},
		"dashed":    Lines{Lines: []Line{{Y: y, Dashed: true}}},
		"band":      Lines{Lines: []Line{{Y: y, Low: low, High: high}}},
		"scribble":  Lines{Lines: []Line{{X: residuals(n + 1)[1:], Y: y}}},
		"intervals": Intervals{Draws: draws},
		"data":      Data{Of: y},
	}
}

// What is drawn does not grow with the data: marks have so many places at most, and files so many bytes.
func TestCrowd(t *testing.T) {
	const n = 300_000
	for name, fig := range crowds(n) {
		for _, format := range []Format{SVG, HTML} {
			data := must.Get(fig.Encode(format))(t, name)
			must.Be(t, len(data) <= 2<<20, "%s: %d bytes of %s, want at most 2 MB", name, len(data), format)
		}
		charted, ok := fig.(interface{ Chart() (*Chart, error) })
		if !ok {
			continue
		}
		d := must.Get(must.Get(charted.Chart())(t).layout())(t)
		for _, m := range d.marks {
			switch m := m.(type) {
			case lineMark:
				must.Be(t, len(m.x) <= 4*mostPoints, "%s: a line of %d points", name, len(m.x))
			case pointMark:
				all := n
				if name == "intervals" {
					all = n / 10
				}
				must.Be(t, len(m.x) <= mostDots && len(m.x) >= mostTold/3, "%s: %d points", name, len(m.x))
				must.Be(t, strings.Contains(d.Note, fmt.Sprintf("%d of %d points are drawn", len(m.x), all)),
					"%s: note %q", name, d.Note)
			case bandMark:
				must.Be(t, float64(len(m.x)) <= 2*d.Width, "%s: a band of %d places", name, len(m.x))
			case barMark:
				must.Be(t, float64(len(m.x)) <= 2*d.Width, "%s: %d bars", name, len(m.x))
			}
		}
	}
}

// Thinning keeps the ends of the data, and few points are all drawn.
func TestCrowdKeeps(t *testing.T) {
	y := residuals(100_000)
	y[70_000], y[20_000] = 50, -50
	for _, l := range []Line{{Y: y}, {Y: y, Points: true}, {Y: y, Low: y, High: y}} {
		d := must.Get(must.Get(Lines{Lines: []Line{l}}.Chart())(t).layout())(t)
		for _, m := range d.marks {
			b := m.bounds()
			must.Be(t, b.ymin == -50 && b.ymax == 50, "%T goes from %g to %g, want −50 to 50", m, b.ymin, b.ymax)
		}
	}
	d := must.Get(must.Get(Lines{Lines: []Line{{Y: y[:mostDots], Points: true}}}.Chart())(t).layout())(t)
	must.Be(t, len(d.marks[1].(pointMark).x) == mostDots && d.Note == "", "%d points are thinned: %s", mostDots, d.Note)
}

// A path in pieces has the pixels of one path.
func TestPieces(t *testing.T) {
	y := make([]float64, 400)
	for i := range y {
		y[i] = math.Sin(float64(i) / 9)
	}
	fig := Lines{Lines: []Line{{Y: y, Dashed: true}}}
	picture := func() (out []int) {
		img := must.Get(png.Decode(bytes.NewReader(must.Get(fig.Encode(PNG))(t))))(t)
		b := img.Bounds()
		for k := range b.Dx() * b.Dy() {
			r, _, _, _ := img.At(k%b.Dx(), k/b.Dx()).RGBA()
			out = append(out, int(r>>8))
		}
		return out
	}
	inPieces := picture()
	defer func(was int) { piece = was }(piece)
	piece = 1 << 20
	differ := 0
	for k, v := range picture() {
		if d := v - inPieces[k]; d > 64 || d < -64 {
			differ++
		}
	}
	// 400 points are in nine pieces, whose ends lack a join: a few pixels each.
	must.Be(t, differ <= 9*6, "%d pixels differ", differ)
}

func BenchmarkCrowd(b *testing.B) {
	for _, n := range []int{4000, 1_000_000} {
		for name, fig := range crowds(n) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					must.Get(fig.Encode(PNG))(b)
				}
			})
		}
	}
}
