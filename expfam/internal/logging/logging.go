// Package logging passes the logger of the library through contexts.
package logging

import (
	"context"
	"log/slog"
)

type key struct{}

// With returns a context with a logger.
func With(ctx context.Context, logger *slog.Logger) context.Context {
	return context.WithValue(ctx, key{}, logger)
}

// From returns the logger of a context, or slog.Default() if it has none.
func From(ctx context.Context) *slog.Logger {
	if logger, ok := ctx.Value(key{}).(*slog.Logger); ok && logger != nil {
		return logger
	}
	return slog.Default()
}
