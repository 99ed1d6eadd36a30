package speak

import (
	"context"
	"log/slog"
)

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
