package latent

import "github.com/expfam/lab/expfam/sparse"

// Effect is an independent part of a field. Its precision is a sum of matrices that are known, with coefficients that
// depend on unknown numbers: Q(v) = Σ_k c_k(v) T_k.
type Effect struct {
	Nodes  int
	Terms  []Term
	Wide   []Column
	Ground []int
	Spare  []int
	Rows   [][]Entry // what the effect adds to each cell
	// At returns the coefficients of the terms, then those of the columns of Wide, and the log determinant of the
	// precision up to a constant. The values are those of the complete field.
	At func(values []float64) (coefficients []float64, logDet float64, err error)
}

// Term is a symmetric matrix. It has its entries once, at either side of the diagonal.
type Term []Value

// Value is an entry of a matrix.
type Value struct {
	Row, Col int
	Value    float64
}

// Shared are columns that look at several effects, with known weights. Nodes count through the effects.
type Shared struct {
	Columns []Column
	Weights []float64
}

// Sum returns the field of the cells with the given mean and the sum of independent effects.
func Sum(mean []float64, shared Shared, effects ...Effect) *Field {
	f := &Field{Offset: mean, Rows: make([][]Entry, len(mean))}
	var pairs [][2]int
	nodes := 0
	for _, e := range effects {
		for _, t := range e.Terms {
			for _, v := range t {
				pairs = append(pairs, [2]int{nodes + v.Row, nodes + v.Col})
			}
		}
		for i, row := range e.Rows {
			for _, v := range row {
				f.Rows[i] = append(f.Rows[i], Entry{nodes + v.Node, v.Weight})
			}
		}
		for _, column := range e.Wide {
			var moved Column
			for _, v := range column {
				moved = append(moved, Entry{nodes + v.Node, v.Weight})
			}
			f.Wide = append(f.Wide, moved)
		}
		for _, node := range e.Ground {
			f.Ground = append(f.Ground, nodes+node)
		}
		for _, node := range e.Spare {
			f.Spare = append(f.Spare, nodes+node)
		}
		nodes += e.Nodes
	}
	f.Pattern = sparse.New(nodes, pairs)
	f.Wide = append(f.Wide, shared.Columns...)
	places, first := make([][]int32, 0, len(effects)), 0 // of the values of all terms
	for _, e := range effects {
		for _, t := range e.Terms {
			var at []int32
			for _, v := range t {
				at = append(at, int32(f.Pattern.Index(first+v.Row, first+v.Col)))
			}
			places = append(places, at)
		}
		first += e.Nodes
	}
	f.Fill = func(values, q, c []float64) (sum float64, err error) {
		term, column := 0, 0
		for _, e := range effects {
			coefficients, logDet, err := e.At(values)
			if err != nil {
				return 0, err
			}
			for k, t := range e.Terms {
				for i, at := range places[term] {
					q[at] += coefficients[k] * t[i].Value
				}
				term++
			}
			column += copy(c[column:], coefficients[len(e.Terms):])
			sum += logDet
		}
		copy(c[column:], shared.Weights)
		return sum, nil
	}
	return f
}
