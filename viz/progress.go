package viz

import (
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
)

// Progress returns a function that shows how far long work has come: steps,
// rate, remaining time and a value that the work watches (a loss, a number of
// failures; NaN for none). Call it after each step; it draws a few times a
// second at most, and always at the last step, step == total.
//
// In a notebook one output is updated in place, in a terminal one line; where
// output goes to a file it prints a plain line for each tenth. It is safe for
// concurrent use and knows nothing about its caller, so that a library takes it
// as a plain func. The line goes to standard error, to which nothing else here writes.
func Progress(label, value string) func(step, total int, v float64) {
	p := &progress{label: clean(label), value: clean(value), now: time.Now, out: os.Stderr}
	switch {
	case gonbui.IsNotebook:
		id := "progress-" + gonbui.UniqueId()
		p.every = 250 * time.Millisecond
		p.draw = func(s string, share float64, done bool) {
			gonbui.UpdateHTML(id, barHTML(s, share))
			if done {
				gonbui.Sync() // GoNB drops what it has not read when the cell's program ends
			}
		}
	case terminal(os.Stderr):
		p.every = 100 * time.Millisecond
		p.draw = p.line
	default:
		p.tenths = true
		p.draw = func(s string, _ float64, _ bool) { fmt.Fprintln(p.out, s) }
	}
	return p.step
}

// progress is the state behind Progress.
type progress struct {
	label, value string
	out          io.Writer
	now          func() time.Time
	every        time.Duration
	tenths       bool
	draw         func(s string, share float64, done bool)

	mu          sync.Mutex
	start, last time.Time
	first       int // the step of the first call: a resumed run starts late
	tenth       int
	width       int // of the line on the terminal
}

func (p *progress) step(step, total int, v float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.start.IsZero() || step < p.first {
		// The first call marks the start: what came before it (compiling, mostly)
		// says nothing about the rate.
		p.start, p.first, p.last, p.tenth = now, step, now, 0
		if step < total {
			return
		}
	}
	done := step >= total
	if p.tenths {
		tenth := 10 * step / max(total, 1)
		if tenth == p.tenth && !done {
			return
		}
		p.tenth = tenth
	} else if now.Sub(p.last) < p.every && !done {
		return
	}
	p.last = now
	p.draw(p.text(step, total, v, now), float64(step)/float64(max(total, 1)), done)
}

// text is one line of progress.
func (p *progress) text(step, total int, v float64, now time.Time) string {
	var b strings.Builder
	if p.label != "" {
		b.WriteString(p.label + ": ")
	}
	fmt.Fprintf(&b, "%d of %d", step, total)
	spent := now.Sub(p.start)
	if n := step - p.first; n > 0 && spent > 0 {
		rate := float64(n) / spent.Seconds()
		fmt.Fprintf(&b, ", %s per s", number(math.Round(rate*10)/10))
		if step < total {
			left := time.Duration(float64(total-step) / rate * float64(time.Second))
			fmt.Fprintf(&b, ", %s left", brief(left))
		} else {
			fmt.Fprintf(&b, ", %s", brief(spent))
		}
	}
	if !math.IsNaN(v) {
		fmt.Fprintf(&b, ", %s %s", nonEmpty(p.value, "value"), number(v))
	}
	return b.String()
}

// line rewrites the terminal's line, blanking what a longer one left.
func (p *progress) line(s string, share float64, done bool) {
	const cells = 20
	full := int(math.Round(clamp(share, 0, 1) * cells))
	s = strings.Repeat("█", full) + strings.Repeat("░", cells-full) + " " + s
	n := len([]rune(s))
	pad := strings.Repeat(" ", max(0, p.width-n))
	p.width = n
	end := ""
	if done {
		end = "\n"
	}
	fmt.Fprint(p.out, "\r"+s+pad+end)
}

// barHTML is the notebook's bar; currentColor follows the theme.
func barHTML(s string, share float64) string {
	return fmt.Sprintf(`<div class="`+plain+`" style="font-size:13px;max-width:800px"><div style="height:6px;border:1px solid #888;border-radius:3px">`+
		`<div style="height:100%%;width:%.1f%%;background:#0072b2"></div></div>%s</div>`, 100*clamp(share, 0, 1), html.EscapeString(s))
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

// terminal reports whether f is a character device that a person may watch.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
