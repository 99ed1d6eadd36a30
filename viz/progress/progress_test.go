package progress

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

func TestProgress(t *testing.T) {
	clock := time.Unix(0, 0)
	var out bytes.Buffer
	fresh := func() *line {
		out.Reset()
		return &line{label: "training", value: "loss", out: &out, now: func() time.Time { return clock }}
	}
	t.Run("terminal", func(t *testing.T) {
		p := fresh()
		p.every = 100 * time.Millisecond
		p.draw = p.write
		for step := 1; step <= 100; step++ {
			p.step(step, 100, 0.5)
			clock = clock.Add(50 * time.Millisecond)
		}
		lines := strings.Split(out.String(), "\r")
		// The first, every second step after it, and the last: at 10 a second.
		must.Be(t, len(lines) >= 51 && len(lines) <= 53, "%d redraws of 100 steps in 5 s, want 51 or 52", len(lines)-1)
		must.Equal(t, lines[1], "░░░░░░░░░░░░░░░░░░░░ training: 1 of 100, loss 0.5")
		want := "██████████░░░░░░░░░░ training: 51 of 100, 20 per s, 2.5 s left, loss 0.5"
		must.Equal(t, strings.TrimRight(lines[26], " "), want)
		must.Be(t, strings.HasSuffix(out.String(), "\n"), "the last step leaves the line open")
	})
	t.Run("file", func(t *testing.T) {
		p := fresh()
		p.tenths = true
		p.draw = func(s string, _ float64, _ bool) { out.WriteString(s + "\n") }
		for step := 1; step <= 1000; step++ {
			p.step(step, 1000, math.NaN())
			clock = clock.Add(time.Millisecond)
		}
		must.Equal(t, strings.Count(out.String(), "\n"), 10, "lines", out.String())
		must.Be(t, !strings.Contains(out.String(), "\r"), "rewrites lines in a file")
	})
	t.Run("compiling, then steps whose value is known now and then", func(t *testing.T) {
		p := fresh()
		p.draw = p.write
		p.step(0, 100, math.NaN())
		clock = clock.Add(time.Minute)
		p.step(0, 100, math.NaN())
		for i, v := range []float64{2, math.NaN()} {
			clock = clock.Add(time.Second)
			p.step(i+1, 100, v)
		}
		must.Be(t, strings.Contains(out.String(), "training: 0 of 100\r") &&
			strings.HasSuffix(strings.TrimRight(out.String(), " "), "2 of 100, 1 per s, 98 s left, loss 2"),
			"got %q", out.String())
	})
	t.Run("one step, in a file", func(t *testing.T) {
		p := fresh()
		p.tenths = true
		p.draw = func(s string, _ float64, _ bool) { out.WriteString(s + "\n") }
		p.step(1, 1, math.NaN())
		must.Equal(t, out.String(), "training: 1 of 1\n")
	})
	t.Run("steps of goroutines overtake each other", func(t *testing.T) {
		p := fresh()
		var last string
		ends := 0
		p.draw = func(s string, _ float64, done bool) {
			if last = s; done {
				ends++
			}
		}
		for step := 1; step < 100; step += 2 {
			clock = clock.Add(time.Second)
			p.step(step+1, 100, math.NaN())
			p.step(step, 100, math.NaN())
		}
		must.Be(t, last == "training: 100 of 100, 2 per s, 49 s" && ends == 1, "%s, %d times", last, ends)
		p.step(1, 100, math.NaN())
		must.Equal(t, last, "training: 1 of 100", "other work of the same function")
	})
	t.Run("resumed", func(t *testing.T) {
		p := fresh()
		p.draw = p.write
		p.step(900, 1000, 1)
		clock = clock.Add(time.Second)
		p.step(910, 1000, 1)
		// 10 steps in a second: the 900 before are not this run's.
		must.Be(t, strings.Contains(out.String(), "910 of 1000, 10 per s, 9.0 s left"), "got %q", out.String())
	})
}

func TestPerSecond(t *testing.T) {
	for rate, want := range map[float64]string{0.31: "0.3", 7: "7", 998.76: "998.8", 1234.5: "1230", 179512: "180000"} {
		must.Equal(t, perSecond(rate), want, rate)
	}
}

// A bar says nothing of short work, and of long work what is known.
func TestBar(t *testing.T) {
	var drawn []string
	clock := time.Unix(0, 0)
	b := &bar{label: "training", value: "loss", now: func() time.Time { return clock }, end: make(chan struct{}),
		began: clock,
		draw:  func(s, below string, _ float64, _ bool) { drawn = append(drawn, strings.TrimSpace(s+"\n"+below)) }}
	for _, c := range []struct {
		do   func()
		want string
	}{
		{func() {}, "training: preparing, 1 s"},
		{func() { b.Say("compiling") }, "training: compiling, 2 s"},
		{func() { b.Step(0, 3, math.NaN()) }, "training: compiling, 3 s"},
		{func() { b.Plan("10 draws") }, "training: compiling, 4 s\n10 draws"},
		{func() { b.Step(2, 3, 0.5) }, "training: 2 of 3, 1 per s, 1.0 s left, loss 0.5\n10 draws"},
		{func() { b.Step(3, 3, math.NaN()) }, "training: 3 of 3, 1 per s, 3.0 s, loss 0.5\n10 draws"},
		{func() { b.Say("measuring the network") }, "training: measuring the network, 7 s\n10 draws"},
	} {
		clock = clock.Add(time.Second)
		c.do()
		b.show(false)
		must.Equal(t, drawn[len(drawn)-1], c.want)
	}
	b.show(false)
	must.Equal(t, len(drawn), 7, "the same is drawn again", drawn)
	b.End()
	must.Equal(t, drawn[len(drawn)-1], "training: 3 of 3, 1 per s, 3.0 s, loss 0.5", "at the end")
	stopped := &bar{now: b.now, draw: b.draw, end: make(chan struct{}), began: clock}
	stopped.Step(1, 3, math.NaN())
	clock = clock.Add(time.Second)
	stopped.show(false)
	stopped.End()
	must.Equal(t, drawn[len(drawn)-1], "stopped at 1 of 3 after 1.0 s")
	brief := &bar{label: "sampling", now: b.now, draw: b.draw, end: make(chan struct{}), began: clock}
	brief.show(false)
	brief.Step(30, 30, math.NaN())
	clock = clock.Add(2 * time.Second)
	brief.show(false)
	brief.End()
	must.Equal(t, drawn[len(drawn)-1], "", "two seconds of work leave")
	must.Equal(t, page("", "", 0), "", "a bar without a text is the page")
	n := len(drawn)
	short := &bar{now: b.now, draw: b.draw, end: make(chan struct{}), began: clock}
	short.gone.Go(short.run)
	short.Step(1, 1, 0)
	short.End()
	must.Equal(t, len(drawn), n, "short work is spoken of", drawn[n:])
}
