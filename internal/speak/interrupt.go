package speak

import (
	"context"
	"os"
	"os/signal"
)

// Interruptible returns a context that is done when the process is interrupted, by Ctrl-C or by the notebook's stop
// button. Until stop is called, an interrupt does not end the process. This is the only place where the library listens
// to interrupts, for those long functions that take no context. A program that passes a context decides itself what
// ends its work.
func Interruptible() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}
