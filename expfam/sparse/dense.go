package sparse

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// mostDense is the largest number of dense rows: the bits of a number.
const mostDense = 64

// denseRows returns the rows with more than 10 √n neighbours, those with the fewest first.
func denseRows(adjacency [][]int32) (dense []int) {
	most := max(16, int(10*math.Sqrt(float64(len(adjacency)))))
	for v, of := range adjacency {
		if len(of) > most {
			dense = append(dense, v)
		}
	}
	slices.SortStableFunc(dense, func(u, v int) int { return cmp.Compare(len(adjacency[u]), len(adjacency[v])) })
	return dense[max(0, len(dense)-mostDense):]
}

// touch adds the dense neighbours of a variable to its degree, and puts it into its list.
func (q *quotient) touch(v int32) {
	all := q.dense[v]
	for _, e := range q.elements[v] {
		all |= q.dense[e]
	}
	q.touched[v] = all
	q.degree[v] += bits.OnesCount64(all)
	q.insert(v)
}
