package viz

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// steps has draws 0, 1 … 9 in each cell, plus the cell's number over 100: the share
// above u − ½ is (10 − u)/10 for whole u.
func steps() *mat.Dense {
	m := mat.NewDense(10, 24, nil)
	m.Apply(func(i, j int, _ float64) float64 { return float64(i) + float64(j)/100 }, m)
	return m
}

func exceedance() Exceedance {
	m := insetIsland()
	m.Title = "Above the threshold"
	area := slices.Repeat([]float64{1000}, 24)
	return Exceedance{Map: m, Draws: steps(), Thresholds: []float64{0.15, 0.5, 1.5}, Threshold: 0.15, Quantity: "rate",
		Percent: true, Areas: area, Unit: "km²"}
}

func TestExceedanceGolden(t *testing.T) {
	s := must.Get(exceedance().layout())(t)
	goldenAtlas(t, "exceedance", s)
}

// An empty list of thresholds is none, and small areas keep their digits.
func TestExceedanceDefaults(t *testing.T) {
	v := exceedance()
	v.Thresholds, v.Threshold = []float64{}, 0.5
	for j := range v.Areas {
		v.Areas[j] = 0.002
	}
	s := must.Get(v.layout())(t)
	n := 0
	for _, z := range s.tiles[0].shown() {
		if z >= 0.9 {
			n++
		}
	}
	want := fmt.Sprintf(", %g km²", 0.002*float64(n))
	must.Be(t, n != 0 && strings.HasSuffix(s.tiles[0].Title, want), "%q, want %q at the end", s.tiles[0].Title, want)
	for area, want := range map[float64]string{0: "0", 12.3: "12.3", 100: "100", 1230000: "1 230 000"} {
		must.Equal(t, grouped(area), want, "area", area)
	}
}

// At 0.5 all ten draws but the first are above: 0.9 is sure. At 1.5 it is 0.8.
// At 0.15 the first draw of cells from number 16 on is above as well.
func TestExceedanceShares(t *testing.T) {
	s := must.Get(exceedance().layout())(t)
	f := s.frames
	b := must.Get(base64.StdEncoding.DecodeString(f.Values))(t)
	want := []byte{225, 225, 225, 225, 225, 250, 250, 250, 225, 225, 225, 225, 225, 225, 225, 225, 200, 200, 200, 200,
		200, 200, 200, 200}
	// Drawn are cells 7 to 10 and 13 to 16 from the upper left; (12, 2), the second of the lower row, has no value.
	want[4], want[5], want[6], want[7] = 225, 255, 225, 250
	want[13], want[21] = 255, 255
	for i := range want {
		must.Equal(t, b[i], want[i], "byte", i)
	}
	must.Be(t, f.Sure == 225 && f.Steps == 250 && len(f.Colors) == 6*251,
		"sure from %d of %d, %d digits of colours", f.Sure, f.Steps, len(f.Colors))
	must.Equal(t, f.Titles[1], "Outlined, probability at least 0.9: 7 of 7 cells, 7 000 km²")
	must.Equal(t, f.Titles[2], "Outlined, probability at least 0.9: 0 of 7 cells, 0 km²")
	must.Equal(t, f.Bars[0], "P(rate > 15%)", "bar")
}

// The slider outlines the cells that the picture outlines, also where Sure is no whole number of its steps of 1/250.
func TestExceedanceSure(t *testing.T) {
	shares := []float64{0.949, 0.95, 0.951, 0.952, 1}
	draws := mat.NewDense(1000, len(shares), nil)
	draws.Apply(func(i, j int, _ float64) float64 {
		if float64(i) < 1000*shares[j] {
			return 1
		}
		return -1
	}, draws)
	s := must.Get(Exceedance{Map: Map{Field: Rows{shares}}, Draws: draws, Thresholds: []float64{0, 2}, Threshold: 2,
		Sure: 0.95}.layout())(t)
	b := must.Get(base64.StdEncoding.DecodeString(s.frames.Values))(t)
	for j, p := range shares {
		must.Be(t, (int(b[j]) >= s.frames.Sure) == (p >= 0.95), "%g is the byte %d, outlined from %d on", p, b[j],
			s.frames.Sure)
	}
}

