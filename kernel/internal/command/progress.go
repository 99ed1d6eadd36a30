package command

import (
	"fmt"
	"os"
	"time"
	"unicode/utf8"
)

// progress writes one line for each cell; on a terminal it shows the cell while it runs.
type progress struct {
	out      *os.File
	terminal bool
	cells    int
	place    string
	first    string
	began    time.Time
	over     func() // ends the clock of the cell that runs
}

func newProgress(out *os.File) *progress {
	return &progress{out: out, terminal: isTerminal(out)}
}

func (p *progress) start(name string, cells int) {
	p.cells = cells
	fmt.Fprintln(p.out, name)
}

const shownLine = 64 // characters of a cell's first line that are shown

func (p *progress) begin(index int, first string) {
	if utf8.RuneCountInString(first) > shownLine {
		first = string([]rune(first)[:shownLine-1]) + "…"
	}
	p.place = fmt.Sprintf("  [%*d/%d]", len(fmt.Sprint(p.cells)), index, p.cells)
	p.first, p.began = first, time.Now()
	if p.terminal {
		fmt.Fprintf(p.out, "%s        …  %s", p.place, first)
		p.over = repeat(time.Second, func() {
			fmt.Fprintf(p.out, "\r%s %4.0f s …  %s", p.place, time.Since(p.began).Seconds(), p.first)
		})
	}
}

func (p *progress) end(ok bool) {
	verdict := ""
	if !ok {
		verdict = "  FAILED"
	}
	if p.terminal {
		p.over()
		fmt.Fprint(p.out, "\r\x1b[K")
	}
	fmt.Fprintf(p.out, "%s %6.2f s  %s%s\n", p.place, time.Since(p.began).Seconds(), p.first, verdict)
}

func (p *progress) done(took time.Duration) { fmt.Fprintf(p.out, "  done in %.1f s\n", took.Seconds()) }
