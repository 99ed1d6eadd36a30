package live

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
	"github.com/expfam/lab/viz/program"
)

var regen = flag.Bool("regen", false, "rewrite the golden files")

// nasty is what a label, an option, a value or an error may hold.
const nasty = `<script>alert("x")</script> 'q' & ü∞ </div>` + " "

func nastyPanel() Panel {
	a := &Slider{Label: nasty, Max: 8, Value: 3, Frames: 3}
	return Panel{
		Title: "title " + nasty,
		Controls: []Control{a, &Range{Label: "r", Max: 1}, &Choice{Label: "c", Options: []string{nasty, "b"}},
			&Text{Label: "t", Value: nasty}, &Checkbox{Label: "k"}, &Button{Label: "b"},
			&Mask{Label: "m", Columns: 3, Rows: 2}},
		Draw: func() (viz.Figure, error) { return sheet(number(a.Value)), nil },
	}
}

// bundled is a panel as it stays in a notebook.
func bundled(t *testing.T, p Panel) map[protocol.MIMEType]any {
	t.Helper()
	must.Do(t, p.prepare())
	pic := must.Get(p.draw(t.Context(), nil))(t)
	return must.Get(p.bundle(pic, time.Time{}, ""))(t)
}

// TestStill compares a finished panel with a golden file, without the script and the packed settings.
func TestStill(t *testing.T) {
	page := bundled(t, nastyPanel())[protocol.MIMETextHTML].(string)
	code, arg, _ := parts(t, page)
	got := strings.Replace(page, code, "…", 1)
	got = strings.Replace(got, arg.Frames.HTML, "…", 1)
	// The id holds the packed settings, whose bytes depend on Go's version.
	got = regexp.MustCompile(`live-[0-9a-f]{16}`).ReplaceAllString(got, "live-…")
	golden := filepath.Join("testdata", "still.html")
	if *regen {
		must.Do(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want := must.Get(os.ReadFile(golden))(t)
	must.Equal(t, got, string(want), want)
}

// parts are a page's code, what it is called with, and the page without both.
func parts(t *testing.T, page string) (code string, arg data, rest string) {
	t.Helper()
	before, script, ok := strings.Cut(page, "<script>")
	script, after, ok2 := strings.Cut(script, "</script>")
	at := strings.LastIndex(script, "({")
	must.Need(t, ok && ok2 && at >= 0, "no script in %s", page)
	must.Do(t, json.Unmarshal([]byte(strings.TrimSuffix(script[at+1:], ");")), &arg))
	return script[:at], arg, before + after
}

// TestTextStaysText looks at the elements of a page: what people write is in none of their names.
func TestTextStaysText(t *testing.T) {
	_, arg, rest := parts(t, bundled(t, nastyPanel())[protocol.MIMETextHTML].(string))
	must.Be(t, arg.Title == "title "+nasty && arg.Specs[0].Label == nasty && arg.Specs[3].Value == nasty && !arg.Live,
		"the script gets %+v", arg)
	elements := map[string]int{}
	var text strings.Builder
	for d := xml.NewDecoder(strings.NewReader(rest)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		must.Do(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			elements[token.Name.Local]++
		case xml.CharData:
			text.Write(token)
		}
	}
	must.Be(t, len(elements) == 3 && elements["div"] == 4 && elements["span"] == 12 && elements["b"] == 6,
		"elements %v", elements)
	if n := strings.Count(text.String(), nasty); n != 4 { // title, label, option, text
		t.Errorf("%d times in the text, want 4", n)
	}
}

// TestEmptyText: panel.js counts the texts of the controls before a slider, so an empty text has its place too.
func TestEmptyText(t *testing.T) {
	p := nastyPanel()
	p.Controls[3].(*Text).Value = ""
	page := bundled(t, p)[protocol.MIMETextHTML].(string)
	must.Equal(t, strings.Count(page, `<span style="margin-right:16px">`), len(p.Controls)-1) // the button has none
}

func TestFrames(t *testing.T) {
	a := &Slider{Label: "a", Max: 8, Value: 3, Frames: 5}
	fails := map[float64]bool{}
	p := Panel{Controls: []Control{a}, Draw: func() (viz.Figure, error) {
		if fails[a.Value] {
			return nil, errors.New("no")
		}
		if a.Value == 8 {
			panic("no")
		}
		return sheet(number(a.Value)), nil
	}}
	fails[2] = true
	f := must.Get(p.frames(time.Time{}))(t)
	z := must.Get(gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(f.HTML))))(t)
	var pages []string
	must.Do(t, json.NewDecoder(z).Decode(&pages))
	// 2 fails, 8 panics, 3 is the figure itself.
	must.Be(t, slices.Equal(f.Values, []float64{0, 3, 4, 6}) && f.At == 1 && len(pages) == 4 && pages[1] == "",
		"got %+v with %d pages", f, len(pages))
	svg := base64.StdEncoding.EncodeToString([]byte("svg:6"))
	must.Be(t, strings.Contains(pages[3], svg) && a.Value == 3, "page %q, slider at %g", pages[3], a.Value)
	t.Run("no time", func(t *testing.T) {
		f, err := p.frames(time.Now().Add(-time.Second))
		must.Be(t, f == nil && err == nil, "got %+v %v", f, err)
	})
	t.Run("which slider", func(t *testing.T) {
		for _, c := range []struct{ first, second, index, n int }{
			{0, 0, 1, 9}, {4, 0, 1, 4}, {0, 7, 2, 7}, {-1, 0, -1, 0}, {-1, 3, 2, 3},
		} {
			p := Panel{Controls: []Control{&Checkbox{}, &Slider{Frames: c.first}, &Slider{Frames: c.second}}}
			i, n := p.framed()
			must.Be(t, i == c.index && n == c.n, "%+v: slider %d with %d", c, i, n)
		}
	})
	t.Run("from coarse to fine", func(t *testing.T) {
		must.Equal(t, coarse([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8}), []float64{0, 8, 4, 2, 6, 1, 3, 5, 7})
		must.Equal(t, len(coarse([]float64{5})), 1)
	})
	t.Run("scales", func(t *testing.T) {
		for _, c := range []struct {
			s    Slider
			want []float64
		}{
			{Slider{Min: 0.01, Max: 100, Value: 1, Log: true}, []float64{0.01, 0.1, 1, 10, 100}},
			{Slider{Min: 0, Max: 3, Step: 1}, []float64{0, 1, 2, 3}}, // five settings of four values
			{Slider{Min: 0, Max: 0.4}, []float64{0, 0.1, 0.2, 0.3, 0.4}},
		} {
			must.Equal(t, c.s.stops(5), c.want, c.s)
		}
	})
}

