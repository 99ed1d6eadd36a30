package sparse

import (
	"math/bits"
	"slices"
)

// MinimumDegree returns an order that keeps the factor of a matrix sparse: approximate minimum degree (Amestoy, Davis &
// Duff 1996, SIAM J. Matrix Anal. Appl. 17). It eliminates the row whose elimination makes the fewest entries, by a
// bound, and goes on. Rows that have become equal are eliminated together. Dense rows come last, as in that paper's
// program: a row such as that of a week with all of its areas would be looked at again for each of them. They count in
// the degrees of others all the same, because an order that is blind for them makes up to twice as many entries.
func MinimumDegree(a *Symmetric) []int {
	adjacency := a.adjacency()
	dense := denseRows(adjacency)
	q := newQuotient(adjacency, dense)
	order := make([]int, 0, a.N)
	for q.left > 0 {
		p := q.least()
		q.eliminate(p)
		for v := int32(p); v >= 0; v = q.next[v] {
			order = append(order, int(v))
		}
	}
	return append(order, dense...)
}

// quotient is the graph that is left after some eliminations: variables, which are left, and elements, each of which
// stands for the clique that an elimination made. Of a variable v there are the neighbours that are variables and those
// that are elements; of an element there are its variables.
type quotient struct {
	variables, elements [][]int32 // of a variable; variables of an element
	size                []int     // number of rows of a variable, 0 if it is part of another
	weight              []int     // number of rows of an element, −1 if it is part of another, or no element
	degree              []int
	next, last          []int32 // rows that are eliminated together are a chain from the first to the last
	heads               []int32 // variables of each degree, as doubly linked lists
	after, before       []int32
	lowest              int // no variable has a lower degree
	left                int // rows that are left, without dense ones
	// Dense rows, a bit each: neighbours of a variable beside those of its elements, or of an element; and all
	// neighbours of a variable.
	dense, touched []uint64

	mark  []int // stamps of the variables of the new element
	outer []int // stamp + |element without the new one|
	stamp int
}

// newQuotient takes the dense rows out of a graph.
func newQuotient(adjacency [][]int32, dense []int) *quotient {
	n := len(adjacency)
	q := &quotient{variables: adjacency, elements: make([][]int32, n), size: make([]int, n), weight: make([]int, n),
		degree: make([]int, n), next: make([]int32, n), last: make([]int32, n), heads: make([]int32, n+1),
		after: make([]int32, n), before: make([]int32, n), left: n - len(dense),
		mark: make([]int, n), outer: make([]int, n), dense: make([]uint64, n), touched: make([]uint64, n)}
	for d := range q.heads {
		q.heads[d] = -1
	}
	for v := range n {
		q.size[v], q.weight[v], q.next[v], q.last[v] = 1, -1, -1, int32(v)
	}
	for k, v := range dense {
		for _, u := range adjacency[v] {
			q.dense[u] |= 1 << k
		}
		q.size[v], q.variables[v] = 0, nil
	}
	for v, of := range q.variables {
		if q.size[v] > 0 {
			q.variables[v] = slices.DeleteFunc(of, func(u int32) bool { return q.size[u] == 0 })
			q.degree[v] = len(q.variables[v])
			q.touch(int32(v))
		}
	}
	return q
}

// insert puts a variable into the list of its degree.
func (q *quotient) insert(v int32) {
	d := q.degree[v]
	q.after[v], q.before[v] = q.heads[d], -1
	if q.heads[d] >= 0 {
		q.before[q.heads[d]] = v
	}
	q.heads[d] = v
	q.lowest = min(q.lowest, d)
}

// remove takes a variable out of the list of its degree.
func (q *quotient) remove(v int32) {
	if q.before[v] >= 0 {
		q.after[q.before[v]] = q.after[v]
	} else {
		q.heads[q.degree[v]] = q.after[v]
	}
	if q.after[v] >= 0 {
		q.before[q.after[v]] = q.before[v]
	}
}

// least takes a variable of the least degree out of its list.
func (q *quotient) least() int {
	for q.heads[q.lowest] < 0 {
		q.lowest++
	}
	p := q.heads[q.lowest]
	q.remove(p)
	return int(p)
}

