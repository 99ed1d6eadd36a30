// Package limited has a context for tests of interrupts.
package limited

import "context"

// Context is a context that is cancelled after N calls of its Err.
type Context struct {
	context.Context
	N int
}

// Err returns nil in its first N calls, and context.Canceled in all later calls.
func (c *Context) Err() error {
	if c.N--; c.N < 0 {
		return context.Canceled
	}
	return nil
}