// Two sliders that ask for frames are drawn at all pairs of their settings, a second one only where it can be drawn
// everywhere.
func TestGrid(t *testing.T) {
	a, b := &Slider{Label: "a", Max: 8, Value: 3, Frames: 3}, &Slider{Label: "b", Max: 2, Value: 1, Frames: 3}
	p := Panel{Controls: []Control{a, &Text{Label: "t"}, b}, Draw: func() (viz.Figure, error) {
		if b.Value == 2 && a.Value > 5 {
			return nil, errors.New("no")
		}
		return sheet(number(a.Value) + "/" + number(b.Value)), nil
	}}
	f := must.Get(p.frames(time.Time{}))(t)
	must.Need(t, f.Control == 0 && f.Other != nil && f.Other.Control == 2 && f.At == 1 && f.Other.At == 1 &&
		a.Value == 3 && b.Value == 1,
		"got %+v with %+v, and the sliders are at %g and %g", f, f.Other, a.Value, b.Value)
	var want []string
	for _, x := range []string{"0", "3", "4", "8"} {
		for _, y := range []string{"0", "1"} {
			html := picture{svg: "svg:" + x + "/" + y}.still()
			if x == "3" && y == "1" {
				html = ""
			}
			want = append(want, html)
		}
	}
	must.Equal(t, f.HTML, program.Pack(want), "other figures than those of a", f.Values, "and b", f.Other.Values)
	f, err := (Panel{Controls: p.Controls, Draw: p.Draw}).frames(time.Now().Add(-time.Second))
	must.Be(t, f == nil && err == nil, "after the deadline: %+v, %v", f, err)
}

// TestSame says that running a cell again changes nothing in the notebook.
func TestSame(t *testing.T) {
	one, two := bundled(t, nastyPanel()), bundled(t, nastyPanel())
	must.Be(t, one[protocol.MIMETextHTML] == two[protocol.MIMETextHTML], "two runs differ")
}

