package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Curve is a training curve: the loss of every step in a faint colour, its moving
// average, the held-out loss, and a ring at the best step.
type Curve struct {
	Train []float64 // loss of each step
	Steps []float64 // the steps of Train; nil means 1, 2, …

	HeldOut      []float64 // loss on held-out data
	HeldOutSteps []float64 // their steps; nil means spread evenly up to the last step

	// Smooth is the decay length of the moving average (symmetric, exponential) in points
	// of Train. 0 means a hundredth of the points; a negative number means no average.
	Smooth float64

	Title string
	LogY  bool
	Width float64 // px; 0 means 800
}

// Encode implements Figure.
func (v Curve) Encode(format Format) ([]byte, error) { return format.of(v.Chart()) }

// Chart checks the losses and lays out the figure. The best step has the smallest
// held-out loss, or without held-out losses the smallest average.
func (v Curve) Chart() (*Chart, error) {
	train := Line{Name: "train", X: v.Steps, Y: v.Train}
	if train.X == nil {
		train.X = count(len(v.Train))
	}
	if err := train.check("curve", false, v.LogY); err != nil {
		return nil, err
	}
	for i := 1; i < len(train.X); i++ {
		if !(train.X[i] > train.X[i-1]) {
			return nil, fmt.Errorf("curve: step %g at %d follows %g; steps must increase", train.X[i], i, train.X[i-1])
		}
	}
	held, err := v.heldOut(train.X[len(train.X)-1])
	if err != nil {
		return nil, err
	}
	c := &Chart{
		Kind: "curve", Title: v.Title, Width: v.Width, shared: true,
		X: Axis{Label: "step"}, Y: Axis{Label: "loss", Log: v.LogY},
	}
	best := held
	tau := cmp.Or(v.Smooth, float64(len(train.Y))/100)
	if tau >= 1 { // with a decay length below one point the average is nearly the curve itself
		faint := LineStyle{Color: fade(methodColor(0), 0.28), Width: 0.8, Mute: true}
		c.thinned("", train.X, train.Y, faint, thinTo(envelope, 300))
		train.Y = average(train.Y, tau, v.LogY)
		c.Note = fmt.Sprintf("Faint: every step. Line: moving average over about %s.", number(math.Round(2*tau)))
	}
	c.thinned("train", train.X, train.Y, LineStyle{Color: methodColor(0)}, thinTo(thin, 400))
	if held.Y != nil {
		c.thinned("held out", held.X, held.Y, LineStyle{Color: methodColor(1)}, thinTo(thin, 400))
	} else {
		best = train
	}
	i := slices.IndexFunc(best.Y, finite)
	for k, y := range best.Y {
		if finite(y) && y < best.Y[i] {
			i = k
		}
	}
	name := fmt.Sprintf("best: step %s, %s", integer(best.X[i]), number(best.Y[i]))
	if v.LogY && best.Y[i] <= 0 {
		c.Note = strings.TrimSpace(c.Note + " Not shown: " + name + ".")
		return c, nil
	}
	c.Points(name, best.X[i:i+1], best.Y[i:i+1], []string{name},
		PointStyle{Color: ink, Shape: Ring, Radius: 5, Width: 1.6})
	return c, nil
}

// heldOut returns the held-out curve with its steps. Steps that are not given spread evenly up to the step last.
func (v Curve) heldOut(last float64) (Line, error) {
	l := Line{Name: "held out", X: v.HeldOutSteps, Y: v.HeldOut}
	if l.Y == nil {
		return l, nil
	}
	if l.X == nil {
		l.X = count(len(l.Y))
		for i := range l.X {
			l.X[i] *= last / float64(len(l.Y))
		}
	}
	return l, l.check("curve", false, v.LogY)
}

// average smooths y with the kernel exp(-|i-j|/tau), whose weights are renormalised at both ends. The kernel is
// symmetric, so the average does not lag behind a falling loss. Values that an axis, logarithmic or not, cannot show
// have no weight and stay as they are.
func average(y []float64, tau float64, log bool) []float64 {
	keep := math.Exp(-1 / max(tau, 1e-9))
	sum, weight := make([]float64, len(y)), make([]float64, len(y))
	shown := func(v float64) bool { return finite(v) && !(log && v <= 0) }
	s, w := 0.0, 0.0
	for i, v := range y {
		if s, w = keep*s, keep*w; shown(v) {
			s, w = s+v, w+1
		}
		sum[i], weight[i] = s, w
	}
	s, w = 0, 0
	for i := len(y) - 1; i >= 0; i-- {
		sum[i], weight[i] = sum[i]+keep*s, weight[i]+keep*w // y[i] itself is counted once
		if s, w = keep*s, keep*w; shown(y[i]) {
			s, w = s+y[i], w+1
		}
	}
	for i := range sum {
		if sum[i] /= weight[i]; !shown(y[i]) {
			sum[i] = y[i]
		}
	}
	return sum
}

// thinTo returns the function that makes of a line the line of at most n parts that f makes.
func thinTo(f func(x, y []float64, n int, log bool) (fx, fy []float64), n int) thinner {
	return func(x, y []float64, log bool) ([]float64, []float64) { return f(x, y, n, log) }
}

// groups splits increasing x into runs of points that lie in the same of n equal parts of the axis. It calls f with
// the bounds of each run.
func groups(x []float64, n int, log bool, f func(from, to int)) {
	at := func(i int) float64 {
		if log {
			return math.Log(x[i])
		}
		return x[i]
	}
	width := (at(len(x)-1) - at(0)) / float64(n)
	from := 0
	for i := range x {
		if i > from && math.Floor((at(i)-at(0))/width) != math.Floor((at(from)-at(0))/width) {
			f(from, i)
			from = i
		}
	}
	f(from, len(x))
}

// thin returns the first point, and the last point of each of at most n equal parts of the axis. A part with a gap
// keeps its first gap.
func thin(x, y []float64, n int, log bool) (tx, ty []float64) {
	if len(x) <= n {
		return x, y
	}
	tx, ty = append(tx, x[0]), append(ty, y[0])
	groups(x, n, log, func(from, to int) {
		last, hole := -1, -1
		for k := max(from, 1); k < to; k++ {
			if !math.IsNaN(y[k]) {
				last = k
			} else if hole < 0 {
				hole = k
			}
		}
		tx, ty = sortedPicks(tx, ty, x, y, last, hole)
	})
	return tx, ty
}

// sortedPicks appends the points of the given numbers, in the order of these numbers. It leaves out −1 and a number
// that is given again.
func sortedPicks(tx, ty, x, y []float64, at ...int) (ax, ay []float64) {
	slices.Sort(at)
	for _, k := range slices.Compact(at) {
		if k >= 0 {
			tx, ty = append(tx, x[k]), append(ty, y[k])
		}
	}
	return tx, ty
}

// envelope returns the smallest and the largest value of each of at most n equal parts of the axis, in their order.
// A line through them covers the same area as a line through all points. A part with a gap keeps its first gap, and
// a part with an infinite value the last one.
func envelope(x, y []float64, n int, log bool) (ex, ey []float64) {
	if len(x) <= 2*n {
		return x, y
	}
	groups(x, n, log, func(from, to int) {
		lo, hi, hole, far := -1, -1, -1, -1
		for k := from; k < to; k++ {
			if !finite(y[k]) {
				if math.IsInf(y[k], 0) {
					far = k
				} else if hole < 0 {
					hole = k
				}
				continue
			}
			if lo < 0 || y[k] < y[lo] {
				lo = k
			}
			if hi < 0 || y[k] > y[hi] {
				hi = k
			}
		}
		ex, ey = sortedPicks(ex, ey, x, y, lo, hi, hole, far)
	})
	return ex, ey
}

// integer prints a step in full.
func integer(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return fmt.Sprintf("%.0f", v)
	}
	return number(v)
}
