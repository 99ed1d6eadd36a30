//go:build unix

package cell

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/keep"
)

var (
	sequences     = flag.Int("sequences", 0, "how many random sequences TestSequences compares with one Go program")
	sequencesFrom = flag.Int("sequences-from", 0, "the first of them")
)

// TestSequences compares random sequences of cells with the same statements in one Go program: what each cell prints of
// some variables, and what the last one prints of all. A cell may be refused by a sentence, and then the sequence ends.
func TestSequences(t *testing.T) {
	n := *sequences
	switch {
	case testing.Short():
		t.Skip("compiles programs; not with -short")
	case n == 0 && *fulltest.Full:
		n = 5000
	case n == 0:
		n = 2 // .ci/run compares 80
	}
	first := uint64(*sequencesFrom)
	tools := newTools(t)
	const batch = 12
	for from := first; from < first+uint64(n); from += batch {
		t.Run(fmt.Sprint("from ", from), func(t *testing.T) {
			t.Parallel()
			var all []sequence
			var bodies []string
			for i := from; i < min(from+batch, first+uint64(n)); i++ {
				s := randomSequence(i)
				all = append(all, s)
				without := slices.IndexFunc(s.cells, func(c randomCell) bool { return c.killed })
				bodies = append(bodies, s.body(-1), s.body(without))
			}
			want := together(t, tools, bodies)
			for i, s := range all {
				compareSequence(t, tools, from+uint64(i), s, want[2*i], want[2*i+1])
			}
		})
	}
}

// compareSequence runs a sequence cell by cell, and compares what each prints with one Go program. If a program was
// killed before it kept anything, the cells after it are as in a program without that cell.
func compareSequence(t *testing.T, o tools, number uint64, s sequence, want, without map[int]string) {
	session := o.session(t)
	defer func() { os.RemoveAll(session.Values) }()
	if !firstCell(t, session) {
		return
	}
	for k := 0; k < len(s.cells); k++ {
		if k > 0 && k == s.restart {
			os.RemoveAll(session.Values)
			if session = o.session(t); !firstCell(t, session) {
				return
			}
			k, s.restart = 0, 0
		}
		c := s.cells[k]
		id := k + 1
		if c.of > 0 {
			id = c.of
		}
		cells := func() string {
			var all []string
			for _, c := range s.cells[:k+1] {
				all = append(all, c.source)
			}
			return strings.Join(all, "\n----\n")
		}
		p, err := session.Translate(Cell{ID: fmt.Sprint(id), Number: k + 1, Source: c.source})
		if err != nil {
			t.Logf("sequence %d, cell %d is refused: %v", number, k, err)
			return
		}
		session.Commit(p)
		if p.Source == "" {
			continue
		}
		shown, wrong := o.run(t, p.Source)
		if strings.Contains(wrong, "could not be kept") || strings.Contains(wrong, "run the cell that defines") {
			t.Logf("sequence %d, cell %d is refused: %s", number, k, wrong)
			return
		}
		kept := must.Get(keep.Read(session.Values))(t).Program == p.Keeps()
		switch {
		case c.killed:
			if !kept {
				want = without
			}
			continue
		case c.lost:
			if kept && p.Keeps() > 0 {
				t.Errorf("sequence %d, cell %d is kept though it ended early\n%s", number, k, cells())
			}
			continue
		}
		if wrong = strings.TrimSpace(wrong); wrong != "" && !strings.Contains(wrong, "panic: stop") {
			t.Errorf("sequence %d, cell %d: %s\n%s", number, k, wrong, cells())
			return
		}
		if shown != want[k] {
			t.Errorf("sequence %d, cell %d shows\n%s\nnot\n%s\ncells\n%s", number, k, shown, want[k], cells())
			return
		}
	}
	t.Logf("sequence %d agrees", number)
}

// firstCell runs the preamble, which only defines.
func firstCell(t *testing.T, s *Session) bool {
	const imports = "import (\n\"container/list\"\n\"reflect\"\n\"runtime/debug\"\n" +
		"\"slices\"\n\"syscall\"\n\"time\"\n)\n"
	p, err := s.Translate(Cell{ID: "0", Source: imports + preamble})
	if err != nil {
		t.Error(err)
		return false
	}
	s.Commit(p)
	return true
}
