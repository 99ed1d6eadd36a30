// Package parallel distributes loops over processors.
package parallel

import (
	"runtime"
	"sync"
)

// Heavy is the number of numbers to handle from which work is worth its own goroutine.
const Heavy = 1 << 16

// For calls f(0) … f(n−1), each of which handles size numbers. It uses one goroutine for each
// [Heavy] part of the work, but at most one per processor.
func For(n, size int, f func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n*size/Heavy+1, max(n, 1))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				f(i)
			}
		})
	}
	wg.Wait()
}
