// Package limited has a context for tests of interrupts.
package limited

import "context"

// Context is a context that is cancelled once its Err has been asked for N times.
type Context struct {
	context.Context
	N int
}

// Err counts down.
func (c *Context) Err() error {
	if c.N--; c.N < 0 {
		return context.Canceled
	}
	return nil
}
