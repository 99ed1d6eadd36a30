package graph_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/internal/must"
)

// scotland is testdata/scotland.json: lip cancer of 56 districts, whose source the file names.
type scotland struct {
	Y, E, X []float64
	Edges   map[string][][2]int
}

func readScotland(t testing.TB) (s scotland) {
	t.Helper()
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/scotland.json"))(t), &s))
	return s
}

func (s scotland) graph(t testing.TB, name string) *graph.Neighbours {
	t.Helper()
	return must.Get(graph.Edges(len(s.Y), s.Edges[name]))(t)
}

// line is a path of n areas, and ring a cycle.
func line(t testing.TB, n int) *graph.Neighbours { return must.Get(graph.Edges(n, path(n)))(t) }

func ring(t testing.TB, n int) *graph.Neighbours {
	return must.Get(graph.Edges(n, append(path(n), [2]int{n - 1, 0})))(t)
}

func path(n int) (pairs [][2]int) {
	for i := 1; i < n; i++ {
		pairs = append(pairs, [2]int{i - 1, i})
	}
	return pairs
}

// rook is a lattice of rows × cols areas.
func rook(t testing.TB, rows, cols int) *graph.Neighbours {
	var pairs [][2]int
	for r := range rows {
		for c := range cols {
			if c > 0 {
				pairs = append(pairs, [2]int{r*cols + c - 1, r*cols + c})
			}
			if r > 0 {
				pairs = append(pairs, [2]int{(r-1)*cols + c, r*cols + c})
			}
		}
	}
	return must.Get(graph.Edges(rows*cols, pairs))(t)
}

// near compares two matrices entry by entry. The tolerance is far above the rounding of inverses of some dozen rows.
func near(t *testing.T, what string, got, want mat.Matrix) {
	t.Helper()
	var off mat.Dense
	off.Sub(got, want)
	must.Absolute(t, what, mat.Norm(&off, 2)/mat.Norm(want, 2), 0, 1e-9)
}

// laplacian returns D − dependence·W.
func laplacian(n *graph.Neighbours, dependence float64) *mat.SymDense {
	q := mat.NewSymDense(n.Len(), nil)
	for i, of := range n.Of {
		q.SetSym(i, i, float64(len(of)))
		for _, j := range of {
			q.SetSym(i, j, -dependence)
		}
	}
	return q
}

// geometric returns the geometric mean of the diagonal.
func geometric(m mat.Matrix, areas []int) float64 {
	var sum float64
	for _, i := range areas {
		sum += math.Log(m.At(i, i))
	}
	return math.Exp(sum / float64(len(areas)))
}
