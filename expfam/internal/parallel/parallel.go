// Package parallel shares loops out among processors.
package parallel

import (
	"runtime"
	"sync"
)

// Heavy is the size of work that is worth a goroutine of its own.
const Heavy = 1 << 16

// For calls f(0) … f(n−1), each of which handles size numbers, on all processors
// if that is worth it.
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
