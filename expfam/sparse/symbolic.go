package sparse

import (
	"slices"
	"sync"
)

// Symbolic is what the pattern of a matrix and an order of its rows say about the factor. Many factors may share it.
type Symbolic struct {
	n     int
	order []int // place k of the factor is row order[k] of the matrix
	place []int // the inverse of order
	nodes []supernode
	where []int // place of every entry of the matrix in the numbers of L
	// Lengths of the numbers of L, and of the work space of a factorisation and of an inverse.
	length, stack, path int
	most                int // rows below the triangle of a supernode
	operations          float64
	spare               sync.Pool // of work space
}

// Analyse finds the pattern of the factor of a matrix in the given order of its rows.
func Analyse(a *Symmetric, order []int) *Symbolic {
	s := &Symbolic{n: a.N, order: slices.Clone(order), place: make([]int, a.N)}
	s.invert()
	parent := eliminationTree(rowsOf(a, s.place))
	post := postorder(parent)
	for k, j := range post {
		post[k] = order[j]
	}
	s.order = post
	s.invert()
	rows := rowsOf(a, s.place)
	parent = eliminationTree(rows)
	s.nodes = grouped(parent, counts(rows, parent))
	s.length = structure(s.nodes, rows, s.n)
	s.scatter(a)
	s.measure()
	return s
}

func (s *Symbolic) invert() {
	for k, i := range s.order {
		s.place[i] = k
	}
}

// scatter finds the place of every entry of the matrix.
func (s *Symbolic) scatter(a *Symmetric) {
	of := make([]int32, s.n)
	for k, node := range s.nodes {
		for j := range node.cols {
			of[node.first+j] = int32(k)
		}
	}
	s.where = make([]int, len(a.Row))
	for j := range a.N {
		for e := a.Start[j]; e < a.Start[j+1]; e++ {
			row, col := s.place[a.Row[e]], s.place[j]
			if row < col {
				row, col = col, row
			}
			node := &s.nodes[of[col]]
			at := row - node.first
			if at >= node.cols {
				k, _ := slices.BinarySearch(node.rows[node.cols:], int32(row))
				at = node.cols + k
			}
			s.where[e] = node.panel + at*node.cols + col - node.first
		}
	}
}

// measure counts operations and finds how long the stacks become.
func (s *Symbolic) measure() {
	held := make([]int, len(s.nodes)) // length of the updates of the children
	path := make([]int, len(s.nodes)) // length of the fronts of the ancestors
	now := 0
	for k := range s.nodes {
		node := &s.nodes[k]
		m, c := node.below(), node.cols
		s.most = max(s.most, m)
		s.operations += float64(c)*float64(c)*float64(c)/3 + float64(m)*float64(c)*float64(m+c)
		s.stack = max(s.stack, now+m*m)
		now += m*m - held[k]
		if node.parent >= 0 {
			held[node.parent] += m * m
		}
	}
	for k := len(s.nodes) - 1; k >= 0; k-- {
		node := &s.nodes[k]
		if node.parent >= 0 {
			path[k] = path[node.parent]
		}
		path[k] += len(node.rows) * len(node.rows)
		s.path = max(s.path, path[k])
	}
}

// Entries returns the number of entries of L, zeros of its supernodes included.
func (s *Symbolic) Entries() int { return s.length }

// Operations returns the number of multiplications of a factorisation.
func (s *Symbolic) Operations() float64 { return s.operations }

// Bytes returns the memory of a factor, with its work space.
func (s *Symbolic) Bytes() float64 { return 8 * float64(s.length+s.stack+s.n) }