// The texts that the slider exchanges are in the image as they are in the frames.
func TestExceedanceTexts(t *testing.T) {
	html := must.Get(exceedance().Encode(HTML))(t)
	_, code, _ := strings.Cut(string(html), "base64,")
	code, _, _ = strings.Cut(code, `"`)
	svg := must.Get(base64.StdEncoding.DecodeString(code))(t)
	_, text, _ := strings.Cut(string(html), `"frames":`)
	text, _, _ = strings.Cut(text, "});</script>")
	var f mapFrames
	must.Do(t, json.Unmarshal([]byte(text), &f))
	for _, want := range []string{f.Titles[f.At], f.Bars[f.At]} {
		must.Be(t, strings.Contains(strings.ReplaceAll(string(svg), "&gt;", ">"), want), "%q is not in the image", want)
	}
	// A group for the map, its outline, its inset, the inset's outline.
	n := len(regexp.MustCompile(`<g transform="translate\(0, 0\)"`).FindAll(svg, -1))
	must.Be(t, n == 4, "%d groups that the script can find, want 4", n)
}

// The title counts the cells of the Window only.
func TestExceedanceWindow(t *testing.T) {
	v := Exceedance{Map: Map{Field: Rows{{0, 0, 0, 0}}, Window: Window{XMin: 0.5, XMax: 2.5, YMin: -0.5, YMax: 0.5}},
		Draws: mat.NewDense(1, 4, []float64{2, 2, 0, 0}), Thresholds: []float64{1}}
	s := must.Get(v.layout())(t)
	must.Equal(t, s.tiles[0].Title, "Outlined, probability at least 0.9: 1 of 2 cells")
	square := func(x float64) [][][2]float64 {
		return [][][2]float64{{{x, 0}, {x + 1, 0}, {x + 1, 1}, {x, 1}, {x, 0}}}
	}
	v.Map.Field = newAreas([]string{"a", "b", "c", "d"}, [][][][2]float64{square(0), square(1), square(2), square(3)},
		make([]float64, 4))
	v.Map.Window = Window{XMin: 1.5, XMax: 2.5, YMin: 0.2, YMax: 0.8}
	s = must.Get(v.layout())(t)
	must.Equal(t, s.tiles[0].Title, "Outlined, probability at least 0.9: 1 of 2 regions")
}

// A single threshold needs no slider. None gives one over round thresholds, with the one that is asked for.
func TestExceedanceStatic(t *testing.T) {
	v := exceedance()
	v.Thresholds = nil
	s := must.Get(v.layout())(t)
	must.Be(t, s.frames != nil && len(s.frames.Titles) == 10 && s.frames.Labels[s.frames.At] == "15%", "%+v", s.frames)
	v.Thresholds = []float64{0.15}
	s, err := v.layout()
	must.Be(t, err == nil && s.frames == nil, "frames %v, error %v", s.frames, err)
	for _, format := range []Format{PNG, PDF, Text} {
		must.Get(v.Encode(format))(t)
	}
}

func TestExceedanceErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Exceedance)
		want   string
	}{
		{"no draws", func(v *Exceedance) { v.Draws = nil },
			"exceedance: draws given: false, field given: true; give both"},
		{"cells", func(v *Exceedance) { v.Draws = mat.NewDense(2, 3, nil) },
			"exceedance: 2 draws of 3 cells and 24 areas for a map of 24 cells"},
		{"nan", func(v *Exceedance) {
			m := mat.DenseCopyOf(v.Draws.(mat.Matrix))
			m.Set(1, 8, math.NaN())
			v.Draws = m
		}, "exceedance: draw 1 of cell 8 is NaN; make the cell NaN in the Field, or Blank"},
		{"threshold", func(v *Exceedance) { v.Threshold = 9 },
			"exceedance: threshold 9 of [0.15 0.5 1.5]; give finite ones in ascending order, and one of them"},
		{"sure", func(v *Exceedance) { v.Sure = 2 }, "exceedance: sure from the probability 2 on; give one in (0, 1]"},
		{"blank", func(v *Exceedance) { v.Map.Blank = nil; v.Map.Held = make([]bool, 2) },
			"exceedance: 2 cells of Held for 6 columns and 4 rows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := exceedance()
			c.change(&v)
			_, err := v.Encode(SVG)
			must.Be(t, err != nil && err.Error() == c.want, "got  %v\nwant %s", err, c.want)
		})
	}
}
