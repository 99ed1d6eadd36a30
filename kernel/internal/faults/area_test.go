package faults

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/expfam/lab/internal/fulltest"
)

// area counts the cases of one area by what became of them.
type area struct {
	name string
	// right results, and inputs that a clear error refused: all others are faults.
	right, refused int
	panics         int
	wrong          int // answers that are not right, without an error; errors that say nothing
	lost           int // results and files that are gone, torn or not whole
	unbounded      int // cases that took more time or memory than an input of their size may
	// bytes that one case may allocate in all, where that is bounded.
	bytes uint64
	// limit of one case's time. Default a minute: machines are busy.
	limit time.Duration
	rng   *rand.Rand
}

var table struct {
	sync.Mutex
	areas []*area
}

// newArea adds a line to the table. Its random numbers are the same in every run.
func newArea(name string) *area {
	table.Lock()
	defer table.Unlock()
	seed := fnv.New64()
	io.WriteString(seed, name)
	a := &area{name: name, limit: time.Minute, rng: rand.New(rand.NewPCG(15, seed.Sum64()))}
	table.areas = append(table.areas, a)
	return a
}

// refusal is an input that was refused, by err; lost is a result that is.
type (
	refusal struct{ err error }
	lost    struct{ reason string }
)

func (r refusal) Error() string { return r.err.Error() }
func (l lost) Error() string    { return l.reason }

func wrong(format string, args ...any) error { return fmt.Errorf(format, args...) }
func lose(format string, args ...any) error  { return lost{fmt.Sprintf(format, args...)} }

// refused is what a case returns for a clear error, which is one sentence that no
// programmer of the library has to explain.
func refused(err error) error {
	text := err.Error()
	for _, inside := range []string{"runtime error", "goroutine ", "index out of range", "nil pointer", "%!"} {
		if strings.Contains(text, inside) {
			return wrong("the error is one of the program: %s", text)
		}
	}
	if len(text) < 10 || len(text) > 4000 || strings.ContainsFunc(text,
		func(r rune) bool { return unicode.IsControl(r) }) {
		return wrong("the error is no sentence: %q", text)
	}
	return refusal{err}
}

// try runs a case: nil is right, a [refusal] as well, all others are faults. What the
// description says is printed for these.
func (a *area) try(t *testing.T, description string, f func() error) {
	t.Helper()
	before, done := allocated(), make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- panicked{fmt.Sprintf("%v\n%s", p, debug.Stack())}
			}
		}()
		done <- f()
	}()
	var err error
	timer := time.NewTimer(a.limit)
	defer timer.Stop()
	select {
	case err = <-done:
	case <-timer.C:
		a.unbounded++
		t.Errorf("%s: %s: no result after %v", a.name, description, a.limit)
		return
	}
	if n := allocated() - before; a.bytes > 0 && n > a.bytes {
		a.unbounded++
		t.Errorf("%s: %s: it takes %d MB", a.name, description, n>>20)
		return
	}
	var (
		refusal refusal
		lost    lost
		panics  panicked
	)
	switch {
	case err == nil:
		a.right++
		return
	case errors.As(err, &refusal):
		a.refused++
		return
	case errors.As(err, &panics):
		a.panics++
	case errors.As(err, &lost):
		a.lost++
	default:
		a.wrong++
	}
	t.Errorf("%s: %s: %v", a.name, description, err)
}

type panicked struct{ text string }

func (p panicked) Error() string { return "panic: " + p.text }

// allocated is how many bytes this process has allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// printTable writes a line for each area.
func printTable(w io.Writer) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "cases\tright\trefused\tpanics\twrong\tlost\tunbounded\t area")
	var sum area
	line := func(a *area) {
		cases := a.right + a.refused + a.panics + a.wrong + a.lost + a.unbounded
		fmt.Fprintf(tab, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t %s\n", cases, a.right, a.refused, a.panics, a.wrong, a.lost,
			a.unbounded, a.name)
	}
	for _, a := range table.areas {
		line(a)
		sum.right, sum.refused, sum.panics = sum.right+a.right, sum.refused+a.refused, sum.panics+a.panics
		sum.wrong, sum.lost, sum.unbounded = sum.wrong+a.wrong, sum.lost+a.lost, sum.unbounded+a.unbounded
	}
	sum.name = "all"
	line(&sum)
	tab.Flush()
}

// TestMain does what a child is asked for, or runs the tests with a store of their own and prints the table.
func TestMain(m *testing.M) {
	if name := os.Getenv(child); name != "" {
		if err := children[name](os.Getenv(childArgs)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	dir, err := os.MkdirTemp("", "expfam-faults-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("EXPFAM_STORE", dir)
	code := m.Run()
	os.RemoveAll(dir)
	if testing.Verbose() {
		printTable(os.Stdout)
	}
	os.Exit(code)
}

// cases is how often an area tries something.
func cases(few, many int) int { return fulltest.N(few, many) }

// pick is a random one of several.
func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }
