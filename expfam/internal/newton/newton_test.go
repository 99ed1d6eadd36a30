package newton

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// line is f(x) with its derivatives.
type line struct {
	f, d1, d2 func(x float64) float64
	x, step   float64
	tried     float64
}

func (l *line) Direction() (float64, bool, error) {
	g, h := l.d1(l.x), l.d2(l.x)
	if math.IsNaN(g) {
		return 0, false, errors.New("no slope")
	}
	l.step = -g / h
	return g * l.step, false, nil
}
func (l *line) Try(size float64) float64 { l.tried = l.x + size*l.step; return l.f(l.tried) }
func (l *line) Take()                    { l.x = l.tried }

var strict = Options{Steps: 50, Done: 1e-20, Safe: 1e-12, Armijo: 1e-4, Least: 1e-8}

func TestMaximise(t *testing.T) {
	// log(cosh) from far away: the full Newton step overshoots and diverges.
	steep := &line{f: func(x float64) float64 { return -math.Log(math.Cosh(x - 1)) },
		d1: func(x float64) float64 { return -math.Tanh(x - 1) },
		d2: func(x float64) float64 { return -1 / math.Pow(math.Cosh(x-1), 2) }, x: 4}
	r, err := Maximise(t.Context(), steep, steep.f(4), strict)
	must.Be(t, err == nil && r.End == Converged && math.Abs(steep.x-1) <= 1e-9,
		"log cosh: x = %g after %d steps, %v, %v", steep.x, r.Steps, r.End, err)
	quadratic := &line{f: func(x float64) float64 { return -x * x }, d1: func(x float64) float64 { return -2 * x },
		d2: func(float64) float64 { return -2 }, x: 3}
	r, err = Maximise(t.Context(), quadratic, -9, strict)
	must.Be(t, err == nil && r.Steps == 1 && quadratic.x == 0 && r.Value == 0,
		"a quadratic: %+v at %g, %v", r, quadratic.x, err)
	uphill := &line{f: func(x float64) float64 { return x }, d1: func(float64) float64 { return 1 },
		d2: func(float64) float64 { return -1 }}
	r, _ = Maximise(t.Context(), uphill, 0, strict)
	must.Be(t, r.End == OutOfSteps && r.Steps == 50, "a line without end: %+v", r)
	cliff := &line{f: func(float64) float64 { return math.Inf(-1) }, d1: func(float64) float64 { return 1 },
		d2: func(float64) float64 { return -1 }}
	r, _ = Maximise(t.Context(), cliff, 0, strict)
	must.Be(t, r.End == NoGain && cliff.x == 0, "a cliff: %+v at %g", r, cliff.x)
	broken := &line{d1: func(float64) float64 { return math.NaN() }, d2: func(float64) float64 { return -1 }}
	must.Refuse(Maximise(t.Context(), broken, 0, strict))(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Maximise(gone, quadratic, 0, strict)
	must.Be(t, errors.Is(err, context.Canceled), "cancelled: %v", err)
}
