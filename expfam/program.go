package expfam

import (
	"context"
	"errors"
	"log/slog"

	"github.com/expfam/lab/expfam/internal/logging"
)

// Must returns v, or panics with err: for lessons, where a cell has no caller
// to return an error to.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// ErrInterrupted is the error of a run that was stopped. The draws that were finished are
// returned with it.
var ErrInterrupted = errors.New("interrupted")

// WithLogger returns a context with a logger. Every function of the library that takes this context logs to
// the logger. Functions without a context log to [slog.Default], and so does the choice of an engine, which a
// process makes once. The library logs only warnings (a store that fails, a run that may need more memory
// than there is) and plans (a run of several batches, a training of more than a minute). In a cell of a
// notebook a bar shows the plans.
func WithLogger(ctx context.Context, logger *slog.Logger) context.Context {
	return logging.With(ctx, logger)
}
