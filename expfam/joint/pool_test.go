package joint

import (
	"testing"

	"github.com/expfam/lab/internal/must"
)

// The time of a pool never falls as there are more cells, but for the rounding of the number of its members.
func TestMoreCellsTakeNoLessTime(t *testing.T) {
	before := mostMembers
	for cells := 1; cells < 3000; cells++ {
		n, _ := (&model{cells: cells}).size(false)
		must.Be(t, n <= before && before-n < mostMembers/20 && n >= fewestMembers,
			"%d values at %d cells, and %d at one less", n, cells, before)
		before = n
	}
}
