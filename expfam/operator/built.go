package operator

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/nodata"
	"github.com/expfam/lab/expfam/internal/sparse"
)

// built is the matrix of an operator, which is made at its first use.
type built struct {
	once    sync.Once
	h, back *sparse.Matrix // H and Hᵀ
	err     error
}

// check makes the matrix and verifies its weights.
func (b *built) check(op fmt.Stringer, build func() (*sparse.Matrix, error)) error {
	b.once.Do(func() {
		if b.h, b.err = build(); b.err != nil {
			return
		}
		if b.err = verify(op, b.h); b.err == nil {
			b.back = b.h.Transpose()
		}
	})
	return b.err
}

// must returns b. It panics if err, the result of check, is not nil.
func (b *built) must(err error) *built {
	if err != nil {
		panic(err)
	}
	return b
}

func (b *built) dims() (data, cells int) { return b.h.Rows, b.h.Cols }

func (b *built) apply(x *g.Node) *g.Node { return sparse.Linear(x, b.h.Apply, b.back.Apply) }

func (b *built) adjoint(y *g.Node) *g.Node { return sparse.Linear(y, b.back.Apply, b.h.Apply) }

// verify refuses rows without weights, and weights that are not finite. Dense and Sparse may have rows of zeros, such
// as a cell whose covariates are all 0, because another part of [Blocks] may have weights there.
func verify(op fmt.Stringer, h *sparse.Matrix) error {
	if h.Rows < 1 {
		return fmt.Errorf("operator: %v has no data; it needs at least one row", op)
	}
	zeros := false
	switch op.(type) {
	case *Dense, *Sparse:
		zeros = true
	}
	for k := range h.Rows {
		if h.Start[k] == h.Start[k+1] && !zeros {
			return fmt.Errorf("operator: datum %d of %v looks at no cell; leave it out", k, op)
		}
		for i := h.Start[k]; i < h.Start[k+1]; i++ {
			if w := h.Weight[i]; math.IsNaN(w) || math.IsInf(w, 0) {
				return fmt.Errorf("operator: datum %d of %v has the weight %g at cell %d; weights must be finite", k,
					op, w, h.Cell[i])
			}
		}
	}
	return nil
}

// merged returns the matrix of rows in which a cell may occur several times. The weights of one cell add up.
func merged(rows, cols int, row func(k int, visit func(cell int, weight float64))) *sparse.Matrix {
	sums, seen := make([]float64, cols), make([]bool, cols)
	var cells []int
	return sparse.New(rows, cols, func(k int, visit func(int, float64)) {
		cells = cells[:0]
		row(k, func(j int, w float64) {
			if !seen[j] {
				seen[j] = true
				cells = append(cells, j)
			}
			sums[j] += w
		})
		for _, j := range cells {
			visit(j, sums[j])
			sums[j], seen[j] = 0, false
		}
	})
}

// fingerprint returns a hash of all weights and of the offset, for keys of stored results.
func fingerprint(op expfam.RowOperator) string {
	hash := sha256.New()
	put := func(v any) { binary.Write(hash, binary.LittleEndian, v) }
	data, cells := op.Dims()
	put([]int64{int64(data), int64(cells)})
	for k := range data {
		op.Row(k, func(cell int, weight float64) {
			put([]int64{int64(k), int64(cell)})
			put(weight)
		})
	}
	put(offsetOf(op))
	return hex.EncodeToString(hash.Sum(nil))
}

// offsetOf returns the offset of an operator, or nil if it has none.
func offsetOf(op expfam.Operator) []float64 {
	if o, ok := op.(expfam.OffsetOperator); ok {
		return o.Offset()
	}
	return nil
}

// listed joins some texts. Of more than eleven it joins the first ten and the number of the others.
func listed(texts []string) string {
	const most = 10
	if more := len(texts) - most; more > 1 {
		texts = append(slices.Clone(texts[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, ", ")
}

// refuseMissingCode refuses a number that files use for missing values, and that lies far from all others. place names
// the place of values[k].
func refuseMissingCode(values []float64, place func(k int) string) error {
	mark, found := nodata.Among(values)
	if !found {
		return nil
	}
	return fmt.Errorf("operator: %s is %g, far from all others: files use it for missing values; leave its "+
		"datum or cell out, or give it a value; if it was measured, rescale all of these numbers",
		place(slices.Index(values, mark)), mark)
}

// weightOf names the weight of a cell.
func weightOf(cell int) string { return fmt.Sprintf("the weight of cell %d", cell) }

// used returns the weights of the cells that are in areas, and NaN for all others.
func used(weights []float64, areas [][]weight) []float64 {
	own := slices.Repeat([]float64{math.NaN()}, len(weights))
	for _, cells := range areas {
		for _, w := range cells {
			own[w.cell] = weights[w.cell]
		}
	}
	return own
}
