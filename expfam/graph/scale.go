package graph

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/sparse"
)

// scales has what sparse priors of one graph share.
type scales struct {
	scale []float64 // of each component: its areas have the precision scale·R; 0 for an island
	of    []int     // component of each area
	trace float64   // of S, without islands
	rank  int       // of S, without islands
	parts int       // components, without islands
	// logDet is the log determinant of S on its range, without islands.
	logDet float64
	mixing table
	err    error
}

// sparseStructure returns the scales of the graph, which it computes once.
func (n *Neighbours) sparseStructure() (*scales, error) {
	n.scaled.Do(func() {
		if n.scales.err = n.Check(); n.scales.err == nil {
			n.scales.err = n.scales.make(n)
		}
	})
	return &n.scales, n.scales.err
}

func (s *scales) make(n *Neighbours) error {
	s.of = make([]int, n.Len())
	for c, part := range n.Components() {
		place := map[int]int{}
		for k, i := range part {
			s.of[i], place[i] = c, k
		}
		if s.scale = append(s.scale, 0); len(part) == 1 {
			continue
		}
		var pairs [][2]int
		for k, i := range part {
			for _, j := range n.Of[i] {
				if place[j] < k {
					pairs = append(pairs, [2]int{k, place[j]})
				}
			}
		}
		a := sparse.New(len(part), pairs)
		for k, i := range part {
			a.Value[a.Start[k]] = float64(len(n.Of[i]))
			for e := a.Start[k] + 1; e < a.Start[k+1]; e++ {
				a.Value[e] = -1
			}
		}
		null := make([]float64, len(part))
		for k := range null {
			null[k] = 1 / math.Sqrt(float64(len(part)))
		}
		variances, logDet, err := intrinsicVariances(a, []int{0}, [][]float64{null})
		if err != nil {
			return fmt.Errorf("graph: the component of area %s: %w", n.Name(part[0]), err)
		}
		s.scale[c] = geometricMean(variances)
		s.trace += floats.Sum(variances) / s.scale[c]
		s.rank += len(part) - 1
		s.logDet -= logDet + float64(len(part)-1)*math.Log(s.scale[c])
		s.parts++
	}
	return nil
}

// intrinsicVariances returns the diagonal of the generalised inverse of a, and the log determinant of a on its range.
// The orthonormal vectors null are those that a maps to 0, and a has an inverse where the rows of ground are held: with
// a diagonal matrix G of these rows, and the projection Π off the null vectors, a⁻ = Π (a + G)⁻¹ Π.
func intrinsicVariances(a *sparse.Symmetric, ground []int, null [][]float64) (diagonal []float64, logDet float64,
	err error) {
	held := append([]float64(nil), a.Value...)
	for _, i := range ground {
		held[a.Start[i]] *= 2
	}
	f := sparse.Analyse(a, sparse.MinimumDegree(a)).Factor()
	if err := f.Refactor(held); err != nil {
		return nil, 0, err
	}
	inverse := make([]float64, len(held))
	f.Inverse(inverse)
	diagonal = make([]float64, a.N)
	for i := range diagonal {
		diagonal[i] = inverse[a.Start[i]]
	}
	solved, work := make([][]float64, len(null)), make([]float64, a.N)
	for k, v := range null {
		solved[k] = append([]float64(nil), v...)
		f.Solve(solved[k], work, 1)
	}
	for k, v := range null {
		for l, w := range null {
			inner := floats.Dot(v, solved[l])
			for i := range diagonal {
				diagonal[i] += inner * v[i] * w[i]
			}
		}
		for i := range diagonal {
			diagonal[i] -= 2 * v[i] * solved[k][i]
		}
	}
	// |a + G| = |G on ground| · |null on ground|² · |a on its range|; with one null vector this is the matrix-tree
	// theorem.
	if logDet = f.LogDet(); len(null) == 1 {
		logDet -= math.Log(a.Value[a.Start[ground[0]]]) + 2*math.Log(math.Abs(null[0][ground[0]]))
	}
	return diagonal, logDet, nil
}

func geometricMean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(v)))
}

// laplacian lists the entries of the scaled Laplacian of the graph, without those of islands.
func (n *Neighbours) laplacian(s *scales, visit func(i, j int, v float64)) {
	for i, of := range n.Of {
		if len(of) > 0 {
			visit(i, i, s.scale[s.of[i]]*float64(len(of)))
		}
		for _, j := range of {
			if j < i {
				visit(i, j, -s.scale[s.of[i]])
			}
		}
	}
}
