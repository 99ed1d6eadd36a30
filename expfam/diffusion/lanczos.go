package diffusion

import . "github.com/gomlx/gomlx/core/graph"

// rootTimes returns R^½ z for a correlation R that is known by its products with vectors. It takes k steps of Lanczos
// with full reorthogonalisation (Lanczos 1950): the result is |z| Q (QᵀRQ)^½ e₁, with an orthonormal basis Q of z, Rz,
// …, Rᵏ⁻¹z. R may come from a learned Jacobian, which is only nearly symmetric and positive. So QᵀRQ is averaged with
// its transpose, and its negative eigenvalues are taken as 0.
func rootTimes(product func(q *Node) *Node, z *Node, k int) *Node {
	k = min(k, z.Shape().Dimensions[1])
	norm := Sqrt(rowDot(z, z))
	basis := []*Node{Div(z, MaxScalar(norm, smallestDivisor(z)))}
	images := make([]*Node, k)
	for j := range k {
		images[j] = product(basis[j])
		if j == k-1 {
			break
		}
		next := images[j]
		for range 2 {
			for _, q := range basis {
				next = Sub(next, Mul(rowDot(q, next), q))
			}
		}
		// A direction as short as the rounding error of the image is replaced by 0.
		length := Sqrt(rowDot(next, next))
		floor := AddScalar(MulScalar(Sqrt(rowDot(images[j], images[j])), 1e-4), smallestDivisor(z))
		basis = append(basis, Where(BroadcastToDims(GreaterThan(length, floor), next.Shape().Dimensions...),
			Div(next, Max(length, floor)), ZerosLike(next)))
	}
	rows := make([]*Node, k) // the rows of QᵀRQ, each (batch, k)
	for i := range k {
		parts := make([]*Node, k)
		for j := range k {
			parts[j] = MulScalar(Add(rowDot(basis[i], images[j]), rowDot(basis[j], images[i])), 0.5)
		}
		rows[i] = Concatenate(parts, -1)
	}
	weights := firstOfRoot(rows)
	var sum *Node
	for j, q := range basis {
		sum = addTo(sum, Mul(Mul(norm, Slice(weights, AxisRange(), AxisElem(j))), q))
	}
	return sum
}

// firstOfRoot returns the first column of √max(T, 0) for symmetric matrices T, one for each draw.
// Each of the rows of T has shape (batch, k). With T V = V Λ, the column is V √max(Λ, 0) Vᵀ e₁. V
// is found by one-sided Jacobi rotations (Hestenes 1958), which make the columns of T V orthogonal.
func firstOfRoot(rows []*Node) *Node {
	k := len(rows)
	image := make([]*Node, k) // columns of T V
	v := make([]*Node, k)     // columns of V
	for i, row := range rows {
		image[i] = row // T is symmetric
		v[i] = Mul(OnesLike(row), oneHot(row, i))
	}
	for range jacobiSweeps {
		for a := range k {
			for b := a + 1; b < k; b++ {
				cross := rowDot(image[a], image[b])
				gap := Sub(rowDot(image[b], image[b]), rowDot(image[a], image[a]))
				size := Sqrt(Add(Square(gap), MulScalar(Square(cross), 4)))
				sign := Where(GreaterOrEqual(gap, ZerosLike(gap)), OnesLike(gap), MulScalar(OnesLike(gap), -1))
				t := Div(Mul(MulScalar(cross, 2), sign), MaxScalar(Add(Abs(gap), size), smallestDivisor(gap)))
				c := Div(OnesLike(t), Sqrt(OnePlus(Square(t))))
				s := Mul(t, c)
				image[a], image[b] = Sub(Mul(c, image[a]), Mul(s, image[b])), Add(Mul(s, image[a]), Mul(c, image[b]))
				v[a], v[b] = Sub(Mul(c, v[a]), Mul(s, v[b])), Add(Mul(s, v[a]), Mul(c, v[b]))
			}
		}
	}
	var sum *Node
	for i := range k {
		root := Sqrt(MaxScalar(rowDot(v[i], image[i]), 0))
		sum = addTo(sum, Mul(Mul(root, Slice(v[i], AxisRange(), AxisElem(0))), v[i]))
	}
	return sum
}

// jacobiSweeps is the number of sweeps over all pairs of columns. It leaves an error of 1e-5 of the
// largest eigenvalue, for up to 8 eigenvalues.
const jacobiSweeps = 5

// oneHot returns the unit vector e_i of shape (1, k), with the type and the length k of row.
func oneHot(row *Node, i int) *Node {
	unit := make([]float64, row.Shape().Dimensions[1])
	unit[i] = 1
	return ConvertDType(Const(row.Graph(), [][]float64{unit}), row.DType())
}
