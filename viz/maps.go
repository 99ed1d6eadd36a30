package viz

import (
	"bytes"
	"fmt"
	"strings"
)

// Maps shows small multiples: maps in rows and columns with common colour scales, so that equal colours are equal
// values.
//
//	rate, spread := &viz.Scale{Label: "rate"}, &viz.Scale{Label: "interquartile range"}
//	viz.Show(viz.Maps{ColumnLabels: []string{"truth", "median", "IQR"}, Maps: []viz.Map{
//		{Field: truth, Scale: rate}, {Field: median, Scale: rate}, {Field: iqr, Scale: spread},
//	}})
//
// If there are several rows and all maps of a scale are in one of them, the colour bar of the scale is on the right of
// that row. Other colour bars are below the columns of their maps.
type Maps struct {
	Maps    []Map // row by row; one without Field leaves its place empty
	Columns int   // 0 means one for each of ColumnLabels; without labels 4, or fewer for fewer maps
	Scale   *Scale

	RowLabels, ColumnLabels []string

	Title string
	Note  string
	Width float64 // px; 0 means what the cells need, at most 800

	key *bivariateKey // legend on the right; nil: none
}

// Encode implements Figure.
func (v Maps) Encode(format Format) ([]byte, error) { return v.encode("maps", format) }

func (v Maps) encode(kind string, format Format) ([]byte, error) {
	s, err := v.layout(kind)
	if err != nil {
		return nil, err
	}
	return s.encode(format)
}

func (s *atlas) encode(format Format) ([]byte, error) {
	switch format {
	case SVG:
		return vectorise(s.kind, s.width, s.height, s.words(), s.paint)
	case PNG:
		return rasterise(s.kind, s.width, s.height, 1.5, s.paint)
	case PDF:
		return document(s.kind, s.width, s.height, s.paint)
	case HTML:
		return s.html()
	case Text:
		var b bytes.Buffer
		fmt.Fprintf(&b, "[%s: %s]\n", s.kind, strings.Join(s.words(), "; "))
		return b.Bytes(), nil
	}
	return nil, unsupported(s.kind, format, SVG, PNG, PDF, HTML, Text)
}
