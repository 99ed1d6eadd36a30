package expfam

import (
	"context"
	"log/slog"

	"github.com/expfam/lab/expfam/internal/logging"
)

// WithLogger is a context that brings a logger along: whatever takes the context, in any
// package of the library, writes its log there, and its store too. Without one the log
// goes to [slog.Default], as does that of forms without a context and of the choice of an
// engine, which a process makes once. Nothing is logged but warnings (a store that fails,
// a run that may need more memory than there is) and plans: of a run of several batches,
// of a training of more than a minute. In a cell of a notebook a bar shows the plans.
func WithLogger(ctx context.Context, logger *slog.Logger) context.Context {
	return logging.With(ctx, logger)
}
