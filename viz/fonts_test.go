package viz

import (
	"bytes"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/expfam/lab/internal/must"
)

// drawnTexts are figures with a text in every place where a picture draws one.
func drawnTexts(s string) map[string]Figure {
	line := Lines{Lines: []Line{{Name: "a", Y: []float64{1, 2}}, {Name: "b", Y: []float64{2, 1}}}}
	title, legend, label, note := line, line, line, line
	title.Title, label.YLabel, note.Note = s, s, s
	legend.Lines = []Line{{Name: s, Y: []float64{1, 2}}}
	field := Rows{{1, 2}, {3, 4}}
	one := Map{Field: field}
	return map[string]Figure{
		"title": title, "legend": legend, "label": label, "note": note,
		"panels": Panels{Figures: []Figure{line}, Note: s}, "part of panels": Panels{Figures: []Figure{title, line}},
		"map": Map{Field: field, Title: s}, "axis of a map": Map{Field: field, XLabel: s},
		"colour bar": Map{Field: field, Scale: &Scale{Label: s}},
		"row":        Maps{Maps: []Map{one}, RowLabels: []string{s}},
		"column":     Maps{Maps: []Map{one}, ColumnLabels: []string{s}},
		"data":       Data{Of: field, Title: s},
		"bivariate":  Bivariate{Map: one, Uncertainty: []float64{1, 2, 3, 4}, Label: s},
	}
}

// Letters that the fonts of PNG and PDF lack are named, wherever they stand, and SVG and HTML have them. Those of one
// script stand in all places, and those of the others in the title.
func TestLetters(t *testing.T) {
	for script, s := range map[string]string{
		"japanese": "仙台市", "korean": "서울", "arabic": "الخرطوم", "amharic": "አዲስ", "hindi": "दिल्ली",
		"thai": "กรุงเทพ", "hebrew": "ירושלים", "emoji": "🦟", "flag": "🇪🇹",
		"georgian": "თბილისი", "armenian": "Երևան", "bengali": "ঢাকা", "burmese": "ရန်ကုန်", "mixed": "Rate 率 (%)",
		"mathematics": "θ ∈ ℝ",
	} {
		for place, fig := range drawnTexts(s) {
			if place != "title" && script != "mixed" {
				continue
			}
			for _, format := range []Format{PNG, PDF} {
				if _, err := fig.Encode(format); err == nil || !strings.Contains(err.Error(),
					": the fonts of PNG and PDF lack \"") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, %s, %s: %v", script, place, format, err)
				}
			}
			svg, err := fig.Encode(SVG)
			if first := []rune(s)[0]; err != nil || !bytes.ContainsRune(svg, first) {
				t.Errorf("%s, %s: %v, no %c in the SVG", script, place, err, first)
			}
		}
		kind, image := Picture(drawnTexts(s)["title"])
		if svg, ok := image.(string); kind != protocol.MIMEImageSVG || !ok || !strings.Contains(svg, s) {
			t.Errorf("%s: a notebook keeps %s", script, kind)
		}
	}
	_, err := drawnTexts("Rate 率 (%)")["title"].Encode(PNG)
	want := `lines: the fonts of PNG and PDF lack "率"; write .svg or .html, which show every script`
	must.Be(t, err != nil && err.Error() == want, "got %v, want %s", err, want)
}

// Every text in Latin, Greek or Cyrillic letters is in the pictures, as one of two that differ in it shows.
func TestLettersThatAreDrawn(t *testing.T) {
	blank := map[Format][]byte{}
	for _, format := range []Format{PNG, PDF} {
		blank[format] = must.Get(drawnTexts("")["title"].Encode(format))(t)
	}
	for _, s := range []string{"Größe", "Łódź", "Bénin", "Đắk Lắk", "Хасково", "Αθήνα θ̂", "İstanbul",
		"Ɓamako ɔɛŋ", "km² ≤ 5·10³ ± √2", "g⁻¹(x)", "∑∫∂≈≠→∞", "a\u200bb", "e\u0301te", "x₁", "a\u2011b", "�"} {
		fig := drawnTexts(s)["title"]
		for format, without := range blank {
			data, err := fig.Encode(format)
			must.Be(t, err == nil, "%q, %s: %v", s, format, err)
			must.Be(t, !bytes.Equal(data, without), "%q is not in the %s", s, format)
		}
		kind, _ := Picture(fig)
		must.Be(t, kind == protocol.MIMEImagePNG, "%q: a notebook keeps %s", s, kind)
	}
}

// Letters that a browser draws in another font have their room in the legend.
func TestRoomForLetters(t *testing.T) {
	st := style(10, false, ink)
	for s, em := range map[string]float64{"日本": 2, "a": 0.556, "አዲ": 1.3, "🦟": 1, "\u200b": 0} {
		got := float64(st.Width(s) / px(10))
		must.Be(t, got >= em-0.002 && got <= em+0.002, "%q is %g em wide, want %g", s, got, em)
	}
}
