package command

import (
	"sync"
	"time"
)

// repeat calls show again and again until stop is called, which waits for a call that is under way.
func repeat(period time.Duration, show func()) (stop func()) {
	end := make(chan struct{})
	var gone sync.WaitGroup
	gone.Go(func() {
		tick := time.NewTicker(period)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				show()
			}
		}
	})
	return func() {
		close(end)
		gone.Wait()
	}
}
