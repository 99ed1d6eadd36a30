package viz

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"math"
	"reflect"
	"strings"
)

// Data shows data as they are: a figure, and a line of text with how many values are missing, their mean and their
// range. Numbers in a row, and a field of one row or column, are a line with gaps; another field is a map. Show makes a
// Data of everything that Of may be.
type Data struct {
	// Of is a Lattice, such as a grid.Field or a *survey.Cells, Reduced data such as expfam.Observations, a []float64,
	// or on land: regions and places, such as a []land.Region, a []land.Place or one of them, or a Graph of regions.
	Of any

	Title          string
	XLabel, YLabel string  // of a line; default "index" or "cell", and "value"
	Width          float64 // px; 0 means the default of the figure
}

// Reduced is a view of data that a likelihood has reduced to a sum and a size for each cell, such as
// expfam.Observations: the positives and the number examined, or the cases and the exposure. A cell without data is
// missing.
type Reduced interface {
	Stats() []float64
	Sizes() []float64
	Missing() []bool
}

// Masked is a Lattice with cells that do not belong to it, such as the sea around a map of surveys. NotMapped has the
// order of [Map.Held]. Unseen is the word for the other cells without a value, and Quantity names the values.
type Masked interface {
	Lattice
	NotMapped() []bool
	Unseen() string
	Quantity() string
}

// printed is the largest number of values of a slice that are told better by themselves than by a line.
const printed = 20

// Look shows a value at the end of a cell if it is data that a figure shows better than its text, and reports whether
// it did. A []float64 of at most 20 values is not shown, nor are data of which nothing can be drawn.
func Look(v any) bool {
	if values, ok := numbers(v); ok && len(values) <= printed {
		return false
	}
	return isData(v) && Display(v) == nil
}

// isData reports whether a value may be Data.Of.
func isData(v any) bool {
	if isNil(v) {
		return false
	}
	switch v.(type) {
	case Lattice, Reduced:
		return true
	}
	_, ok := numbers(v)
	return ok || isLand(v)
}

// numbers returns the values of a slice of float64 of any type.
func numbers(v any) ([]float64, bool) {
	s := reflect.ValueOf(v)
	if s.Kind() != reflect.Slice || s.Type().Elem().Kind() != reflect.Float64 {
		return nil, false
	}
	out := make([]float64, s.Len())
	for i := range out {
		out[i] = s.Index(i).Float()
	}
	return out, true
}

// Encode implements Figure. Text is the line of text.
func (v Data) Encode(format Format) ([]byte, error) {
	fig, text, err := v.figure()
	if err != nil {
		return nil, err
	}
	switch format {
	case Text:
		return []byte(text + "\n"), nil
	case HTML:
		picture, err := fig.Encode(HTML)
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		var b bytes.Buffer
		text = strings.Join(cleanAll(strings.Split(text, "\n")), "\n")
		fmt.Fprintf(&b, `<p class="`+plain+`" style="font-size:13px;margin:4px 0 8px">%s</p>`+"\n",
			strings.ReplaceAll(html.EscapeString(text), "\n", "<br>"))
		return append(b.Bytes(), picture...), nil
	case SVG, Phone, PNG, PDF:
		return fig.Encode(format)
	}
	return nil, unsupported("data", format, SVG, PNG, PDF, HTML, Text)
}

// figure returns the figure of the data and the line of text.
func (v Data) figure() (Figure, string, error) {
	if values, ok := numbers(v.Of); ok {
		text, err := describe("", values)
		return v.line(indices(len(values)), values, "index", "value"), text, err
	}
	if isLand(v.Of) {
		return v.land()
	}
	switch of := v.Of.(type) {
	case Reduced:
		return v.reduced(of)
	case Lattice:
		return v.lattice(of)
	}
	return nil, "", fmt.Errorf("data: a value of type %T; give a field, observations, regions, places, or a "+
		"[]float64", v.Of)
}

func (v Data) line(x, y []float64, xlabel, ylabel string) Lines {
	return Lines{Lines: []Line{{X: x, Y: y, Points: len(y) <= 200}}, Title: v.Title,
		XLabel: cmp.Or(v.XLabel, xlabel), YLabel: cmp.Or(v.YLabel, ylabel), Width: v.Width, Height: 300}
}