// eliminate makes the variable p an element, and finds the new degrees of its variables.
func (q *quotient) eliminate(p int) {
	q.stamp++
	stamp := q.stamp
	var clique []int32
	weight := 0
	take := func(v int32) {
		if int(v) != p && q.size[v] > 0 && q.mark[v] != stamp {
			q.mark[v] = stamp
			q.remove(v)
			q.degree[v] -= bits.OnesCount64(q.touched[v])
			clique, weight = append(clique, v), weight+q.size[v]
		}
	}
	for _, v := range q.variables[p] {
		take(v)
	}
	for _, e := range q.elements[p] {
		if q.weight[e] < 0 {
			continue
		}
		for _, v := range q.variables[e] {
			take(v)
		}
		q.weight[e], q.variables[e] = -1, nil
		q.dense[p] |= q.dense[e]
	}
	q.left -= q.size[p]
	q.variables[p], q.elements[p], q.weight[p] = clique, nil, weight
	q.outside(clique)
	for _, v := range clique {
		q.update(v, p, weight)
	}
	q.merge(clique)
	kept := clique[:0]
	for _, v := range clique {
		if q.size[v] > 0 {
			q.degree[v] = min(q.degree[v], q.left-q.size[v])
			q.touch(v)
			kept = append(kept, v)
		}
	}
	q.variables[p] = kept
}

// outside sets outer of every element that touches the clique to the number of its rows outside of the clique, plus
// base. Elements with an outer below base are not touched.
func (q *quotient) outside(clique []int32) {
	base := q.base()
	for _, v := range clique {
		for _, e := range q.elements[v] {
			if q.weight[e] < 0 {
				continue
			}
			if q.outer[e] < base {
				q.outer[e] = base + q.weight[e]
			}
			q.outer[e] -= q.size[v]
		}
	}
}

// base is larger than all that earlier eliminations put into outer.
func (q *quotient) base() int { return q.stamp * (len(q.size) + 1) }

// update finds the approximate degree of a variable of the new element p, and leaves out of its lists what p covers.
func (q *quotient) update(v int32, p, weight int) {
	base, degree := q.base(), weight-q.size[v]
	elements := q.elements[v][:0]
	for _, e := range q.elements[v] {
		if q.weight[e] < 0 {
			continue
		}
		if q.outer[e] == base { // all of its rows are in the new element
			q.weight[e], q.variables[e] = -1, nil
			continue
		}
		elements, degree = append(elements, e), degree+q.outer[e]-base
	}
	q.elements[v] = append(elements, int32(p))
	variables := q.variables[v][:0]
	for _, u := range q.variables[v] {
		if q.size[u] > 0 && int(u) != p && q.mark[u] != q.stamp {
			variables, degree = append(variables, u), degree+q.size[u]
		}
	}
	q.variables[v] = variables
	q.dense[v] &^= q.dense[p]
	q.degree[v] = min(degree, q.degree[v]+weight-q.size[v])
}

// merge joins the variables of a clique that have the same neighbours.
func (q *quotient) merge(clique []int32) {
	type key struct {
		sum   int
		e, v  int
		dense uint64
	}
	found := make(map[key][]int32, len(clique))
	for _, v := range clique {
		k := key{e: len(q.elements[v]), v: len(q.variables[v]), dense: q.dense[v]}
		for _, e := range q.elements[v] {
			k.sum += int(e)
		}
		for _, u := range q.variables[v] {
			k.sum += int(u)
		}
		same := int32(-1)
		for _, u := range found[k] {
			if q.equal(u, v) {
				same = u
				break
			}
		}
		if same < 0 {
			found[k] = append(found[k], v)
			continue
		}
		q.degree[same] -= q.size[v]
		q.size[same], q.size[v] = q.size[same]+q.size[v], 0
		q.next[q.last[same]], q.last[same] = v, q.last[v]
		q.variables[v], q.elements[v] = nil, nil
	}
}

// equal reports whether two variables of the new element have the same neighbours. Their lists are sorted, because
// their order does not matter.
func (q *quotient) equal(u, v int32) bool {
	for _, list := range [][]int32{q.elements[u], q.elements[v], q.variables[u], q.variables[v]} {
		slices.Sort(list)
	}
	return slices.Equal(q.elements[u], q.elements[v]) && slices.Equal(q.variables[u], q.variables[v])
}
