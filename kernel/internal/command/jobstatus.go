package command

import (
	"fmt"
	"io"

	"github.com/expfam/lab/kernel/internal/cluster"
)

// jobStatus shows how far a job has come: on a terminal in one line that is written over, elsewhere in a new line
// whenever something changes.
type jobStatus struct {
	out      io.Writer
	terminal bool
	last     string
}

func (w *jobStatus) show(p cluster.Progress) {
	text := fmt.Sprintf("%d of %d done, %d run, %d wait", p.Done, p.Shares, p.Running, p.Waiting)
	if p.Waiting > 0 && p.Reason != "" && p.Reason != "None" {
		text += " (" + p.Reason + ")"
	}
	if p.Merging {
		text += ", the merge runs"
	}
	if p.Trouble != "" {
		w.end()
		fmt.Fprintf(w.out, "  %s\n", p.Trouble)
	}
	switch {
	case w.terminal:
		fmt.Fprintf(w.out, "\r\x1b[K  %4.0f s  %s", p.Seconds, text)
	case text != w.last:
		fmt.Fprintf(w.out, "  %4.0f s  %s\n", p.Seconds, text)
	}
	w.last = text
}

// end clears the line that a terminal shows.
func (w *jobStatus) end() {
	if w.terminal && w.last != "" {
		fmt.Fprint(w.out, "\r\x1b[K")
	}
}
