package sparse

import "github.com/expfam/lab/expfam/internal/columns"

// Rows returns the number of rows of the matrix.
func (f *Factor) Rows() int { return f.n }

// Solve replaces k columns x by A⁻¹x. It uses work, which is as long as x. Here and below columns stand beside each
// other: x has n rows of k numbers.
func (f *Factor) Solve(x, work []float64, k int) {
	f.Forward(work, x, k)
	f.Backward(x, work, k)
}

// Forward writes L⁻¹P x to z. With it zᵀz = xᵀA⁻¹x.
func (f *Factor) Forward(z, x []float64, k int) {
	for at, i := range f.order {
		copy(z[at*k:(at+1)*k], x[i*k:(i+1)*k])
	}
	all := make([]float64, f.most*k)
	for at := range f.nodes {
		node := &f.nodes[at]
		l, own := f.panel(node), z[node.first*k:(node.first+node.cols)*k]
		columns.SolveLower(l, own, node.cols, k)
		work := all[:node.below()*k]
		if len(work) == 0 {
			continue
		}
		clear(work)
		columns.MulAdd(1, columns.Rows(work, k), l.From(node.cols, 0), columns.Rows(own, k), node.below(), node.cols, k)
		for i, row := range node.rows[node.cols:] {
			to := z[int(row)*k:][:k]
			for j, v := range work[i*k:][:k] {
				to[j] -= v
			}
		}
	}
}

// Backward writes PᵀL⁻ᵀz to x, and overwrites z. For z ~ N(0, I) x has the covariance A⁻¹.
func (f *Factor) Backward(x, z []float64, k int) {
	all := make([]float64, f.most*k)
	for at := len(f.nodes) - 1; at >= 0; at-- {
		node := &f.nodes[at]
		l, own := f.panel(node), z[node.first*k:(node.first+node.cols)*k]
		if work := all[:node.below()*k]; len(work) > 0 {
			for i, row := range node.rows[node.cols:] {
				copy(work[i*k:(i+1)*k], z[int(row)*k:][:k])
			}
			columns.MulAdd(-1, columns.Rows(own, k), l.From(node.cols, 0).T(), columns.Rows(work, k), node.cols,
				node.below(), k)
		}
		columns.SolveUpper(l.T(), own, node.cols, k)
	}
	for at, i := range f.order {
		copy(x[i*k:(i+1)*k], z[at*k:(at+1)*k])
	}
}

// panel returns the numbers of a supernode.
func (f *Factor) panel(node *supernode) columns.Matrix {
	return columns.Rows(f.l[node.panel:node.panel+len(node.rows)*node.cols], node.cols)
}
