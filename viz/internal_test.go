package viz

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func TestQuantile(t *testing.T) {
	// R: quantile(c(1, 2, 4, 8, 16), p, type = 7); by hand h = 4p.
	s := []float64{1, 2, 4, 8, 16}
	for _, c := range []struct{ p, want float64 }{{0, 1}, {0.025, 1.1}, {0.25, 2}, {0.5, 4}, {0.6, 5.6}, {0.975, 15.2}, {1, 16}} {
		// A rounding error of one product and one sum.
		if got := quantile(s, c.p); math.Abs(got-c.want) > 1e-14*16 {
			t.Errorf("p = %g: %g, want %g", c.p, got, c.want)
		}
	}
	if got := quantile([]float64{3}, 0.975); got != 3 {
		t.Errorf("one draw: %g, want 3", got)
	}
}

func TestTicks(t *testing.T) {
	show := func(ticks []plot.Tick) string {
		var out []string
		for _, t := range ticks {
			if t.Label != "" {
				out = append(out, t.Label)
			}
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		name, got, want string
	}{
		{"unit", show(linearTicks(0, 1, 5)), "0 0.2 0.4 0.6 0.8 1.0"},
		{"cells", show(linearTicks(0.4, 30.6, 8)), "5 10 15 20 25 30"},
		{"negative", show(linearTicks(-0.012, 0.011, 4)), "−0.01 0 0.01"},
		{"large", show(linearTicks(0, 4e6, 4)), "0 1e6 2e6 3e6 4e6"},
		{"far from zero", show(linearTicks(1000, 1000.5, 5)), "1000.0 1000.1 1000.2 1000.3 1000.4 1000.5"},
		{"small", show(linearTicks(0, 4e-7, 4)), "0 1e−7 2e−7 3e−7 4e−7"},
		{"two at least", show(linearTicks(0.05, 0.83, 3)), "0.2 0.4 0.6 0.8"},
		{"log/decades", show(logTicks(0.01, 1000)), "0.01 0.1 1 10 100 1000"},
		{"log/one decade", show(logTicks(0.3, 25)), "0.5 1 2 5 10 20"},
		{"log/no decade", show(logTicks(2.1, 8.5)), "3 4 5 6 7 8"},
		{"log/narrow", show(logTicks(2.1, 2.6)), "2.1 2.2 2.3 2.4 2.5 2.6"},
		{"log/many decades", show(logTicks(1e-20, 1)), "1e−20 1e−17 1e−14 1e−11 1e−8 1e−5 0.01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("got %s, want %s", c.got, c.want)
			}
		})
	}
}

// TestAverage checks what a symmetric kernel with normalised weights must do.
func TestAverage(t *testing.T) {
	const tol = 1e-12 // sums of a few hundred terms of order 1
	flat, line := make([]float64, 300), make([]float64, 301)
	for i := range flat {
		flat[i] = 2.5
	}
	for i := range line {
		line[i] = float64(i)
	}
	for i, v := range average(flat, 7) {
		if math.Abs(v-2.5) > tol {
			t.Fatalf("a constant changes at %d: %g", i, v)
		}
	}
	if got := average(line, 7)[150]; math.Abs(got-150) > 1e-6 { // ends weigh exp(-150/7) = 5e-10, times 150
		t.Errorf("a straight line is shifted: %g at 150", got)
	}
	impulse := make([]float64, 101)
	impulse[50] = 1
	y := average(impulse, 5)
	// The ends take exp(-47/5) = 8e-5 of the weight.
	if ratio := y[53] / y[50]; math.Abs(ratio-math.Exp(-3.0/5)) > 1e-4 || math.Abs(y[53]-y[47]) > tol {
		t.Errorf("kernel at 3: %g of its centre, want exp(-3/5); left %g, right %g", ratio, y[47], y[53])
	}
}

func TestThinning(t *testing.T) {
	x := count(10000)
	y := make([]float64, len(x))
	y[4321], y[8765] = 5, -5
	for _, log := range []bool{false, true} {
		ex, ey := envelope(x, y, 300, log)
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range ey {
			lo, hi = min(lo, ey[i]), max(hi, ey[i])
		}
		if lo != -5 || hi != 5 || len(ex) > 600 {
			t.Errorf("envelope (log %v): %d points from %g to %g, want at most 600 from -5 to 5", log, len(ex), lo, hi)
		}
		tx, _ := thin(x, y, 400, log)
		if len(tx) > 402 || tx[0] != 1 || tx[len(tx)-1] != 10000 {
			t.Errorf("thin (log %v): %d points from %g to %g, want at most 402 from 1 to 10000", log, len(tx), tx[0], tx[len(tx)-1])
		}
	}
}

func TestProgress(t *testing.T) {
	clock := time.Unix(0, 0)
	var out bytes.Buffer
	fresh := func() *progress {
		out.Reset()
		return &progress{label: "training", value: "loss", out: &out, now: func() time.Time { return clock }}
	}
	t.Run("terminal", func(t *testing.T) {
		p := fresh()
		p.every = 100 * time.Millisecond
		p.draw = p.line
		for step := 1; step <= 100; step++ {
			p.step(step, 100, 0.5)
			clock = clock.Add(50 * time.Millisecond)
		}
		lines := strings.Split(out.String(), "\r")
		// Every second step after the first, and the last: at 10 a second.
		if len(lines) < 50 || len(lines) > 52 {
			t.Errorf("%d redraws of 100 steps in 5 s, want 50 or 51", len(lines)-1)
		}
		if got, want := lines[25], "██████████░░░░░░░░░░ training: 51 of 100, 20 per s, 2.5 s left, loss 0.5"; strings.TrimRight(got, " ") != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if !strings.HasSuffix(out.String(), "\n") {
			t.Errorf("the last step leaves the line open")
		}
	})
	t.Run("file", func(t *testing.T) {
		p := fresh()
		p.tenths = true
		p.draw = func(s string, _ float64, _ bool) { out.WriteString(s + "\n") }
		for step := 1; step <= 1000; step++ {
			p.step(step, 1000, math.NaN())
			clock = clock.Add(time.Millisecond)
		}
		if n := strings.Count(out.String(), "\n"); n != 10 {
			t.Errorf("%d lines, want one for each tenth:\n%s", n, out.String())
		}
		if strings.Contains(out.String(), "\r") {
			t.Errorf("rewrites lines in a file")
		}
	})
	t.Run("resumed", func(t *testing.T) {
		p := fresh()
		p.draw = p.line
		p.step(900, 1000, 1)
		clock = clock.Add(time.Second)
		p.step(910, 1000, 1)
		// 10 steps in a second: the 900 before are not this run's.
		if !strings.Contains(out.String(), "910 of 1000, 10 per s, 9.0 s left") {
			t.Errorf("got %q", out.String())
		}
	})
}

// The label of a y axis takes no height from the plot, on any scale.
func TestYLabel(t *testing.T) {
	height := func(label string, log bool) float64 {
		c := &Chart{Kind: "test", Y: Axis{Label: label, Log: log}}
		c.Line("", []float64{0, 1}, []float64{0.01, 100}, LineStyle{Color: ink})
		d, err := c.layout()
		if err != nil {
			t.Fatal(err)
		}
		_, area := d.paint(draw.New(vgsvg.New(px(d.Width), px(d.Height))))
		return float64(area.Size().Y)
	}
	for _, log := range []bool{false, true} {
		if short, long := height("y", log), height("the label of an axis, in words", log); short != long {
			t.Errorf("log %v: the plot is %g pt high under a short label and %g under a long one", log, short, long)
		}
	}
}
