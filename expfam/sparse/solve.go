package sparse

import "gonum.org/v1/gonum/floats"

// long is the number of columns from which rows of a panel are left to the vector instructions of gonum.
const long = 8

// Rows returns the number of rows of the matrix.
func (f *Factor) Rows() int { return f.n }

// Solve replaces x by A⁻¹x. It uses work, which is as long as x.
func (f *Factor) Solve(x, work []float64) {
	for k, i := range f.order {
		work[k] = x[i]
	}
	f.forward(work)
	f.backward(work)
	for k, i := range f.order {
		x[i] = work[k]
	}
}

// Forward writes L⁻¹P x to z. With it zᵀz = xᵀA⁻¹x.
func (f *Factor) Forward(z, x []float64) {
	for k, i := range f.order {
		z[k] = x[i]
	}
	f.forward(z)
}

// Backward writes PᵀL⁻ᵀz to x, and overwrites z. For z ~ N(0, I) x has the covariance A⁻¹.
func (f *Factor) Backward(x, z []float64) {
	f.backward(z)
	for k, i := range f.order {
		x[i] = z[k]
	}
}

func (f *Factor) forward(x []float64) {
	for k := range f.nodes {
		node := &f.nodes[k]
		c := node.cols
		panel, own := f.l[node.panel:node.panel+len(node.rows)*c], x[node.first:node.first+c]
		for i := range c {
			row := panel[i*c : i*c+i+1]
			v := own[i]
			for j, w := range own[:i] {
				v -= row[j] * w
			}
			own[i] = v / row[i]
		}
		for i, at := range node.rows[c:] {
			row := panel[(c+i)*c : (c+i+1)*c]
			if c >= long {
				x[at] -= floats.Dot(row, own)
				continue
			}
			var v float64
			for j, w := range own {
				v += row[j] * w
			}
			x[at] -= v
		}
	}
}

func (f *Factor) backward(x []float64) {
	for k := len(f.nodes) - 1; k >= 0; k-- {
		node := &f.nodes[k]
		c := node.cols
		panel, own := f.l[node.panel:node.panel+len(node.rows)*c], x[node.first:node.first+c]
		for i, at := range node.rows[c:] {
			row := panel[(c+i)*c : (c+i+1)*c]
			v := x[at]
			if c >= long {
				floats.AddScaled(own, -v, row)
				continue
			}
			for j, w := range row {
				own[j] -= v * w
			}
		}
		for i := c - 1; i >= 0; i-- {
			row := panel[i*c : i*c+i+1]
			v := own[i] / row[i]
			own[i] = v
			for j, w := range row[:i] {
				own[j] -= v * w
			}
		}
	}
}