func TestPrepare(t *testing.T) {
	for _, c := range []struct {
		name string
		c    Control
		want string // part of the error, "" for none
	}{
		{"limits", &Slider{Label: "s", Min: 2, Max: 1}, `"s": limits 2 to 1`},
		{"NaN limit", &Slider{Label: "s", Min: math.NaN(), Max: 1}, "limits"},
		{"log from zero", &Slider{Label: "s", Max: 1, Log: true}, "positive Min"},
		{"value outside", &Slider{Label: "s", Max: 1, Value: 2}, "value 2"},
		{"NaN value", &Slider{Label: "s", Max: 1, Value: math.NaN()}, "value NaN"},
		{"negative step", &Slider{Label: "s", Max: 1, Step: -1}, "step -1"},
		{"infinite step", &Slider{Label: "s", Max: 1, Step: math.Inf(1)}, "step +Inf"},
		{"middle", &Slider{Label: "s", Min: 1, Max: 3}, ""},
		{"whole range", &Range{Label: "r", Min: 1, Max: 3}, ""},
		{"range out of order", &Range{Label: "r", Max: 3, Low: 2, High: 1}, "in order"},
		{"no options", &Choice{Label: "c"}, "no options"},
		{"no such option", &Choice{Label: "c", Options: []string{"a"}, Value: "b"}, `"b" is none`},
		{"text refused", &Text{Label: "t", Value: "z", Check: func(string) error { return errors.New("bad") }}, "bad"},
		{"seconds", &Button{Label: "b", Seconds: -1}, "-1 seconds"},
		{"no cells", &Mask{Label: "m", Columns: 2}, "2 columns and 0 rows"},
		{"wrong cells", &Mask{Label: "m", Columns: 2, Rows: 2, Cells: make([]bool, 3)}, "3 cells"},
		{"nil", nil, "control 0 is nil"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Panel{Draw: func() (viz.Figure, error) { return sheet(""), nil }, Controls: []Control{c.c}}.prepare()
			must.Be(t, (err == nil) == (c.want == "") && (err == nil || strings.Contains(err.Error(), c.want)),
				"got %v, want %q", err, c.want)
		})
	}
	t.Run("two labels", func(t *testing.T) {
		must.Err(t, Panel{Draw: func() (viz.Figure, error) { return sheet(""), nil },
			Controls: []Control{&Checkbox{Label: "a"}, &Button{Label: "a"}}}.prepare())
	})
	t.Run("defaults", func(t *testing.T) {
		s, g, r := &Slider{Label: "s", Min: 1, Max: 3}, &Slider{Label: "g", Min: 1, Max: 100, Log: true},
			&Range{Label: "r", Min: 1, Max: 3}
		for _, c := range []Control{s, g, r} {
			must.Do(t, c.prepare())
		}
		must.Be(t, s.Value == 2 && g.Value == 10 && r.Low == 1 && r.High == 3,
			"%g %g %g %g, want 2 10 1 3", s.Value, g.Value, r.Low, r.High)
	})
}

// Stops of a logarithmic scale lie on it, also where its ends have more than twelve digits.
func TestStopsLieOnTheScale(t *testing.T) {
	for _, s := range []*Slider{{Min: 1.0 / 3, Max: 2.0 / 3, Log: true}, {Min: 2.0 / 3, Max: 200.0 / 3, Log: true},
		{Min: 1.0 / 3, Max: 2.0 / 3}} {
		must.Do(t, s.prepare())
		for _, v := range s.stops(5) {
			must.Be(t, v >= s.Min && v <= s.Max, "a stop at %.17g, outside of %.17g to %.17g", v, s.Min, s.Max)
		}
	}
}

// TestSet gives controls what the front end may send.
func TestSet(t *testing.T) {
	s, r := &Slider{Min: 0, Max: 1}, &Range{Min: 0, Max: 10}
	m, b := &Mask{Columns: 2, Rows: 2, Cells: make([]bool, 4)}, &Button{}
	for _, c := range []struct {
		c       Control
		json    string
		changed bool
		ok      bool
	}{
		{s, "0.5", true, true}, {s, "0.5", false, true}, {s, "7", true, true}, {s, "null", false, false},
		{s, `"1"`, false, false},
		{r, "[7,3]", true, true}, {r, "[3,7]", false, true}, {r, "[1]", false, false}, {r, "[1,null]", false, false},
		{m, `"0101"`, true, true}, {m, `"0101"`, false, true}, {m, `"01"`, false, false},
		{b, "1", true, true}, {b, "1", false, true},
		{&Choice{Options: []string{"a", "b"}, Value: "a"}, `"b"`, true, true}, {&Choice{Options: []string{"a"}}, `"z"`,
			false, false},
		{&Checkbox{}, "true", true, true}, {&Checkbox{}, "1", false, false},
	} {
		var v any
		must.Do(t, json.NewDecoder(bytes.NewBufferString(c.json)).Decode(&v))
		if changed, err := c.c.set(v); changed != c.changed || (err == nil) != c.ok {
			t.Errorf("%T takes %s: changed %v, error %v", c.c, c.json, changed, err)
		}
	}
	must.Be(t, s.Value == 1 && r.Low == 3 && r.High == 7 && slices.Equal(m.Cells, []bool{false, true, false, true}),
		"%g, %g to %g, %v", s.Value, r.Low, r.High, m.Cells)
}
