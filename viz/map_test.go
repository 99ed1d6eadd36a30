package viz

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/expfam/lab/internal/must"
)

// noise is a lattice of log-normal numbers, the worst case for sizes of files.
func noise(n int) Rows {
	r := rand.New(rand.NewPCG(1, 2))
	m := make(Rows, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = math.Exp(r.NormFloat64())
		}
	}
	return m
}

// multiples are rows of truth, data with holes and a spread on two scales.
func multiples(rows, columns, n int) Maps {
	rate, spread := &Scale{Label: "rate (per km²)", Log: true}, &Scale{Label: "spread", Palette: Cividis}
	v := Maps{Title: "Small multiples", Note: "A note.",
		ColumnLabels: []string{"truth", "counts", "median", "spread"}[:columns]}
	r := rand.New(rand.NewPCG(1, 3))
	for i := range rows {
		v.RowLabels = append(v.RowLabels, "image "+string(rune('A'+i)))
		for j := range columns {
			m := Map{Field: noise(n), Scale: rate}
			if j == 1 {
				m.Held = make([]bool, n*n)
				for k := range m.Held {
					m.Held[k] = r.Float64() < 0.2
				}
			}
			if j == 3 {
				m.Scale = spread
			}
			v.Maps = append(v.Maps, m)
		}
	}
	v.Maps[0].Field.(Rows)[0][1] = math.NaN()
	return v
}

// goldenMaps compares everything that layout decides with testdata/name.json.
func goldenMaps(t *testing.T, name, kind string, v Maps) {
	t.Helper()
	s := must.Get(v.layout(kind))(t)
	goldenAtlas(t, name, s)
}

func goldenAtlas(t *testing.T, name string, s *atlas) {
	t.Helper()
	type place struct {
		Name   string     `json:"name"`
		At     [4]float64 `json:"at"`
		Range  [2]float64 `json:"range"`
		Ticks  []float64  `json:"ticks"`
		XTicks []float64  `json:"xticks,omitempty"`
		YTicks []float64  `json:"yticks,omitempty"`
		First  []string   `json:"first"`
	}
	got := struct {
		Words []string   `json:"words"`
		Size  [2]float64 `json:"size"`
		Maps  []place    `json:"maps"`
		Bars  []place    `json:"bars"`
	}{Words: s.altText(), Size: [2]float64{s.width, s.height}}
	first := func(img *image.Paletted) (out []string) {
		for _, i := range img.Pix[:3] {
			rgb, _ := hex(img.Palette[i].(color.NRGBA))
			out = append(out, rgb)
		}
		return out
	}
	at := func(v ...float64) (out [4]float64) {
		for i := range v {
			out[i] = math.Round(v[i]) // fonts decide the rest
		}
		return out
	}
	for _, m := range s.tiles {
		got.Maps = append(got.Maps, place{Name: m.name(s), At: at(m.left, m.top, m.width, m.height),
			Range:  [2]float64{digits(m.colours.lo), digits(m.colours.hi)},
			XTicks: labelled(m.xticks), YTicks: labelled(m.yticks), First: first(m.picture())})
		if n := m.inset; n != nil {
			got.Maps = append(got.Maps, place{Name: "inset " + n.Title, At: at(n.left, n.top, n.width, n.height),
				First: first(n.picture())})
		}
	}
	for _, b := range s.bars {
		got.Bars = append(got.Bars, place{Name: b.Label, At: at(b.left, b.top, b.width, b.height),
			Range: [2]float64{digits(b.lo), digits(b.hi)}, Ticks: labelled(b.ticks), First: first(b.strip())})
	}
	text := must.Get(json.MarshalIndent(got, "", " "))(t)
	compareGolden(t, name, text)
}

func TestMapsGolden(t *testing.T) {
	geo := Map{Field: Rows{{1, 20, 300}, {math.NaN(), 5, 6}}, Title: "Axes", XLabel: "easting (km)",
		YLabel: "northing (km)", Aspect: 2,
		Scale: &Scale{Label: "rate", Log: true, Min: 2, Max: 100}}
	perRow := multiples(2, 4, 8)
	scales := []*Scale{{Label: "first"}, {Label: "second"}}
	for k := range perRow.Maps {
		perRow.Maps[k].Scale = scales[k/4]
	}
	for _, c := range []struct {
		name, kind string
		v          Maps
	}{
		{"maps", "maps", multiples(3, 4, 8)},
		{"maps-per-row", "maps", perRow},
		{"map-axes", "map", geo.alone()},
		{"map-residual", "map", Map{Field: Rows{{-1, 0, 3}},
			Scale: &Scale{Label: "residual", Diverging: true}}.alone()},
		{"maps-photographs", "maps", Maps{Columns: 2,
			Maps:  []Map{{Field: noise(4), Title: "a"}, {}, {Field: noise(4), Title: "b"}},
			Scale: &Scale{Palette: Greys, NoBar: true}, Width: 500}},
	} {
		t.Run(c.name, func(t *testing.T) { goldenMaps(t, c.name, c.kind, c.v) })
	}
}

// lattice has axes of any direction; f is the value at its centres.
type lattice struct {
	cols, rows   int
	x, dx, y, dy float64
	f            func(x, y float64) float64
}

func (l lattice) Dims() (c, r int)   { return l.cols, l.rows }
func (l lattice) X(c int) float64    { return l.x + float64(c)*l.dx }
func (l lattice) Y(r int) float64    { return l.y + float64(r)*l.dy }
func (l lattice) Z(c, r int) float64 { return l.f(l.X(c), l.Y(r)) }

// indexed counts its cells from the lower right, row after row.
type indexed struct{ lattice }

func (l indexed) Index(c, r int) int { return r*l.cols + l.cols - 1 - c }

// Whatever the direction of the axes, low x is left and low y below.
func TestMapOrientation(t *testing.T) {
	f := func(x, y float64) float64 { return x + 10*y }
	for _, c := range []struct {
		name  string
		field Lattice
		want  []float64 // from the upper left
	}{
		{"up", lattice{3, 2, 1, 1, 1, 1, f}, []float64{21, 22, 23, 11, 12, 13}},
		{"reversed", lattice{3, 2, 3, -1, 2, -1, f}, []float64{21, 22, 23, 11, 12, 13}},
		{"rows", Rows{{21, 22, 23}, {11, 12, 13}}, []float64{21, 22, 23, 11, 12, 13}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := must.Get(readCells(c.field))(t)
			for j := range c.want {
				must.Need(t, m.z[j] == c.want[j], "%v, want %v", m.z, c.want)
			}
			if _, ok := c.field.(lattice); !ok {
				return
			}
			for j, z := range m.z { // the centres that the pointer is told
				must.Equal(t, f(m.x+float64(j%3)*m.dx, m.y+float64(j/3)*m.dy), z, "cell", j, "its centre", "its colour")
			}
		})
	}
	t.Run("held in the order of the field", func(t *testing.T) {
		m := must.Get(Map{Field: indexed{lattice{3, 2, 1, 1, 1, 1, f}},
			Held: []bool{true, false, false, false, false, false}}.read(mostCells))(t)
		for j, h := range m.Held {
			must.Equal(t, h, m.z[j] == 13, "cell of value", m.z[j], "held")
		}
	})
}

// A strip of one row or one column is seen, whatever the distance of its cells.
func TestStrip(t *testing.T) {
	f := func(x, y float64) float64 { return x + y }
	for _, step := range []float64{1e-3, 1, 1e3} {
		for _, n := range []int{2, 20, 400} {
			for _, field := range []Lattice{lattice{n, 1, 0, step, 0, 1, f}, lattice{1, n, 0, 1, 0, step, f}} {
				s, err := Maps{Maps: []Map{{Field: field}}}.layout("map")
				if err != nil {
					t.Errorf("%d cells, %g apart: %v", n, step, err)
					continue
				}
				want := 1 / float64(min(n, 16)) // of the shorter side to the longer
				if a := s.tiles[0]; math.Abs(min(a.width, a.height)/max(a.width, a.height)-want) > 0.03 {
					t.Errorf("%d cells, %g apart: %g by %g px, want %g times as long as wide", n, step, a.width,
						a.height, 1/want)
				}
			}
		}
	}
}

// Every cell's centre has the colour of its value in the PNG, and the grey of the missing has it.
func TestMapPNG(t *testing.T) {
	v := Map{Field: Rows{{0, 1, 2, 3}, {4, 5, math.NaN(), 7}}, Scale: &Scale{Palette: Greys, Min: 1, Max: 5}}
	data := must.Get(v.Encode(PNG))(t)
	img := must.Get(png.Decode(bytes.NewReader(data)))(t)
	s := must.Get(v.alone().layout("map"))(t)
	m := s.tiles[0]
	for j, z := range m.z {
		// Off the centre, where no hatching goes: lines are at multiples of 1/k.
		x := 1.5 * (m.left + (float64(j%4)+0.5)*m.width/4)
		y := 1.5 * (m.top + (float64(j/4)+0.5)*m.height/2)
		got := color.NRGBAModel.Convert(img.At(int(x), int(y))).(color.NRGBA)
		want := float64(Greys((z - 1) / 4).R)
		// Colours are rounded to 1/200 of the range, and to 256 in the file.
		must.Be(t, math.IsNaN(z) || math.Abs(float64(got.R)-want) <= 4, "value %g: %v, want grey %g", z, got, want)
		must.Be(t, !math.IsNaN(z) || got.R == got.B && got.R >= 0x98 && got.R <= 0xDC,
			"missing cell: %v, want a light grey", got)
	}
}

