package speak

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"
)

const (
	timed = 2 * time.Second // time after which the remaining time is estimated for the log
	long  = time.Minute     // least remaining time that is logged
	// The first step often waits for what others share, so several steps tell, or the time slow.
	several, slow = 8, 30 * time.Second
)

// Pace counts the steps of a work, whose remaining time it tells: in the bar of the context or, if there is none and
// the work is long, by a line of the log. Many goroutines may use it.
type Pace struct {
	plan  string
	word  string // what a step is called, if only a bound of the number of steps is known
	total int
	bar   Bar // or nil
	log   *slog.Logger
	began time.Time

	mu   sync.Mutex
	done int
	told bool
}

// NewPace begins work of a number of steps, total. The plan says in words what the steps are. In the log the name of
// the work stands before the plan.
func NewPace(ctx context.Context, name, plan string, total int) *Pace {
	p := open(ctx, name, plan, total)
	if p.bar != nil {
		p.bar.Step(0, total, math.NaN())
	}
	return p
}

// Search begins work whose steps end when something is found. It ends at the latest after most steps; 0 stands for no
// bound. The word says what a step is, such as a fit.
func Search(ctx context.Context, name, plan, word string, most int) *Pace {
	p := open(ctx, name, plan, most)
	p.word = word
	if p.bar != nil {
		p.bar.Say(word + " 1")
	}
	return p
}

// open returns a Pace that begins now, and shows its plan.
func open(ctx context.Context, name, plan string, total int) *Pace {
	p := &Pace{plan: name + ": " + plan, total: total, bar: From(ctx), log: Logger(ctx), began: time.Now()}
	if p.bar != nil {
		p.bar.Plan(plan)
	}
	return p
}

// Step counts a step. The bar shows value, unless it is NaN.
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
	case !p.told && spent >= timed && (p.done >= min(several, p.total/4) || spent >= slow):
		p.told = true
		p.tell(spent)
	}
}

// tell logs the remaining time at the speed of the steps so far, if it is long.
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

// Parts returns a context for steps that may be long work themselves. If the work has a bar, its steps have none; see
// [Parts].
func (p *Pace) Parts(ctx context.Context) (_ context.Context, end func()) {
	if p.bar == nil {
		return ctx, func() {}
	}
	return Parts(ctx)
}
