// Package logging hands a logger down to what the library logs.
package logging

import (
	"context"
	"log/slog"
)

type key struct{}

// With is a context with a logger.
func With(ctx context.Context, logger *slog.Logger) context.Context {
	return context.WithValue(ctx, key{}, logger)
}

// From is the logger of a context, slog.Default() if it has none.
func From(ctx context.Context) *slog.Logger {
	if logger, ok := ctx.Value(key{}).(*slog.Logger); ok && logger != nil {
		return logger
	}
	return slog.Default()
}
