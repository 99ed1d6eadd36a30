//go:build !unix

package must

import "errors"

// Fifo returns an error, as there are no named pipes in folders.
func Fifo(string) error { return errors.ErrUnsupported }

// FileLimit does nothing.
func FileLimit(uint64) bool { return false }
