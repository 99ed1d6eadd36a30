// Package speak lets long work say how far it has come to a person who did not ask: in a cell of a notebook, whose kernel links
// package viz/progress into programs that use the library. Nowhere else does anything speak.
package speak

import (
	"context"
	"sync/atomic"
)

// Bar shows how far one piece of work has come. It appears when the work has taken a quarter of a second.
type Bar interface {
	// Step shows that so many steps of all are done, and a value that the work watches, NaN for none.
	Step(done, total int, value float64)
	// Say shows what is done now, in the place of the steps until the next one.
	Say(text string)
	// Plan shows what the work will take, below that.
	Plan(text string)
	// End shows that the work is over, done or not.
	End()
}

// Open makes a bar with a label, and the name of the value that the work watches. It is nil where nobody watches.
var Open func(label, value string) Bar

type key struct{}

// counted is how many works count parts at present; see [Parts].
var counted atomic.Int32

// With is a context with a bar, if there can be one. The bar ends with end.
func With(ctx context.Context, label, value string) (_ context.Context, end func()) {
	if Open == nil || counted.Load() > 0 {
		return ctx, func() {}
	}
	bar := Open(label, value)
	return context.WithValue(ctx, key{}, bar), bar.End
}

// From is the bar of a context, nil if it has none.
func From(ctx context.Context) Bar {
	bar, _ := ctx.Value(key{}).(Bar)
	return bar
}

// Parts is a context for the parts of a work that counts them, such as the simulations of a calibration. It has no bar, and until end
// is called [With] opens none: a part that is long in itself is a step of the whole.
func Parts(ctx context.Context) (_ context.Context, end func()) {
	counted.Add(1)
	return context.WithValue(ctx, key{}, nil), func() { counted.Add(-1) }
}

// Say shows in the bar of a context what is done now, if there is one.
func Say(ctx context.Context, text string) {
	if bar := From(ctx); bar != nil {
		bar.Say(text)
	}
}

// Plan shows in the bar of a context what the work will take, and tells whether there is one.
func Plan(ctx context.Context, text string) bool {
	bar := From(ctx)
	if bar != nil {
		bar.Plan(text)
	}
	return bar != nil
}
