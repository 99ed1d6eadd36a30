package expfam

import (
	"context"
	"log/slog"

	"github.com/expfam/lab/expfam/internal/logging"
)

// WithLogger returns a context with a logger. Every function of the library that takes this context logs to
// the logger. Functions without a context log to [slog.Default], and so does the choice of an engine, which a
// process makes once. The library logs only warnings (a store that fails, a run that may need more memory
// than there is) and plans (a run of several batches, a training of more than a minute). In a cell of a
// notebook a bar shows the plans.
func WithLogger(ctx context.Context, logger *slog.Logger) context.Context {
	return logging.With(ctx, logger)
}
