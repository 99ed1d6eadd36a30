// Package progress shows how far long work has come. In a cell of a notebook it updates one output, in a terminal it
// updates one line, and in a file it writes a line for each tenth. The package imports little, so that the program of
// a cell without a figure stays small.
package progress

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/expfam/lab/internal/speak"
)

// New returns a function that shows the progress. Call it after each step with the number of steps done, the number of
// all steps, and the value that the work watches, or NaN for none. It draws at the first call, then at most a few times
// a second, and at the last step, step == total. The rate counts from the last call before the first new step, because
// what came before, mostly compiling, says nothing about the rate. Several goroutines may call it.
func New(label, value string) func(step, total int, v float64) {
	p := &line{label: label, value: value, now: time.Now, out: os.Stderr}
	switch {
	case gonbui.IsNotebook:
		p.every = 250 * time.Millisecond
		draw := display()
		p.draw = func(s string, share float64, done bool) { draw(s, "", share, done) }
	case speak.IsTerminal(os.Stderr):
		p.every = 100 * time.Millisecond
		p.draw = p.write
	default:
		p.tenths = true
		p.draw = func(s string, _ float64, _ bool) { fmt.Fprintln(p.out, s) }
	}
	return p.step
}

// line is the state of a progress line.
type line struct {
	label, value string
	out          io.Writer
	now          func() time.Time
	every        time.Duration
	tenths       bool
	draw         func(s string, share float64, done bool)

	mu    sync.Mutex
	count count
	last  time.Time
	tenth int
	width int // of the line on the terminal
}

// count is how far the work has come.
type count struct {
	start, last time.Time // when the rate begins to count, and the last call
	first       int       // the step of the first call, above 0 for a resumed run
	step, total int
	watched     float64 // the last value that was a number
}

// overtaken is by how much the step of a goroutine may be below that of another which came before it.
const overtaken = 256

// add takes a step and reports whether it is the first step of its work. It does not count a step that was overtaken.
func (c *count) add(step, total int, v float64, now time.Time) (begins, counted bool) {
	begins = c.start.IsZero() || step < c.step
	if !c.start.IsZero() && total == c.total && 1 < step && step < c.step && c.step-step <= overtaken {
		return false, false
	}
	if begins {
		c.first, c.watched = step, math.NaN()
	}
	if begins || step == c.first {
		c.start = now
	}
	c.step, c.total, c.last = step, total, now
	if !math.IsNaN(v) {
		c.watched = v
	}
	return begins, true
}

func (c *count) done() bool     { return c.step >= c.total }
func (c *count) share() float64 { return float64(c.step) / float64(max(c.total, 1)) }

func (p *line) step(step, total int, v float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	begins, counted := p.count.add(step, total, v, now)
	if !counted {
		return
	}
	if begins {
		p.tenth = 0
	}
	if p.tenths {
		tenth := 10 * step / max(total, 1)
		if !p.count.done() && (begins || tenth == p.tenth) {
			return
		}
		p.tenth = tenth
	} else if !begins && now.Sub(p.last) < p.every && !p.count.done() {
		return
	}
	p.last = now
	p.draw(prefix(p.label)+p.count.text(p.value), p.count.share(), p.count.done())
}

func prefix(label string) string {
	if label == "" {
		return ""
	}
	return label + ": "
}

// text returns the steps, the rate, the time that is left or was spent, and the watched value with its name.
func (c *count) text(value string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d", c.step, c.total)
	spent := c.last.Sub(c.start)
	if n := c.step - c.first; n > 0 && spent > 0 {
		rate := float64(n) / spent.Seconds()
		fmt.Fprintf(&b, ", %s per s", perSecond(rate))
		if c.done() {
			fmt.Fprintf(&b, ", %s", brief(spent))
		} else {
			left := time.Duration(float64(c.total-c.step) / rate * float64(time.Second))
			fmt.Fprintf(&b, ", %s left", brief(left))
		}
	}
	if !math.IsNaN(c.watched) {
		value = cmp.Or(value, "value")
		fmt.Fprintf(&b, ", %s %s", value, number(c.watched))
	}
	return b.String()
}

// write rewrites the terminal's line. It blanks the end of a longer line before it.
func (p *line) write(s string, share float64, done bool) {
	s = speak.Blocks(share) + " " + s
	n := len([]rune(s))
	pad := strings.Repeat(" ", max(0, p.width-n))
	p.width = n
	end := ""
	if done {
		end = "\n"
	}
	fmt.Fprint(p.out, "\r"+s+pad+end)
}

// perSecond prints a rate with one decimal, or from 1000 on with three significant digits.
func perSecond(rate float64) string {
	if rate < 1000 {
		return number(math.Round(rate*10) / 10)
	}
	unit := math.Pow(10, math.Floor(math.Log10(rate))-2)
	return strconv.FormatFloat(math.Round(rate/unit)*unit, 'f', 0, 64)
}

func number(v float64) string {
	return strings.ReplaceAll(strconv.FormatFloat(v, 'g', 4, 64), "-", "−")
}

// brief prints a duration in at most two units.
func brief(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}