func (v Data) lattice(of Lattice) (Figure, string, error) {
	m, err := readCells(of)
	if err != nil {
		return nil, "", fmt.Errorf("data: %w", err)
	}
	text, err := describe(fmt.Sprintf("%d by %d cells: ", m.rows, m.cols), m.z)
	if s, ok := of.(fmt.Stringer); ok {
		text = strings.TrimSpace(s.String())
	}
	if err != nil {
		return nil, "", err
	}
	if n := len(m.z); m.rows == 1 || m.cols == 1 {
		at, start, step := "x", m.x, m.dx
		if m.rows > 1 {
			at, start, step = "y", m.y, m.dy
		}
		x := make([]float64, n)
		for i := range x {
			x[i] = start + float64(i)*step
		}
		return v.line(x, m.z, at, "value"), text, nil
	}
	// The buttons of a map stand beside its title.
	fig := Map{Field: of, Title: cmp.Or(v.Title, "Values"), XLabel: cmp.Or(v.XLabel, "x"),
		YLabel: cmp.Or(v.YLabel, "y"), Width: v.Width, Missing: "missing"}
	if masked, ok := of.(Masked); ok {
		fig.Blank, fig.Missing = masked.NotMapped(), masked.Unseen()
		fig.Title = cmp.Or(v.Title, masked.Quantity())
	}
	return fig, text, nil
}

// reduced shows the sum of each cell over its size: the proportion for a number of trials, the rate for an exposure,
// and the mean otherwise.
func (v Data) reduced(of Reduced) (Figure, string, error) {
	stats, sizes, missing := of.Stats(), of.Sizes(), of.Missing()
	if len(stats) != len(sizes) || len(stats) != len(missing) {
		return nil, "", fmt.Errorf("data: %d sums, %d sizes and %d marks of missing cells; give one of each for a cell",
			len(stats), len(sizes), len(missing))
	}
	y, tips := make([]float64, len(stats)), make([]string, len(stats))
	sum, size, sized := 0.0, 0.0, false
	for j := range y {
		if y[j] = math.NaN(); !missing[j] && sizes[j] != 0 {
			y[j] = stats[j] / sizes[j]
			sum, size, sized = sum+stats[j], size+sizes[j], sized || sizes[j] != 1
		}
		tips[j] = fmt.Sprintf("cell %d: %s\n%s of %s", j, number(y[j]), number(stats[j]), number(sizes[j]))
	}
	text, err := describe("", y)
	if err != nil {
		return nil, "", err
	}
	label := "observation"
	if sized {
		label = "sum / size"
		text += fmt.Sprintf("; %s of %s in all, %s", number(sum), number(size), number(sum/size))
	}
	fig, err := v.line(indices(len(y)), y, "cell", label).Chart()
	if err == nil && sized && len(y) <= 200 {
		fig.Points("", indices(len(y)), y, tips, PointStyle{Color: methodColor(0)})
	}
	if err == nil && sized {
		fig.Note = "A sum over its size is a proportion of trials, a rate of an exposure, or a mean."
	}
	return fig, text, err
}

// describe returns a line about values: how many there are and how many of them are missing, their mean and their
// range.
func describe(what string, values []float64) (string, error) {
	low, high, mean, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for _, v := range values {
		if !math.IsNaN(v) {
			n++
			low, high = min(low, v), max(high, v)
			if finite(mean) || math.IsInf(v, 0) && v != mean { // else the mean stays infinite
				mean += (v - mean) / float64(n)
			}
		}
	}
	switch all := len(values); {
	case all == 0:
		return "", fmt.Errorf("data: no values; there is nothing to show")
	case n == 0:
		return "", fmt.Errorf("data: all %d values are missing; there is nothing to draw", all)
	case n < all:
		what += fmt.Sprintf("%d of %d missing", all-n, all)
	default:
		what += some(all, "value", "")
	}
	return fmt.Sprintf("%s, mean %s, %s to %s", what, number(mean), number(low), number(high)), nil
}
