package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Density shows the marginal posterior density of one cell under each method: a Gaussian kernel estimate with
// Silverman's bandwidth (Silverman 1986, eq. 3.31), and the truth as a line. If all draws are positive, the density of
// the logarithm is estimated and transformed back, so that no mass leaks below 0.
type Density struct {
	Draws   Draws     // one method; or
	Methods []Method  // several
	Cell    int       // index from 0
	Truth   []float64 // truths of all cells, NaN where a cell has none, as in Intervals

	Title         string
	XLabel        string // default "value of cell …"
	LogX          bool
	XMin, XMax    float64 // both 0: the central 99.8% of every method
	Width, Height float64 // px; 0 means 800 by 420
}

// Encode implements Figure.
func (v Density) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart estimates the densities and lays out the figure.
func (v Density) Chart() (*Chart, error) {
	methods := v.Methods
	if v.Draws != nil {
		methods = append([]Method{{Name: "posterior", Draws: v.Draws}}, methods...)
	}
	if len(methods) == 0 {
		return nil, fmt.Errorf("density: no draws; give Draws or Methods")
	}
	if v.Cell >= 0 && v.Cell < len(v.Truth) && math.IsNaN(v.Truth[v.Cell]) {
		v.Truth = nil // that of this cell is not known
	}
	if len(v.Truth) > 0 {
		methods = uniqueMethods(methods, "truth")
	} else {
		methods = uniqueMethods(methods)
	}
	samples := make([][]float64, len(methods))
	logs := true
	for k, m := range methods {
		s, err := v.sample(k, m)
		if err != nil {
			return nil, err
		}
		samples[k], logs = s, logs && s[0] > 0
	}
	if v.LogX && !logs {
		return nil, fmt.Errorf("density: cell %d has draws that are not positive, which a logarithmic axis cannot "+
			"show; leave LogX out", v.Cell)
	}
	c := &Chart{
		Kind: "density", Title: v.Title, Width: v.Width, Height: v.Height, shared: true,
		Note: "Kernel estimate, Silverman's bandwidth.",
		X:    Axis{Label: cmp.Or(v.XLabel, "value of cell "+integer(float64(v.Cell))), Log: v.LogX},
		Y:    Axis{Label: "density"},
	}
	lo, hi, err := v.span(samples)
	if err != nil {
		return nil, err
	}
	x := grid(lo, hi, v.LogX || logs && lo > 0 && hi/lo > 20, 240)
	top := 0.0
	for k, m := range methods {
		x, y, err := kernelDensity(samples[k], x, logs)
		if err != nil {
			return nil, fmt.Errorf("density: %s: cell %d: %w", cmp.Or(m.Name, "method"), v.Cell, err)
		}
		zero := make([]float64, len(x))
		for i := range y {
			top = max(top, y[i])
		}
		name := cmp.Or(m.Name, fmt.Sprintf("method %d", k+1))
		c.Band(name, x, zero, y, fade(m.color(k), 0.12))
		c.Line(name, x, y, LineStyle{Color: m.color(k)})
	}
	if len(v.Truth) > 0 {
		t := v.Truth[v.Cell]
		c.Line("truth", []float64{t, t}, []float64{0, top}, LineStyle{Color: ink, Width: 1.4, Dashed: true, Mute: true})
	}
	c.Y.Max = 1.05 * top
	return c, nil
}

// sample returns the sorted draws of the cell under method k.
func (v Density) sample(k int, m Method) ([]float64, error) {
	name := cmp.Or(m.Name, fmt.Sprintf("method %d", k+1))
	if isNil(m.Draws) {
		return nil, fmt.Errorf("density: %s has no draws", name)
	}
	n, cells := m.Draws.Dims()
	if v.Cell < 0 || v.Cell >= cells || n < 2 {
		return nil, fmt.Errorf("density: %s: cell %d of %d, %d draws; give a cell that exists and at least two draws",
			name, v.Cell, cells, n)
	}
	s := make([]float64, n)
	for i := range s {
		if s[i] = m.Draws.At(i, v.Cell); !finite(s[i]) {
			return nil, fmt.Errorf("density: %s: draw %d of cell %d is %g", name, i, v.Cell, s[i])
		}
	}
	sort.Float64s(s)
	return s, nil
}

