// Package interrupt is the only place where the library listens to Ctrl-C and the notebook's stop button. Only those
// long functions that take no context listen. A program that passes a context decides itself what ends its work.
package interrupt

import (
	"context"
	"os"
	"os/signal"
)

// Context returns a context that is done when the process is interrupted. Until stop is called, an interrupt
// does not end the process.
func Context() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}
