package command

import (
	"fmt"
	"os"
	"time"
	"unicode/utf8"
)

// progress writes one line for each cell; on a terminal it shows the cell while it runs.
type progress struct {
	*status
	cells int
	place string
	first string
	began time.Time
	over  func() bool // ends the status of the cell that runs
}

func newProgress(out *os.File) *progress { return &progress{status: newStatus(out)} }

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
	running := func() string {
		return fmt.Sprintf("%s %4.0f s …  %s", p.place, time.Since(p.began).Seconds(), p.first)
	}
	if p.terminal {
		p.show(running())
	}
	p.over = p.watch(0, running)
}

func (p *progress) end(ok bool) {
	verdict := ""
	if !ok {
		verdict = "  FAILED"
	}
	p.over()
	fmt.Fprintf(p.out, "%s %6.2f s  %s%s\n", p.place, time.Since(p.began).Seconds(), p.first, verdict)
}

func (p *progress) done(took time.Duration) { fmt.Fprintf(p.out, "  done in %.1f s\n", took.Seconds()) }
