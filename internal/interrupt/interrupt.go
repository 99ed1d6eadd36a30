// Package interrupt is the one place where the library listens to Ctrl-C and the
// notebook's stop button. Only forms of long work that take no context do so; a program
// with a context of its own decides itself what ends its work.
package interrupt

import (
	"context"
	"os"
	"os/signal"
)

// Context is done when the process is interrupted. Until stop is called an interrupt does
// not end the process.
func Context() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}