// kernelDensity returns the estimated density y of sorted draws at x, and at further places where x is too coarse for
// it. If logs is true, it estimates the density of the logarithms and transforms it back.
func kernelDensity(sorted, x []float64, logs bool) (at, y []float64, err error) {
	s := make([]float64, len(sorted))
	mean, square := 0.0, 0.0
	for i, v := range sorted {
		if logs {
			v = math.Log(v)
		}
		s[i] = v
		mean += v / float64(len(s))
	}
	for _, v := range s {
		square += (v - mean) * (v - mean) / float64(len(s)-1)
	}
	spread := math.Sqrt(square)
	if iqr := quantile(s, 0.75) - quantile(s, 0.25); iqr > 0 {
		spread = min(spread, iqr/1.34)
	}
	h := 0.9 * spread * math.Pow(float64(len(s)), -0.2)
	if !(h > 0) {
		return nil, nil, fmt.Errorf("all draws are equal")
	}
	x = denser(x, s, h, logs)
	y = make([]float64, len(x))
	for i, at := range x {
		jacobian := 1.0
		if logs {
			if at <= 0 {
				continue // no mass there
			}
			jacobian = 1 / at
			at = math.Log(at)
		}
		sum := 0.0
		// Beyond 8 bandwidths a draw adds less than 1e-14 of its weight.
		for k := sort.SearchFloat64s(s, at-8*h); k < len(s) && s[k] <= at+8*h; k++ {
			z := (at - s[k]) / h
			sum += math.Exp(-z * z / 2)
		}
		y[i] = jacobian * sum / (float64(len(s)) * h * math.Sqrt(2*math.Pi))
	}
	return x, y, nil
}

// denser returns x and, if steps of x are wider than the bandwidth h, a grid from one end of the sorted draws s to the
// other, and places beyond both ends where the estimate is 0: else a peak that is narrower than a step would not be
// seen. If logs is true, s are logarithms, and h is theirs.
func denser(x, s []float64, h float64, logs bool) []float64 {
	from, to := quantile(s, 0.001)-4*h, quantile(s, 0.999)+4*h
	place, value := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if logs {
		place, value = math.Log, math.Exp
	}
	coarse := false
	for i := 1; i < len(x); i++ {
		a, b := place(x[i-1]), place(x[i])
		coarse = coarse || a < to && b > from && b-a > h
	}
	if !coarse {
		return x
	}
	out := slices.Clone(x)
	for _, v := range append(grid(from, to, false, len(x)/2), s[0]-9*h, s[len(s)-1]+9*h) {
		if v = value(v); v > x[0] && v < x[len(x)-1] {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// grid returns n points from lo to hi, evenly spaced on a linear scale, or on a logarithmic one if log is true.
func grid(lo, hi float64, log bool, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		t := float64(i) / float64(n-1)
		if log {
			x[i] = lo * math.Pow(hi/lo, t)
		} else {
			x[i] = lo + t*(hi-lo)
		}
	}
	return x
}

// span returns the range of x: XMin to XMax, or without these the central 99.8% of every method. The range is
// widened to contain the truth, if there is one.
func (v Density) span(samples [][]float64) (lo, hi float64, err error) {
	lo, hi = v.XMin, v.XMax
	if lo == 0 && hi == 0 {
		lo, hi = math.Inf(1), math.Inf(-1)
		for _, s := range samples {
			lo, hi = min(lo, quantile(s, 0.001)), max(hi, quantile(s, 0.999))
		}
	}
	if !(lo < hi) || v.LogX && lo <= 0 {
		return 0, 0, fmt.Errorf("density: cell %d: range %g to %g of x; give XMin and XMax", v.Cell, lo, hi)
	}
	if len(v.Truth) > 0 {
		if v.Cell >= len(v.Truth) || !finite(v.Truth[v.Cell]) {
			return 0, 0, fmt.Errorf("density: no finite truth for cell %d of %d", v.Cell, len(v.Truth))
		}
		if t := v.Truth[v.Cell]; v.LogX && t <= 0 {
			return 0, 0, fmt.Errorf("density: the truth of cell %d is %g, which a logarithmic axis cannot show; "+
				"leave LogX out", v.Cell, t)
		}
		lo, hi = min(lo, v.Truth[v.Cell]), max(hi, v.Truth[v.Cell])
	}
	return lo, hi, nil
}
