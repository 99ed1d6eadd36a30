package parallel

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func TestForVisitsEachOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 1000} {
		for _, size := range []int{0, 1, Heavy} {
			t.Run(fmt.Sprint(n, " of ", size), func(t *testing.T) {
				visits := make([]atomic.Int32, n)
				For(n, size, func(i int) { visits[i].Add(1) })
				for i := range visits {
					must.Equal(t, visits[i].Load(), 1, i, "was visited", "times")
				}
			})
		}
	}
}

func TestEachVisitsEachOnce(t *testing.T) {
	for _, workers := range []int{1, 3, 9} {
		visits := make([]atomic.Int32, 7)
		err := Each(workers, len(visits), func(worker, i int) error {
			must.Be(t, worker >= 0 && worker < workers, "worker %d of %d", worker, workers)
			if visits[i].Add(1); i > 2 {
				return errors.New(fmt.Sprint(i))
			}
			return nil
		})
		must.Err(t, err, "3")
		for i := range visits {
			must.Equal(t, visits[i].Load(), 1, i, "was visited", "times")
		}
	}
}
