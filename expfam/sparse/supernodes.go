package sparse

import "slices"

// supernode is a group of columns first to first+cols−1 of L with the same rows below them. Its panel is a matrix of
// rows × cols in the numbers of L, from panel on, row after row; the first cols rows are a lower triangle.
type supernode struct {
	first, cols int
	rows        []int32 // ascending; the first are the columns themselves
	parent      int     // −1 for a root
	panel       int
	relative    []int32 // places of rows[cols:] among the rows of the parent
	zeros       int     // entries of the panel that are 0 whatever the numbers
}

// below returns the number of rows below the triangle.
func (s *supernode) below() int { return len(s.rows) - s.cols }

// grouped returns the supernodes of columns in postorder. A column joins the one before it if that one is its child and
// has the same rows. Then a supernode joins the last of its children where that makes few zeros, because dense panels
// of some columns are faster than single columns.
func grouped(parent, count []int) []supernode {
	var all []supernode
	size := func(s *supernode) int { return s.cols*count[s.first] - s.cols*(s.cols-1)/2 }
	for j := range parent {
		if k := len(all) - 1; k >= 0 && parent[j-1] == j && count[j-1] == count[j]+1 {
			all[k].cols++
			continue
		}
		all = append(all, supernode{first: j, cols: 1})
	}
	var merged []supernode
	for _, s := range all {
		for len(merged) > 0 {
			child := merged[len(merged)-1]
			last := child.first + child.cols - 1
			if parent[last] < s.first || parent[last] >= s.first+s.cols || last+1 != s.first {
				break
			}
			both := child.cols + s.cols
			rows := child.cols + count[s.first]
			full := both*rows - both*(both-1)/2
			zeros := full - size(&child) - size(&s) + child.zeros + s.zeros
			if !worth(both, float64(zeros)/float64(full)) {
				break
			}
			s.first, s.cols, s.zeros = child.first, both, zeros
			count[s.first] = rows
			merged = merged[:len(merged)-1]
		}
		merged = append(merged, s)
	}
	return merged
}

// worth reports whether a supernode of so many columns may have this share of zeros.
func worth(cols int, zeros float64) bool {
	switch {
	case cols <= 4:
		return true
	case cols <= 16:
		return zeros < 0.5
	case cols <= 48:
		return zeros < 0.15
	}
	return zeros < 0.05
}

// structure finds the rows, parents and places of supernodes, and returns the length of L.
func structure(all []supernode, rows [][]int32, n int) int {
	of := make([]int, n) // supernode of a column
	for k := range all {
		for j := range all[k].cols {
			of[all[k].first+j] = k
		}
	}
	below := make([][]int32, len(all)) // rows of the entries of A, by supernodes of their columns
	for i, row := range rows {
		for _, j := range row {
			below[of[j]] = append(below[of[j]], int32(i))
		}
	}
	children := make([][]int, len(all))
	mark := make([]int, n)
	length := 0
	for k := range all {
		s := &all[k]
		for j := range s.cols {
			s.rows = append(s.rows, int32(s.first+j))
			mark[s.first+j] = k + 1
		}
		take := func(list []int32) {
			for _, i := range list {
				if int(i) >= s.first && mark[i] != k+1 {
					mark[i] = k + 1
					s.rows = append(s.rows, i)
				}
			}
		}
		take(below[k])
		for _, c := range children[k] {
			take(all[c].rows[all[c].cols:])
		}
		slices.Sort(s.rows)
		s.parent = -1
		if s.below() > 0 {
			s.parent = of[s.rows[s.cols]]
			children[s.parent] = append(children[s.parent], k)
		}
		s.panel = length
		length += len(s.rows) * s.cols
	}
	for k := range all {
		s := &all[k]
		if s.parent < 0 {
			continue
		}
		up := all[s.parent].rows
		s.relative = make([]int32, s.below())
		at := 0
		for i, row := range s.rows[s.cols:] {
			for up[at] != row {
				at++
			}
			s.relative[i] = int32(at)
		}
	}
	return length
}
