package command

import (
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/cluster"
)

// A terminal's line is written over and cleared. Elsewhere texts are lines, and nothing is shown without a period.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		want     string
	}{{true, "\r\x1b[Ka\r\x1b[Kb\r\x1b[K"}, {false, "a\nb\n"}} {
		var b strings.Builder
		s := &status{out: &b, terminal: c.terminal}
		s.show("a")
		s.show("b")
		must.Be(t, s.clear() && !s.clear(), "two texts were shown, and one clear is enough")
		must.Equal(t, b.String(), c.want, "terminal", c.terminal)
	}
	var b strings.Builder
	stop := (&status{out: &b}).watch(0, func() string { t.Error("asked for a text"); return "" })
	must.Be(t, !stop() && b.Len() == 0, "%q without a period", b.String())
}

// Elsewhere than on a terminal a job has a line for each change, and what went wrong has one of its own.
func TestShowJob(t *testing.T) {
	var b strings.Builder
	show := showJob(&status{out: &b})
	for _, p := range []cluster.Progress{{Shares: 2, Waiting: 2, Reason: "Priority"}, {Shares: 2, Waiting: 2,
		Reason: "Priority", Seconds: 3}, {Shares: 2, Done: 1, Running: 1, Seconds: 9, Trouble: "share 1 is late"}} {
		show(p)
	}
	must.Equal(t, b.String(), "     0 s  0 of 2 done, 0 run, 2 wait (Priority)\n  share 1 is late\n"+
		"     9 s  1 of 2 done, 1 run, 0 wait\n", "lines")
}
