// Package speaktest records what long work shows in the bars of package speak, for tests.
package speaktest

import (
	"sync"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/internal/speak"
)

// Bar records the calls of a [speak.Bar].
type Bar struct {
	Label, Name        string
	First, Last, Total int      // of steps
	Value              float64  // the last value
	Plan               string   // the last plan
	Plans, Said        []string // all plans and all texts
	Ended              bool
}

// Bars records all bars that were opened.
type Bars struct {
	mu  sync.Mutex
	all []*Bar
}

// Listen records the bars that are opened until the test ends. A test that calls it may not run in parallel with
// others.
func Listen(t testing.TB) *Bars {
	t.Helper()
	bars := &Bars{}
	former := speak.Open
	speak.Open = func(label, value string) speak.Bar {
		bars.mu.Lock()
		defer bars.mu.Unlock()
		b := &Bar{Label: label, Name: value}
		bars.all = append(bars.all, b)
		return ear{bars, b}
	}
	t.Cleanup(func() { speak.Open = former })
	return bars
}

// All returns copies of the bars that were opened so far.
func (b *Bars) All() []Bar {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]Bar, len(b.all))
	for i, one := range b.all {
		all[i] = *one
	}
	return all
}

// One returns the only bar that was opened. The test fails if there is not exactly one.
func (b *Bars) One(t testing.TB) Bar {
	t.Helper()
	all := b.All()
	must.Need(t, len(all) == 1, "%d bars were opened, want 1: %+v", len(all), all)
	return all[0]
}

// ear is a [speak.Bar] that records its calls.
type ear struct {
	bars *Bars
	*Bar
}

func (e ear) Step(done, total int, value float64) {
	e.bars.mu.Lock()
	defer e.bars.mu.Unlock()
	if e.Total == 0 {
		e.First = done
	}
	e.Last, e.Total, e.Value = done, total, value
}

func (e ear) Say(text string) {
	e.bars.mu.Lock()
	defer e.bars.mu.Unlock()
	e.Said = append(e.Said, text)
}

func (e ear) Plan(text string) {
	e.bars.mu.Lock()
	defer e.bars.mu.Unlock()
	e.Bar.Plan, e.Plans = text, append(e.Plans, text)
}

func (e ear) End() {
	e.bars.mu.Lock()
	defer e.bars.mu.Unlock()
	e.Ended = true
}