// The SVG holds one pixel per cell, sharp where it is enlarged and smoothed where
// it has more cells than the figure pixels.
func TestMapSVG(t *testing.T) {
	for n, sharp := range map[int]bool{16: true, 500: false} {
		svg := must.Get(Map{Field: noise(n), Scale: &Scale{NoBar: true}}.Encode(SVG))(t)
		must.Equal(t, bytes.Contains(svg, []byte("image-rendering:pixelated")), sharp, n, "cells: sharp")
		_, code, _ := strings.Cut(string(svg), "data:image/png;base64,")
		code, _, _ = strings.Cut(code, `"`)
		img := must.Get(png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(code))))(t)
		must.Equal(t, img.Bounds().Size(), (image.Point{X: n, Y: n}), n, "cells in pixels")
	}
}

// vgpdf draws images upside down: the rows that it embeds are reversed, and its
// matrices turn them back. Should it ever mend that, one of the two fails.
func TestMapPDF(t *testing.T) {
	pdf := must.Get(Map{Field: Rows{{1}, {2}}, Scale: &Scale{NoBar: true}}.Encode(PDF))(t)
	var content, pixels bool
	for _, part := range bytes.Split(pdf, []byte("stream\n"))[1:] {
		r, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			continue
		}
		content = content || bytes.Contains(data, []byte("0.00000 -1.00000 0.00000")) &&
			regexp.MustCompile(`q [0-9.]+ 0 0 [0-9.]+ [0-9. ]+ cm /I\w+ Do`).Match(data)
		// Each row begins with its filter, none: the last colour, then the first.
		pixels = pixels || bytes.Equal(data, []byte{0, 199, 0, 0})
	}
	must.Be(t, content && pixels, "matrices turn the image: %v; its rows are reversed: %v", content, pixels)
}

func TestPacked(t *testing.T) {
	z := []float64{0, 1, -1, 65535, 1e-30, 3.14159265, math.NaN(), math.MaxFloat32}
	b, err := base64.StdEncoding.DecodeString(packed(z))
	must.Need(t, err == nil && len(b) == 3*len(z), "%d bytes, %v", len(b), err)
	for i, want := range z {
		got := float64(math.Float32frombits(binary.LittleEndian.Uint32(append([]byte{0}, b[3*i:3*i+3]...))))
		// 17 bits: half a unit of the last is 2⁻¹⁷; the largest number is cut.
		must.Be(t, math.Abs(got-want) <= math.Abs(want)*math.Ldexp(1, -16) || math.IsNaN(got) && math.IsNaN(want),
			"%g became %g", want, got)
	}
}

func TestBits(t *testing.T) {
	b, err := base64.StdEncoding.DecodeString(bits([]bool{true, false, true, false, false, false, false, false, false,
		true}))
	must.Be(t, err == nil && bytes.Equal(b, []byte{5, 2}), "%v, %v; want 5, 2", b, err)
}

func TestScale(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		s      Scale
		values [][]float64
		lo, hi float64
		v, u   float64 // a value and its place in the palette
	}{
		{"all maps", Scale{}, [][]float64{{1, nan}, {5, 3}}, 1, 5, 2, 0.25},
		{"log", Scale{Log: true}, [][]float64{{1, 100}}, 1, 100, 10, 0.5},
		{"given", Scale{Min: 0, Max: 2}, [][]float64{{1, 100}}, 0, 2, 1, 0.5},
		{"diverging", Scale{Diverging: true, Centre: 1}, [][]float64{{0, 4}}, -2, 4, 1, 0.5},
		{"diverging, given", Scale{Diverging: true, Min: -1, Max: 4}, [][]float64{{0, 4}}, -1, 4, -1, 0.375},
		{"equal", Scale{}, [][]float64{{7, 7}}, 6.3, 7.7, 7, 0.5},
		{"equal, log", Scale{Log: true}, [][]float64{{8}}, 4, 16, 8, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must.Get(c.s.resolve(c.values))(t)
			u := got.tone(got.share(c.v))
			must.Be(t, math.Abs(got.lo-c.lo) <= 1e-12 && math.Abs(got.hi-c.hi) <= 1e-12 && math.Abs(u-c.u) <= 1e-12,
				"%g to %g with %g at %g, want %g to %g with %g", got.lo, got.hi, c.v, u, c.lo, c.hi, c.u)
		})
	}
}

// Joined diagonals have the length of the cells that they cross.
func TestHatch(t *testing.T) {
	held := []bool{true, true, false, true, true, false}
	m := must.Get(Map{Field: Rows{{1, 2, 3}, {4, 5, 6}}, Held: held}.read(mostCells))(t)
	box := vg.Rectangle{Max: vg.Point{X: 30, Y: 20}}
	path := m.diagonals(box, 3, func(j int) bool { return m.Held[j] })
	// Of the diagonals with c + r = 0, 1, 2 every third, the first: one cell.
	must.Equal(t, len(path), 2, "moves and lines")
	path = m.diagonals(box, 1, func(j int) bool { return m.Held[j] })
	must.Equal(t, len(path), 6, "moves and lines")
}

func BenchmarkMaps(b *testing.B) {
	v := multiples(3, 4, 64)
	for _, f := range []Format{SVG, PNG, PDF, HTML} {
		b.Run(string(f), func(b *testing.B) {
			for b.Loop() {
				must.Get(v.Encode(f))(b)
			}
		})
	}
}
