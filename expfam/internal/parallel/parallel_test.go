package parallel

import (
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
