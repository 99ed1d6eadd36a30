// Package parallel distributes loops over processors.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
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

// Each calls do(worker, i) for i from 0 to n−1. Each worker takes the next i when it is done with one. Each returns the
// error of the least i that has one.
func Each(workers, n int, do func(worker, i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var all sync.WaitGroup
	for w := range min(workers, n) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = do(w, i)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
