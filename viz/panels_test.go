package viz

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// curves are two panels whose y values differ tenfold.
func curves() Panels {
	x := []float64{-1, 0, 1, 2}
	return Panels{Title: "Two <panels>", Note: "A note on both.", Figures: []Figure{
		Lines{Lines: []Line{{Name: "small", X: x, Y: []float64{0, 1, 2, 3}}}, Title: "Left", XLabel: "x", YLabel: "y"},
		Lines{Lines: []Line{{Name: "large", X: x, Y: []float64{0, 10, 20, 30}, Color: OkabeIto[1]}}, Title: "Right",
			Note: "One <note>.", XLabel: "x", YLabel: "y"},
	}}
}

func TestPanelsGolden(t *testing.T) {
	for _, shared := range []bool{false, true} {
		v := curves()
		v.ShareX, v.ShareY = shared, shared
		s := must.Get(v.layout())(t)
		for k, d := range s.panels {
			Golden(t, fmt.Sprintf("panels-shared-%v-%d", shared, k+1), d.Chart)
		}
	}
}

func TestPanelsPlaces(t *testing.T) {
	v := curves()
	v.Figures = append(v.Figures, v.Figures[0])
	data := must.Get(v.Encode(PNG))(t)
	img := must.Get(png.Decode(bytes.NewReader(data)))(t)
	// 1000 px, a title of 30, two rows of 340 and a note of 27, at 1.5.
	got := img.Bounds().Size()
	must.Be(t, got.X == 1500 && (got.Y == 1105 || got.Y == 1106), "size %v, want 1500 by 1105.5", got)
	// The colour of the second figure is in the upper right quarter only.
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			must.Need(t, math.Abs(float64(r>>8)-0xD5)+math.Abs(float64(g>>8)-0x5E)+math.Abs(float64(b>>8)) >= 6 ||
				(x >= 750 && y <= 555),
				"the right panel's colour at (%d, %d)", x, y)
		}
	}
}

func TestPanelsHTML(t *testing.T) {
	html := must.Get(curves().Encode(HTML))(t)
	again, _ := curves().Encode(HTML)
	must.Be(t, bytes.Equal(html, again), "two renderings differ")
	must.Equal(t, strings.Count(string(html), "<img"), 1, "images")
	must.Equal(t, strings.Count(string(html), `"option":`), 2, "live charts")
	must.Be(t, !strings.Contains(string(html), "<panels>") && !strings.Contains(string(html), "<note>"),
		"text is not escaped")
	svg := must.Get(base64.StdEncoding.DecodeString(string(regexp.MustCompile(`base64,([^"]+)"`).FindSubmatch(html)[1])))(t)
	for _, want := range []string{"Two &lt;panels&gt;", "Left", "Right", "A note on both."} {
		must.Be(t, bytes.Contains(svg, []byte(want)), "the image does not say %q", want)
	}
	// The pointer finds the right panel's last value in the right half.
	s, _ := curves().layout()
	tips := s.panels[1].hover()
	if last := tips[len(tips)-1]; !strings.Contains(string(html),
		fmt.Sprintf(`[%g,%g,"large`, last[0].(float64)+500, last[1].(float64)+30)) {
		t.Errorf("no tip for the right panel's last value at %v", last)
	}
	must.Get(curves().Encode(PDF))(t)
}

// A chart of one's own keeps its size.
func TestPanelsCopy(t *testing.T) {
	c := &Chart{Kind: "mine", Width: 700}
	c.Line("a", []float64{0, 1}, []float64{0, 1}, LineStyle{Color: ink})
	must.Get((Panels{Figures: []Figure{c, c}}).Encode(SVG))(t)
	must.Be(t, c.Width == 700 && c.Height == 0, "the chart is %g by %g now", c.Width, c.Height)
}

// What panels with a common axis leave out is counted once.
func TestPanelsOmitted(t *testing.T) {
	gap := Lines{Lines: []Line{{Y: []float64{1, math.NaN(), 3}}}}
	text := string(must.Get(Panels{Figures: []Figure{gap, gap}, ShareY: true}.Encode(Text))(t))
	must.Equal(t, strings.Count(text, "Left out: 1 missing value."), 2, "in two panels", text)
}

func TestPanelsErrors(t *testing.T) {
	line := Lines{Lines: []Line{{Y: []float64{1, 2}}}}
	for _, c := range []struct {
		name string
		v    Panels
		want string
	}{
		{"none", Panels{}, "panels: no figures; give at least one"},
		{"columns", Panels{Figures: []Figure{line}, Columns: 2}, "panels: 2 columns for 1 figures; use 1 to 1"},
		{"table", Panels{Figures: []Figure{line, Table{}}},
			"panels: figure 2 is a viz.Table, which has no chart; show it by itself"},
		{"nil", Panels{Figures: []Figure{line, (*Chart)(nil)}},
			"panels: figure 2 is nil; look at the error of the function that should have made it"},
		{"nested", Panels{Figures: []Figure{line, Lines{}}}, "panels: figure 2: lines: no lines; give at least one"},
		{"arrow", Panels{Figures: []Figure{Lines{Lines: line.Lines, Arrows: []Arrow{{DX: math.NaN()}}}}},
			"panels: figure 1: lines: arrow 1 is from (0, 0) along (NaN, 0); all must be finite"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.v.Encode(SVG)
			must.Be(t, err != nil && err.Error() == c.want, "got %v, want %s", err, c.want)
		})
	}
}
