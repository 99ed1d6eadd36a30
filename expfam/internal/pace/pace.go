// Package pace tells how long work of many like steps will take: in the bar of its context, or where nobody watches in a line of the
// log, if it is long.
package pace

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/expfam/lab/expfam/internal/logging"
	"github.com/expfam/lab/internal/speak"
)

const (
	timed = 2 * time.Second // before the log is told
	long  = time.Minute     // what work takes that the log is told of
)

// Pace counts the steps of a work. Many goroutines may use it.
type Pace struct {
	plan  string
	word  string // what a step is, if only a bound of their number is known
	total int
	bar   speak.Bar // or nil
	log   *slog.Logger
	began time.Time

	mu   sync.Mutex
	done int
	told bool
}

// New begins a work of so many steps. The plan says in words what they are; in the log the name of the work stands before it.
func New(ctx context.Context, name, plan string, total int) *Pace {
	p := open(ctx, name, plan, total)
	if p.bar != nil {
		p.bar.Step(0, total, math.NaN())
	}
	return p
}

// Search begins a work whose steps end when something is found, at the latest after so many, 0 for no bound. The word is what a step
// is: a fit.
func Search(ctx context.Context, name, plan, word string, most int) *Pace {
	p := open(ctx, name, plan, most)
	p.word = word
	if p.bar != nil {
		p.bar.Say(word + " 1")
	}
	return p
}

func open(ctx context.Context, name, plan string, total int) *Pace {
	p := &Pace{plan: name + ": " + plan, total: total, bar: speak.From(ctx), log: logging.From(ctx), began: time.Now()}
	if p.bar != nil {
		p.bar.Plan(plan)
	}
	return p
}

// Step counts a step, with the value that the bar shows, NaN for none.
func (p *Pace) Step(value float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	spent := time.Since(p.began)
	switch {
	case p.bar != nil && p.word != "":
		p.bar.Say(fmt.Sprintf("%s %d, %.1f per s", p.word, p.done+1, float64(p.done)/spent.Seconds()))
	case p.bar != nil:
		p.bar.Step(p.done, p.total, value)
	case !p.told && spent >= timed:
		p.told = true
		p.tell(spent)
	}
}

// tell writes the log, if at the speed of the first steps there is much left.
func (p *Pace) tell(spent time.Duration) {
	left := time.Duration(float64(spent) / float64(p.done) * float64(p.total-p.done))
	if left < long {
		return
	}
	name := "left"
	if p.word != "" {
		name = "at_most"
	}
	p.log.Info(p.plan, name, left.Round(time.Second).String())
}

// Parts is a context for the steps of a work that may be long in themselves. Where the work has a bar they have none; see
// [speak.Parts].
func (p *Pace) Parts(ctx context.Context) (_ context.Context, end func()) {
	if p.bar == nil {
		return ctx, func() {}
	}
	return speak.Parts(ctx)
}
