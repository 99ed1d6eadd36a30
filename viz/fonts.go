package viz

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// glyphFallback draws and measures texts. Letters that the fonts lack have about the width that they have in the fonts
// of a browser, which draws the SVG.
type glyphFallback struct{ text.Handler }

var handler = glyphFallback{plot.DefaultTextHandler}

// Box implements text.Handler.
func (h glyphFallback) Box(s string, f font.Font) (width, height, depth vg.Length) {
	width, height, depth = h.Handler.Box(s, f)
	return width + h.extra(s, f), height, depth
}

// Draw implements text.Handler.
func (h glyphFallback) Draw(c vg.Canvas, s string, st text.Style, at vg.Point) {
	st.Handler = h.Handler
	sin, cos := math.Sincos(st.Rotation)
	shift := vg.Length(st.XAlign) * h.extra(s, st.Font)
	h.Handler.Draw(c, s, st, at.Add(vg.Point{X: shift * vg.Length(cos), Y: shift * vg.Length(sin)}))
}

// extra returns by how much a text is wider than the fonts say, which measure the box of a missing glyph.
func (h glyphFallback) extra(s string, f font.Font) (extra vg.Length) {
	if plainASCII(s) {
		return 0
	}
	face := h.Cache().Lookup(f, f.Size)
	for _, r := range s {
		if has(face, r) {
			continue
		}
		em := 0.65
		switch {
		case invisible(r) || unicode.Is(unicode.M, r):
			em = 0
		case r >= 0x2e80 && r < 0xa4d0 || r >= 0xac00 && r < 0xfb00 || r >= 0xff00 && r < 0xff61 || r >= 0x1f000:
			em = 1
		}
		extra += vg.Length(em)*f.Size - face.Width(string(r))
	}
	return extra
}

func plainASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// has reports whether a font has a letter.
func has(face font.Face, r rune) bool {
	var buf sfnt.Buffer
	glyph, err := face.Face.GlyphIndex(&buf, r)
	return err == nil && glyph != 0
}

// invisible reports whether a letter only controls how others are drawn.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || r == 0x2028 || r == 0x2029
}

// alike are signs that look as others do, which the fonts have.
var alike = strings.NewReplacer("⁻", "¯", "\u2011", "\u2010", "∼", "~", "⋅", "·", "∗", "*", "�", "?")

// missingGlyphs collects the letters that a picture in PNG or PDF cannot show.
type missingGlyphs struct{ letters []rune }

// take returns a text as the fonts can draw it, and notes what they cannot draw: letters that they lack, and scripts
// that run from right to left.
func (l *missingGlyphs) take(face font.Face, s string) string {
	if plainASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		if (!has(face, r) || unicode.In(r, unicode.Hebrew, unicode.Arabic)) && !slices.Contains(l.letters, r) {
			l.letters = append(l.letters, r)
		}
		return r
	}, alike.Replace(s))
}

// err returns an error that names the letters, or nil.
func (l *missingGlyphs) err(kind string) error {
	if len(l.letters) == 0 {
		return nil
	}
	return &glyphError{kind, l.letters}
}

// glyphError is about a text that PNG and PDF cannot show.
type glyphError struct {
	kind    string
	letters []rune
}

func (e *glyphError) Error() string {
	const most = 12
	shown, more := e.letters, ""
	if len(shown) > most {
		shown, more = shown[:most], fmt.Sprintf(" and %d more", len(shown)-most)
	}
	return fmt.Sprintf("%s: the fonts of PNG and PDF lack %q%s; write .svg or .html, which show every script", e.kind,
		string(shown), more)
}

// longestName is how many characters of a name an axis shows; the pointer shows all.
const longestName = 20

// nameTicks returns ticks at positions x that have names, of which long ones are cut.
func nameTicks(x []float64, names []string) []plot.Tick {
	ticks := make([]plot.Tick, len(x))
	for j, v := range x {
		name := []rune(clean(names[j]))
		if len(name) > longestName {
			name = append(name[:longestName-1:longestName-1], '…')
		}
		if len(name) == 0 {
			name = []rune("–")
		}
		ticks[j] = plot.Tick{Value: v, Label: printable(string(name)) + " "} // the space stands between it and the axis
	}
	return ticks
}

// room returns how many px upright names take below an axis, more than numbers take.
func (a Axis) room() int {
	most := 0
	for _, t := range a.named {
		most = max(most, len([]rune(t.Label)))
	}
	return 6 * most
}

// printable returns clean text. The Liberation fonts lack the superscript minus of g⁻¹, whose nearest sign is the
// macron.
func printable(s string) string { return strings.ReplaceAll(clean(s), "⁻", "¯") }

// wrap breaks a text into lines no wider than width.
func wrap(s string, st text.Style, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && st.Width(line+" "+word) > width {
			lines, line = append(lines, line), word
			continue
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line != "" {
		lines = append(lines, line)
	}
	for i := range lines {
		lines[i] = fit(lines[i], st, width) // a word can be longer
	}
	return lines
}

// fit shortens a text to a width.
func fit(s string, st text.Style, width vg.Length) string {
	if st.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	n := sort.Search(len(runes), func(n int) bool { return st.Width(string(runes[:n])+"…") > width })
	return string(runes[:max(n-1, 0)]) + "…"
}
