package command

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/expfam/lab/internal/speak"
)

// status is the line about work that is under way. A terminal shows its latest text, which is written over. Elsewhere
// each text is a line.
type status struct {
	out      io.Writer
	terminal bool
	shown    bool
}

func newStatus(out io.Writer) *status { return &status{out: out, terminal: speak.IsTerminal(out)} }

func (s *status) show(text string) {
	s.shown = true
	if s.terminal {
		fmt.Fprint(s.out, "\r\x1b[K"+text)
	} else {
		fmt.Fprintln(s.out, text)
	}
}

// clear takes the text from a terminal. It reports whether a text was shown.
func (s *status) clear() (shown bool) {
	if shown, s.shown = s.shown, false; shown && s.terminal {
		fmt.Fprint(s.out, "\r\x1b[K")
	}
	return shown
}

// watch shows the text again and again: each second on a terminal and elsewhere each period, or never if that is 0.
// The function that it returns waits for a text that is being shown, and clears it.
func (s *status) watch(elsewhere time.Duration, text func() string) (stop func() (shown bool)) {
	period := elsewhere
	if s.terminal {
		period = time.Second
	}
	if period == 0 {
		return s.clear
	}
	end := make(chan struct{})
	var gone sync.WaitGroup
	gone.Go(func() {
		tick := time.NewTicker(period)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				s.show(text())
			}
		}
	})
	return func() bool {
		close(end)
		gone.Wait()
		return s.clear()
	}
}
