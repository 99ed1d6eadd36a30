package viz

import (
	"encoding/json"
	"image"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// optionOf is the option for ECharts of a chart, and the layout that it is made of.
func optionOf(t *testing.T, c *Chart, err error) ([]byte, *drawing) {
	t.Helper()
	must.Do(t, err)
	d := must.Get(c.layout())(t)
	text := must.Get(d.option())(t)
	return text, d
}

// TestOption reads the interactive rendering back: it must hold the same numbers, names and scales as the static one.
func TestOption(t *testing.T) {
	draws := mat.NewDense(5, 2, []float64{1, 10, 2, 20, 3, 30, 4, 40, 5, 50})
	c, err := Intervals{Methods: []Method{{Name: "a", Draws: draws}, {Name: "b", Draws: draws}},
		Truth: []float64{3, 30}, LogY: true, YLabel: "θ"}.Chart()
	text, d := optionOf(t, c, err)
	var got struct {
		Legend struct{ Data []struct{ Name string } }
		XAxis  []struct{ Type, Name string }
		YAxis  []struct {
			Type, Name string
			Min, Max   float64
		}
		Series []struct {
			Name, Type, Color string
			Data              json.RawMessage
		}
	}
	must.Do(t, json.Unmarshal(text, &got))
	var names []string
	for _, l := range got.Legend.Data {
		names = append(names, l.Name)
	}
	must.Be(t, len(names) == 3 && names[0] == "a" && names[1] == "b" && names[2] == "truth",
		"legend %q, want a, b, truth", names)
	if y := got.YAxis[0]; y.Type != "log" || y.Name != "θ" || math.Abs(y.Min/d.ymin-1) > 1e-5 ||
		math.Abs(y.Max/d.ymax-1) > 1e-5 {
		t.Errorf("y axis %+v, want logarithmic θ from %g to %g", y, d.ymin, d.ymax)
	}
	medians := map[string][]float64{}
	for _, s := range got.Series {
		if s.Type != "scatter" || s.Name == "" {
			continue
		}
		var points []struct{ Value [2]float64 }
		must.Do(t, json.Unmarshal(s.Data, &points))
		for _, p := range points {
			medians[s.Name] = append(medians[s.Name], p.Value[1])
		}
	}
	for _, name := range names {
		m := medians[name]
		must.Be(t, len(m) == 2 && m[0] == 3 && m[1] == 30, "%s: %v, want 3 and 30", name, m)
	}
}

func TestQuantize(t *testing.T) {
	// 16 by 16 pixels of 256 colours, and one pixel more of a 257th.
	src := image.NewRGBA(image.Rect(0, 0, 16, 33))
	for y := range 32 {
		for x := range 16 {
			src.SetRGBA(x, y, color.RGBA{uint8(16 * x), uint8(16 * (y % 16)), 0, 255})
		}
	}
	for x := range 16 {
		src.SetRGBA(x, 32, color.RGBA{0, 0, 0, 255})
	}
	rare := color.RGBA{49, 33, 1, 255} // nearest: 48, 32, 0
	src.SetRGBA(5, 32, rare)
	dst := quantize(src)
	must.Need(t, len(dst.Palette) == 256, "%d colours", len(dst.Palette))
	for y := range 33 {
		for x := range 16 {
			want := src.RGBAAt(x, y)
			if want == rare {
				want = color.RGBA{48, 32, 0, 255}
			}
			got := color.RGBAModel.Convert(dst.At(x, y))
			must.Need(t, got == want, "pixel %d, %d: %v, want %v", x, y, got, want)
		}
	}
}

// Values that differ little, as times in seconds do, differ in a live chart too.
func TestFarFromZero(t *testing.T) {
	x, y := []float64{1.7e9, 1.7e9 + 60, 1.7e9 + 120}, []float64{100000.01, 100000.02, 100000.03}
	c, err := Lines{Lines: []Line{{X: x, Y: y, Low: y, High: y, Points: true}},
		Arrows: []Arrow{{X: x[0], Y: y[0], DX: 60, DY: 0.01}}}.Chart()
	text, _ := optionOf(t, c, err)
	var got struct {
		Series []struct{ Data []json.RawMessage }
		XAxis  []struct{ Min, Max float64 }
	}
	must.Do(t, json.Unmarshal(text, &got))
	if a := got.XAxis[0]; math.Abs(a.Min-(x[0]-2.4)) > 0.1 || math.Abs(a.Max-(x[2]+2.4)) > 0.1 {
		t.Errorf("axis from %v to %v", a.Min, a.Max)
	}
	n := 0
	for _, s := range got.Series {
		for i, data := range s.Data {
			var at []float64
			if json.Unmarshal(data, &at) != nil { // a point with its text
				var point struct{ Value []float64 }
				must.Do(t, json.Unmarshal(data, &point))
				at = point.Value
			}
			n++
			must.Be(t, math.Abs(at[0]-x[i]) <= 0.1 && math.Abs(at[1]-y[i]) <= 1e-5,
				"value %d is at %v, want %v, %v", i, at, x[i], y[i])
		}
	}
	must.Equal(t, n, 9, "values")
}

type threeBins struct{}

func (threeBins) Bins() (counts []int, expected, low, high float64, err error) {
	return []int{3, 5, 4}, 0, 0, 0, nil
}

// Ends of an axis have labels where they are ticks.
func TestEChartsEnds(t *testing.T) {
	c, err := Histogram{Of: threeBins{}, YMax: 5.5}.Chart()
	text, _ := optionOf(t, c, err)
	type axes []struct {
		AxisLabel struct{ ShowMinLabel, ShowMaxLabel bool }
	}
	var got struct{ XAxis, YAxis axes }
	must.Do(t, json.Unmarshal(text, &got))
	x := got.XAxis[0].AxisLabel
	must.Be(t, x.ShowMinLabel && x.ShowMaxLabel, "x from 0 to 1: %+v", x)
	y := got.YAxis[0].AxisLabel
	must.Be(t, y.ShowMinLabel && !y.ShowMaxLabel, "y from 0 to 5.5: %+v", y)
}
