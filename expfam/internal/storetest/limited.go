package storetest

import "context"

// Limited is a context that is cancelled after N calls of its Err, for tests of interrupts.
type Limited struct {
	context.Context
	N int
}

// Err returns nil in its first N calls, and context.Canceled in all later calls.
func (c *Limited) Err() error {
	if c.N--; c.N < 0 {
		return context.Canceled
	}
	return nil
}
