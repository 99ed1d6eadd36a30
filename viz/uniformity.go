package viz

// Uniforms are sets of values that should be uniform on [0, 1), such as calibrate.Uniforms.
type Uniforms interface {
	Len() int
	// Curve returns the name of set k and, at the points z, the empirical distribution function of the set minus the
	// uniform one. low and high are the ends of the band in which uniform values stay.
	Curve(k int) (name string, z, difference, low, high []float64, err error)
}

// Uniformity shows how far values are from uniform. It has a curve for each set of values, and the band of the first
// set. A slope means that the values are too low or too high. An S means that a posterior is too narrow or too wide.
type Uniformity struct {
	Of    Uniforms
	Title string
	Width float64 // px; 0 means 800
}

// Encode implements Figure.
func (v Uniformity) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart lays out the figure.
func (v Uniformity) Chart() (*Chart, error) {
	lines := Lines{Title: v.Title, XLabel: "PIT", YLabel: "ECDF − uniform", Width: v.Width}
	sets := 0
	if v.Of != nil {
		sets = v.Of.Len()
	}
	for k := range sets {
		name, z, difference, low, high, err := v.Of.Curve(k)
		if err != nil {
			return nil, err
		}
		if k == 0 {
			lines.Lines = append(lines.Lines, Line{Name: "95% band", X: z, Y: make([]float64, len(z)), Low: low,
				High: high, Color: Ink, Dashed: true})
		}
		lines.Lines = append(lines.Lines, Line{Name: name, X: z, Y: difference, Color: methodColor(k)})
	}
	return lines.Chart()
}
