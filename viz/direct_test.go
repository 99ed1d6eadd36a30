package viz

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/expfam/lab/internal/must"
)

// bumps are n random curves with two bumps each.
func bumps(r *rand.Rand, n int) (v Lines) {
	for k := range n {
		l := Line{Name: fmt.Sprint("curve ", k+1), Dashed: k == 1}
		a, b, w := 4*r.Float64()-2, 4*r.Float64()-2, 0.3+r.Float64()
		for i := range 200 {
			x := -3 + 6*float64(i)/199
			l.X = append(l.X, x)
			l.Y = append(l.Y, math.Exp(-(x-a)*(x-a)/w)+0.5*math.Exp(-(x-b)*(x-b)))
		}
		v.Lines = append(v.Lines, l)
	}
	return v
}

// TestDirectLabels paints charts of random curves without their names, and finds no ink where the names stand. Names
// lie apart.
func TestDirectLabels(t *testing.T) {
	labelled := 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 5))
		v := bumps(r, 1+int(seed%4))
		v.LogY = seed%5 == 4
		v.Width = []float64{300, 600, 900}[seed%3]
		d := must.Get(must.Get(v.Chart())(t).layout())(t)
		if d.labels == nil {
			continue
		}
		labelled++
		must.Equal(t, len(d.labels), len(v.Lines), "names")
		labels := d.labels
		d.labels = []lineLabel{}
		picture := must.Get(png.Decode(bytes.NewReader(must.Get(d.Encode(PNG))(t))))(t)
		p, area := d.paint(draw.New(vgsvg.New(px(d.Width), px(d.Height))))
		place, scale := toCanvas(area, p), float64(picture.Bounds().Dx())/d.Width
		st, boxes := style(labelSize, true, ink), []vg.Rectangle{}
		for _, l := range labels {
			at, w, h := place(l.x, l.y), st.Width(l.name)/2, px(labelSize)/2
			box := vg.Rectangle{Min: vg.Point{X: at.X - w, Y: at.Y - h}, Max: vg.Point{X: at.X + w, Y: at.Y + h}}
			must.Be(t, area.Contains(box.Min) && area.Contains(box.Max), "seed %d: %q leaves the frame", seed, l.name)
			for _, o := range boxes {
				must.Be(t, box.Min.X > o.Max.X || o.Min.X > box.Max.X || box.Min.Y > o.Max.Y || o.Min.Y > box.Max.Y,
					"seed %d: %q lies over another name", seed, l.name)
			}
			boxes = append(boxes, box)
			for x := box.Min.X; x < box.Max.X; x += px(0.5) {
				for y := box.Min.Y; y < box.Max.Y; y += px(0.5) {
					left, top := scale*float64(x/px(1)), scale*(d.Height-float64(y/px(1)))
					red, green, blue, _ := picture.At(int(left), int(top)).RGBA()
					must.Need(t, min(red, green, blue) >= 0xE000, "seed %d: ink behind %q", seed, l.name)
				}
			}
		}
	}
	must.Be(t, labelled >= 18, "%d of 24 charts have names beside their lines", labelled)
}

// A chart of five names, and one whose band has a name of its own, have a legend.
func TestLegendsThatStay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	five := must.Get(must.Get(bumps(r, 5).Chart())(t).layout())(t)
	c := must.Get(bumps(r, 2).Chart())(t)
	c.Band("95%", []float64{0, 1}, []float64{0, 0}, []float64{1, 1}, fade(ink, 0.2))
	band := must.Get(c.layout())(t)
	for _, d := range []*drawing{five, band} {
		rows, drawn := d.legendSize()
		must.Be(t, d.labels == nil && rows > 0 && drawn == len(d.entries()), "%d labels, %d names in %d rows",
			len(d.labels), drawn, rows)
	}
}

// Text in the colours of lines has the contrast that WCAG 2.1 asks for, 4.5 with white.
func TestReadable(t *testing.T) {
	for k := range OkabeIto {
		c := readable(methodColor(k))
		sum := 0.0
		for i, w := range []float64{0.2126, 0.7152, 0.0722} {
			v := float64([]uint8{c.R, c.G, c.B}[i]) / 255
			if v <= 0.03928 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += w * v
		}
		must.Be(t, 1.05/(sum+0.05) >= 4.4, "colour %d: contrast %.2f", k, 1.05/(sum+0.05)) // rounding of two formulas
	}
}
