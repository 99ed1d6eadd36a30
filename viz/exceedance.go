package viz

import (
	"fmt"
	"math"
	"strings"
)

// Exceedance maps the probability that a quantity is above a threshold u,
//
//	P(θⱼ > u | y) ≈ share of the draws of cell j above u,
//
// and outlines the cells where it is at least Sure. The outline is the decision that the map is made for. Where scripts
// run, a slider selects one of the Thresholds. The figure contains all of them and needs no kernel.
//
//	viz.Show(viz.Exceedance{Map: viz.Map{Field: median, Blank: sea}, Draws: post, Quantity: "prevalence",
//		Thresholds: []float64{0.1, 0.2, 0.3}, Threshold: 0.2, Percent: true})
type Exceedance struct {
	// Map has the cells in its Field. Cells where the Field is NaN have no probability;
	// other values of the Field, and the Scale, are not used. Default: the regions of the Draws, if these are Located.
	Map Map
	// Draws are in the order of [Map.Held].
	Draws Draws

	Thresholds []float64 // ascending; none means round ones among the draws, and Threshold
	Threshold  float64   // the threshold of the static figure; 0 means the middle one of Thresholds
	Sure       float64   // the probability from which cells are outlined; default 0.9
	Quantity   string    // name of the quantity; default "θ"
	Percent    bool      // thresholds are written in percent
	// Areas are the areas of the cells in the order of [Map.Held], in a Unit such as "km²". The title of the map adds
	// them up over the outlined cells. Nil: cells are only counted.
	Areas []float64
	Unit  string
}

// Encode implements Figure.
func (v Exceedance) Encode(format Format) ([]byte, error) { return format.of(v.layout()) }

func (v Exceedance) layout() (*atlas, error) {
	at, err := v.settle()
	if err != nil {
		return nil, err
	}
	m, blank, err := v.Map.cells("exceedance")
	if err != nil {
		return nil, err
	}
	if n, d := v.Draws.Dims(); n < 1 || d != len(m.z) || v.Areas != nil && len(v.Areas) != d {
		return nil, fmt.Errorf("exceedance: %d draws of %d cells and %d areas for a map of %d cells", n, d,
			len(v.Areas), len(m.z))
	}
	shares, err := v.shares(m, blank)
	if err != nil {
		return nil, err
	}
	summaries, hidden := make([]string, len(shares)), v.Map.hidden(m, blank)
	for k := range shares {
		summaries[k] = v.summary(shares[k], hidden, m)
	}
	one, b, err := v.Map.coarse("exceedance", mostOf(len(shares)))
	if err != nil {
		return nil, err
	}
	if b != nil {
		m = b.cells
		for k := range shares {
			shares[k] = b.mean(shares[k])
		}
	}
	one.Field = resampledField{m, shares[at]}
	one.Scale = &Scale{Label: v.label(at), Palette: lighterVik, Diverging: true, Centre: 0.5, Min: 0, Max: 1}
	whole := one.alone()
	whole.Maps[0].Title = summaries[at]
	s, err := whole.layout("exceedance")
	if err != nil {
		return nil, err
	}
	t := s.tiles[0]
	t.called, t.sure = v.label(at), v.Sure
	if t.inset != nil {
		t.inset.sure = v.Sure
	}
	if len(shares) > 1 {
		texts := func(k int) (label, title, bar string) { return v.threshold(k), summaries[k], v.label(k) }
		sure := math.Ceil(v.Sure*probabilitySteps - 1e-9)
		round := func(x float64) float64 { // down, but for a cell that is Sure, and for no other, not below sure
			if x >= v.Sure*probabilitySteps {
				return max(math.Floor(x+1e-9), sure)
			}
			return min(math.Floor(x+1e-9), sure-1)
		}
		s.frames = s.play(mapFrames{Name: "threshold", At: at, Sure: int(sure)}, shares, m.cols, texts, round)
	}
	return s, nil
}

// shares returns the share of the draws above each threshold for every cell, NaN for a cell whose field value is NaN.
// A draw that is NaN in a cell that has a probability is an error: it is neither above nor below. Cells are counted
// some thousands at a time, so that a draw is read along its cells.
func (v Exceedance) shares(m *cells, blank []bool) ([][]float64, error) {
	const together = 4096
	n, _ := v.Draws.Dims()
	out := make([][]float64, len(v.Thresholds)) // by threshold, then by cell in drawing order
	for k := range out {
		out[k] = make([]float64, len(m.z))
	}
	rows, _ := v.Draws.(interface{ RawRowView(i int) []float64 }) // a matrix
	above := make([][]float64, len(out))
	for from := 0; from < len(m.z); from += together {
		to := min(from+together, len(m.z))
		for k := range above {
			above[k] = out[k][from:to]
		}
		for i := range n {
			var row []float64
			if rows != nil {
				row = rows.RawRowView(i)
			}
			for j, cell := range m.index[from:to] {
				var x float64
				if row != nil {
					x = row[cell]
				} else {
					x = v.Draws.At(i, cell)
				}
				if math.IsNaN(x) && !math.IsNaN(m.z[from+j]) && (blank == nil || !blank[from+j]) {
					return nil, fmt.Errorf("exceedance: draw %d of cell %d is NaN; make the cell NaN in the Field, or "+
						"Blank", i, cell)
				}
				for k, u := range v.Thresholds {
					if !(x > u) {
						break
					}
					above[k][j]++
				}
			}
		}
	}
	for _, share := range out {
		for j, z := range m.z {
			if share[j] /= float64(n); math.IsNaN(z) {
				share[j] = math.NaN()
			}
		}
	}
	return out, nil
}

func (v Exceedance) threshold(k int) string {
	if v.Percent {
		return number(100*v.Thresholds[k]) + "%"
	}
	return number(v.Thresholds[k])
}

func (v Exceedance) label(k int) string { return "P(" + v.Quantity + " > " + v.threshold(k) + ")" }

// summary returns a sentence with the number of outlined cells that are not hidden, and with their area if the areas
// are known.
func (v Exceedance) summary(share []float64, hidden []bool, m *cells) string {
	cells, sure, area := 0, 0, 0.0
	for j, p := range share {
		if math.IsNaN(p) || hidden != nil && hidden[j] {
			continue
		}
		cells++
		if p >= v.Sure {
			sure++
			if v.Areas != nil {
				area += v.Areas[m.index[j]]
			}
		}
	}
	text := fmt.Sprintf("Outlined, probability at least %s: %d of %d %s", number(v.Sure), sure, cells, m.noun())
	if v.Areas != nil {
		text += strings.TrimRight(", "+grouped(digits3(area))+" "+v.Unit, " ")
	}
	return text
}

// digits3 rounds to three significant digits.
func digits3(v float64) float64 {
	if v == 0 {
		return v
	}
	s := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2)
	return math.Round(v/s) * s
}

// grouped prints v as a whole number with a space between thousands. Below 100 it prints three significant digits.
func grouped(v float64) string {
	if v < 100 {
		return number(v)
	}
	s := fmt.Sprintf("%.0f", v)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// resampledField is a lattice with other values on its cells.
type resampledField struct {
	*cells
	values []float64 // in drawing order
}

func (r resampledField) Dims() (int, int)   { return r.cols, r.rows }
func (r resampledField) X(c int) float64    { return r.x + float64(c)*r.dx }
func (r resampledField) Y(k int) float64    { return r.y + float64(k)*r.dy }
func (r resampledField) Z(c, k int) float64 { return r.values[k*r.cols+c] }
func (r resampledField) Index(c, k int) int { return r.index[k*r.cols+c] }
