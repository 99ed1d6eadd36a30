package diffusion

import (
	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// mixed looks at six cells by its rows.
type mixed struct{ h, back *sparse.Matrix }

func mixedOf(rows [][]float64) mixed {
	h := sparse.New(len(rows), len(rows[0]), func(k int, visit func(int, float64)) {
		for j, w := range rows[k] {
			visit(j, w)
		}
	})
	return mixed{h, h.Transpose()}
}

func (m mixed) String() string            { return "mixed" }
func (m mixed) Dims() (data, cells int)   { return m.h.Rows, m.h.Cols }
func (m mixed) Apply(x *g.Node) *g.Node   { return m.h.Apply(x) }
func (m mixed) Adjoint(y *g.Node) *g.Node { return m.back.Apply(y) }
func (m mixed) Offset() []float64         { return []float64{0.1, 0.2, 0.3} }
