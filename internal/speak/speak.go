// Package speak has what long work shares: a context that ends at an interrupt, the logger of a context, and a bar that
// shows how far the work has come, without being asked, in a cell of a notebook. The kernel of the notebook links
// package viz/progress into programs that use the library. In all other programs no bar is shown.
package speak

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
)

// Bar shows how far one piece of work has come. It appears when the work has taken a quarter of a second.
type Bar interface {
	// Step shows how many of all steps are done, and a value that the work watches. NaN stands for no value.
	Step(done, total int, value float64)
	// Say shows what the work does now. The text replaces the steps until the next call of Step.
	Say(text string)
	// Plan shows, below the steps, how much the work is expected to take.
	Plan(text string)
	// End shows that the work is over, whether complete or not.
	End()
}

// Open makes a bar with a label and the name of the value that the work watches. It is nil in programs that show no
// bars.
var Open func(label, value string) Bar

// ErrInterrupted is expfam.ErrInterrupted, for packages below it.
var ErrInterrupted = errors.New("interrupted")

type key struct{}

// counted is the number of calls of [Parts] that have not ended.
var counted atomic.Int32

// With returns a context with a new bar, which end ends. If the program shows no bars, or parts are counted ([Parts]),
// the context has no new bar.
func With(ctx context.Context, label, value string) (_ context.Context, end func()) {
	if Open == nil || counted.Load() > 0 {
		return ctx, func() {}
	}
	bar := Open(label, value)
	return context.WithValue(ctx, key{}, bar), bar.End
}

// Work returns the context of a long function that takes none: it is done at an interrupt, and has a new bar. end ends
// both.
func Work(label, value string) (_ context.Context, end func()) {
	ctx, stop := Interruptible()
	ctx, done := With(ctx, label, value)
	return ctx, func() {
		done()
		stop()
	}
}

// From returns the bar of a context, or nil if it has none.
func From(ctx context.Context) Bar {
	bar, _ := ctx.Value(key{}).(Bar)
	return bar
}

// Parts returns a context for the parts of work that counts its parts as steps, such as the simulations of a
// calibration. The context has no bar, and until end is called [With] opens none, because a long part is only a step
// of the whole work.
func Parts(ctx context.Context) (_ context.Context, end func()) {
	counted.Add(1)
	return context.WithValue(ctx, key{}, nil), func() { counted.Add(-1) }
}

// Say shows what the work does now in the bar of a context, if there is one.
func Say(ctx context.Context, text string) {
	if bar := From(ctx); bar != nil {
		bar.Say(text)
	}
}

// Plan shows how much the work is expected to take in the bar of a context. It reports whether there is a bar.
func Plan(ctx context.Context, text string) bool {
	bar := From(ctx)
	if bar != nil {
		bar.Plan(text)
	}
	return bar != nil
}

// Interruptible returns a context that is done when the process is interrupted, by Ctrl-C or by the notebook's stop
// button. Until stop is called, an interrupt does not end the process. This is the only place where the library listens
// to interrupts, for those long functions that take no context. A program that passes a context decides itself what
// ends its work.
func Interruptible() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}

type loggerKey struct{}

// WithLogger returns a context with the logger of the library.
func WithLogger(ctx context.Context, logger *slog.Logger) context.Context {
	return context.WithValue(ctx, loggerKey{}, logger)
}

// Logger returns the logger of a context, or slog.Default() if it has none.
func Logger(ctx context.Context) *slog.Logger {
	if logger, ok := ctx.Value(loggerKey{}).(*slog.Logger); ok && logger != nil {
		return logger
	}
	return slog.Default()
}

// IsTerminal reports whether out is a character device that a person may watch, and on which a line can be written
// over.
func IsTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// Blocks draws a share from 0 to 1 as a bar of 20 letters.
func Blocks(share float64) string {
	const cells = 20
	full := int(math.Round(cells * min(max(share, 0), 1)))
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}
