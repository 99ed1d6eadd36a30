package latent

import (
	"fmt"
	"slices"

	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/expfam/sparse"
)

// Sparse is a latent Gaussian model with a sparse precision: a [Field], and data that look at its cells. The pattern of
// the posterior's precision
//
//	P = Q + V C Vᵀ + AᵀWA,  A = H B,
//
// is analysed once, for data whose rows H have the same cells whatever the numbers.
type Sparse struct {
	field    *Field
	pattern  *sparse.Symmetric
	symbolic *sparse.Symbolic
	from     []int  // places of the entries of Q in the pattern of P
	ground   []int  // places of the grounded nodes
	looks    []look // of the data
	cellwise bool   // every datum looks at a single cell
	seen     []bool // which cells data look at
	// Done is the decrement at which the search for a mode ends: the square of a ten-thousandth of a standard deviation
	// by default. Evidences have the error of its square.
	Done    float64
	columns []Column
}

// look is what a datum looks at: its nodes, and the places of their pairs (a, b), b ≤ a, in the pattern.
type look struct {
	nodes  []int32
	places []int32
	single bool // the row is a single node of weight 1
}

// NewSparse returns the model. Data at the start tell which cells they look at.
func NewSparse(f *Field, data Data, start []float64) (*Sparse, error) {
	s := &Sparse{field: f, columns: slices.Clone(f.Wide), cellwise: true, seen: make([]bool, len(f.Rows)), Done: 1e-8}
	if err := f.checkWide(); err != nil {
		return nil, err
	}
	n := f.Nodes()
	var pairs [][2]int
	for j := range n {
		for _, i := range f.Pattern.Row[f.Pattern.Start[j]:f.Pattern.Start[j+1]] {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	rows, w := data.Precision(start)
	mark := make([]int, n)
	entries := 0
	for k := range w {
		l, cells := look{single: true}, 0
		rows(k, func(cell int, weight float64) {
			cells++
			s.seen[cell] = true
			for _, e := range f.Rows[cell] {
				if mark[e.Node] != k+1 {
					mark[e.Node] = k + 1
					l.nodes = append(l.nodes, int32(e.Node))
				}
				l.single = l.single && e.Weight == 1 && weight == 1
			}
		})
		l.single, s.cellwise = l.single && len(l.nodes) == 1, s.cellwise && cells <= 1
		slices.Sort(l.nodes)
		if entries += len(l.nodes) * (len(l.nodes) + 1) / 2; entries > mostEntries {
			return nil, fmt.Errorf("data look at so many cells each that a precision of %d nodes has more than %d "+
				"entries; take a coarser grid, or data that look at fewer cells", n, mostEntries)
		}
		for a, i := range l.nodes {
			for _, j := range l.nodes[:a] {
				pairs = append(pairs, [2]int{int(i), int(j)})
			}
		}
		s.looks = append(s.looks, l)
	}
	s.pattern = sparse.New(n, pairs)
	for k := range s.looks {
		l := &s.looks[k]
		for a, i := range l.nodes {
			for _, j := range l.nodes[:a+1] {
				l.places = append(l.places, int32(s.pattern.Index(int(i), int(j))))
			}
		}
	}
	for j := range n {
		for _, i := range f.Pattern.Row[f.Pattern.Start[j]:f.Pattern.Start[j+1]] {
			s.from = append(s.from, s.pattern.Index(i, j))
		}
	}
	ground := slices.Clone(f.Ground)
	if !seen(w, s.looks, f) {
		ground = append(ground, f.Spare...)
	}
	for _, node := range ground {
		s.ground = append(s.ground, s.pattern.Start[node])
		s.columns = append(s.columns, Column{{node, 1}})
	}
	s.symbolic = sparse.Analyse(s.pattern, sparse.MinimumDegree(s.pattern))
	return s, machine.Fits(fmt.Sprintf("a factor of %d nodes", n), 2*s.Bytes(), "take fewer cells")
}

// seen reports whether every cell is looked at by a datum that has an information.
func seen(w []float64, looks []look, f *Field) bool {
	nodes := make([]bool, f.Nodes())
	for k, l := range looks {
		for _, i := range l.nodes {
			nodes[i] = nodes[i] || w[k] > 0
		}
	}
	for _, row := range f.Rows {
		for _, e := range row {
			if !nodes[e.Node] {
				return false
			}
		}
	}
	return true
}

// mostEntries is the largest number of entries of AᵀWA.
const mostEntries = 1 << 28

// Nodes returns the number of nodes.
func (s *Sparse) Nodes() int { return s.field.Nodes() }

// Seen reports which cells data look at.
func (s *Sparse) Seen() []bool { return s.seen }

// Named are the named nodes of the field.
func (s *Sparse) Named() map[string]int { return s.field.Named }

// Operations returns the number of multiplications of one factorisation, and of one gradient in whitened coordinates.
func (s *Sparse) Operations() (factor, gradient float64) {
	k, n := float64(len(s.columns)), float64(s.Nodes())
	return s.symbolic.Operations() + k*(2*float64(s.symbolic.Entries())+n*k), 2*float64(s.symbolic.Entries()) + 2*n*k
}

// Seconds predicts the time of one approximation on a processor.
func (s *Sparse) Seconds() float64 {
	factor, _ := s.Operations()
	return factor/1.5e9 + 6e-7*float64(s.Nodes()+len(s.looks))
}

// Bytes returns the memory of one approximation.
func (s *Sparse) Bytes() float64 {
	return s.symbolic.Bytes() + 8*float64(s.Nodes())*float64(4+2*len(s.columns))
}

// Held returns the memory of an approximation with coordinates.
func (s *Sparse) Held() float64 {
	return 8 * (float64(s.symbolic.Entries()+len(s.field.Pattern.Row)+5*len(s.looks)+2*len(s.field.Rows)) +
		float64(s.Nodes())*float64(3+len(s.columns)))
}

// weights returns the weights of the columns, and adds the grounds to the values of the pattern.
func (s *Sparse) weights(c, value []float64) []float64 {
	weights := slices.Clone(c)
	for _, at := range s.ground {
		hold := value[at]
		if hold == 0 {
			hold = 1
		}
		weights = append(weights, -hold)
		value[at] += hold
	}
	return weights
}

// information adds AᵀWA to the values of the pattern.
func (s *Sparse) information(value []float64, rows func(k int, visit func(cell int, weight float64)), w []float64) {
	row := make([]float64, s.Nodes())
	for k, l := range s.looks {
		v := w[k]
		if v == 0 {
			continue
		}
		if l.single {
			value[l.places[0]] += v
			continue
		}
		rows(k, func(cell int, weight float64) {
			for _, e := range s.field.Rows[cell] {
				row[e.Node] += weight * e.Weight
			}
		})
		at := 0
		for a, i := range l.nodes {
			by := v * row[i]
			for _, j := range l.nodes[:a+1] {
				value[l.places[at]] += by * row[j]
				at++
			}
		}
		for _, i := range l.nodes {
			row[i] = 0
		}
	}
}
