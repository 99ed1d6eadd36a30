package expfam

import (
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
)

// Drawer is a guidance that can draw x₀ given x_t and y, as steps of [CovarianceSteps] do.
type Drawer interface {
	Guidance
	// Draw returns x₀′ − E[x₀ | x_t] for a draw x₀′ of x₀ | x_t, y, of shape (batch, d). It
	// takes its randomness from [Point.Noise] and [Point.DataNoise].
	Draw(p *Point) *Node
}

// chance holds the random numbers of a drawn step, and what is known of the square root of
// C = Cov(x₀ | x_t) and of the correlation R of x₀ | x_t. Without own and root, Lanczos steps
// make the root.
type chance struct {
	z, e    *Node               // standard normal, (batch, d) and (batch, data)
	root    *Node               // R^½, (d, d), or nil
	own     func(z *Node) *Node // returns C^½ z, by a method of the prior; or nil
	lanczos int                 // number of Lanczos steps
}

// Rooted is a prior that multiplies by the square root of Cov(x₀ | x_t) without Jacobian products.
type Rooted interface {
	// Root returns C^½ z for z of shape (batch, d), where C = Cov(x₀ | x_t) does not depend
	// on x_t.
	Root(z *Node, l LevelNodes) *Node
}

// Noise returns x′ ~ N(0, Cov(x₀ | x_t)), of shape (batch, d). Every call returns the same x′.
func (p *Point) Noise() *Node {
	switch c := p.chance; {
	case c.own != nil:
		return c.own(c.z)
	case c.root != nil:
		return Mul(Sqrt(p.Var), MatMul(c.z, c.root))
	default:
		sd := StopGradient(Sqrt(p.Var))
		product := func(q *Node) *Node { return Div(p.Cov(Div(q, sd)), sd) }
		return Mul(sd, rootTimes(product, c.z, c.lanczos))
	}
}

// DataNoise returns standard normal numbers of shape (batch, data), one for each datum.
func (p *Point) DataNoise() *Node { return p.chance.e }

// draws refuses drawn steps with a guidance that cannot draw x₀ with the covariance of its cells.
func (s Sampler) draws(steps []Step) error {
	if !drawn.in(steps) {
		return nil
	}
	if _, ok := s.Guidance.(Drawer); !ok {
		return fmt.Errorf("sample: %v draws x₀ given the data, which the guidance %v can't; use Quadrature, or a method that moves with the mean, such as Restarts", s.Method, s.Guidance)
	}
	if q, ok := s.Guidance.(Quadrature); ok && q.Independent {
		return fmt.Errorf("sample: %v draws x₀ with the covariance of its cells, which %v leaves out; use Quadrature without Independent, or a method that moves with the mean, such as Restarts", s.Method, q)
	}
	return nil
}

// sites are Gaussian observations that stand for the data. Datum k is an observation, with value
// r_k and precision W_k, of the deviation of what the datum sees from its mean under x₀ | x_t.
type sites struct {
	seen
	pull, root *Node // √W r and √W, (batch, data)
	steps      int   // of conjugate gradients
}

// move returns the shift δ of the mean of x₀ by sites. In a drawn step it returns the shift
// x₀′ − m of a draw: with x′ ~ N(0, C) and e ~ N(0, I),
//
//	(I + √W H C Hᵀ √W) u = √W (r − H x′) − e,  x₀′ − m = x′ + C Hᵀ √W u,
//
// x₀′ − m has the mean δ and the covariance C − C Hᵀ (H C Hᵀ + W⁻¹)⁻¹ H C.
func (p *Point) move(s sites) *Node {
	if p.chance == nil {
		return correlated(p, s.seen, s.pull, s.root, s.steps)
	}
	noise := p.Noise()
	s.pull = Sub(Sub(s.pull, Mul(s.root, s.to(noise))), p.DataNoise())
	if s.steps == 0 {
		return Add(noise, p.averaged(s))
	}
	return Add(noise, correlated(p, s.seen, s.pull, s.root, s.steps))
}

// averaged solves the system of [Point.move] for u and returns C Hᵀ √W u, for up to wholeCells
// cells. It takes their correlation averaged over x_t, and therefore no Jacobian product.
func (p *Point) averaged(s sites) *Node {
	root, sd := StopGradient(s.root), StopGradient(Sqrt(p.Var))
	rho := Reciprocal(OnePlus(Mul(s.variance, Square(root))))
	u := s.preconditioner(p, root, rho)(StopGradient(s.pull))
	return Mul(sd, MatMul(Mul(sd, s.from(Mul(root, u))), p.correlation))
}

// mostLanczos bounds the number of Lanczos steps. The graph of the root of their matrix grows with
// the square of this number.
const mostLanczos = 8

// rootTimes returns R^½ z for a correlation R that is known by its products with vectors. It takes
// k steps of Lanczos with full reorthogonalisation (Lanczos 1950): the result is
// |z| Q (QᵀRQ)^½ e₁, with an orthonormal basis Q of z, Rz, …, Rᵏ⁻¹z. R may come from a learned
// Jacobian, which is only nearly symmetric and positive. So QᵀRQ is averaged with its transpose,
// and its negative eigenvalues are taken as 0.
func rootTimes(product func(q *Node) *Node, z *Node, k int) *Node {
	k = min(k, z.Shape().Dimensions[1])
	norm := Sqrt(rowDot(z, z))
	basis := []*Node{Div(z, MaxScalar(norm, tiny(z)))}
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
		floor := AddScalar(MulScalar(Sqrt(rowDot(images[j], images[j])), 1e-4), tiny(z))
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
				t := Div(Mul(MulScalar(cross, 2), sign), MaxScalar(Add(Abs(gap), size), tiny(gap)))
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
// largest eigenvalue, for up to mostLanczos eigenvalues.
const jacobiSweeps = 5

// oneHot returns the unit vector e_i of shape (1, k), with the type and the length k of row.
func oneHot(row *Node, i int) *Node {
	unit := make([]float64, row.Shape().Dimensions[1])
	unit[i] = 1
	return ConvertDType(Const(row.Graph(), [][]float64{unit}), row.DType())
}

// roll gives the point of a drawn step its random numbers, the columns of noise for cells and then
// for data, and the root of its covariance. For up to wholeCells cells the root is in the table,
// unless the method asks for Lanczos steps. Otherwise the root comes from a [Rooted] prior, and
// from Lanczos steps for other priors.
func (c *Compiled) roll(p *Point, noise *Node) {
	d := c.prior.Dim()
	ch := &chance{z: Slice(noise, AxisRange(), AxisRange(0, d)), e: Slice(noise, AxisRange(), AxisRange(d, d+c.forward.data))}
	ch.lanczos = c.steps[slices.IndexFunc(c.steps, func(s Step) bool { return s.Drawn })].Lanczos
	if p.whole {
		table := p.correlation
		p.correlation = Slice(table, AxisRange(0, d))
		if c.forward.plain() {
			p.pairs = p.correlation
		}
		if ch.lanczos == 0 {
			ch.root = Slice(table, AxisRange(d, 2*d))
		}
	}
	if r, ok := c.prior.(Rooted); ok && ch.root == nil {
		ch.own = func(z *Node) *Node { return r.Root(z, p.Level) }
	}
	if ch.lanczos == 0 {
		ch.lanczos = usualLanczos
	}
	p.chance = ch
}

// usualLanczos is the default number of Lanczos steps. More of them change no score of images.
const usualLanczos = 3

// rooted returns the correlation of x₀ | x_t at a noise level, for up to wholeCells cells, and below
// it the symmetric root of the correlation: (2d, d) numbers, row after row. The correlation is exact
// for a [Linear] prior, and averaged over x_t for others.
func (c *Compiled) rooted(sigma float64) ([]float64, error) {
	if t := c.roots[sigma]; t != nil {
		return t, nil
	}
	d := c.prior.Dim()
	r := mat.NewSymDense(d, nil)
	if l, ok := c.prior.(Linear); ok {
		conditional(l, sigma, r)
	} else {
		all, err := c.correlated()
		if err != nil {
			return nil, err
		}
		table := all.at(sigma)
		for i := range d {
			for j := range i + 1 {
				r.SetSym(i, j, (table[i*d+j]+table[j*d+i])/2)
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(r, true) {
		return nil, fmt.Errorf("sample: the eigenvalues of the correlation of %v at noise level %.3g do not converge", c.prior, sigma)
	}
	var u, root mat.Dense
	eigen.VectorsTo(&u)
	values := eigen.Values(nil)
	root.Apply(func(_, k int, v float64) float64 { return v * math.Sqrt(math.Max(values[k], 0)) }, &u)
	root.Mul(&root, u.T())
	out := make([]float64, 0, 2*d*d)
	for i := range d {
		for j := range d {
			out = append(out, r.At(i, j))
		}
	}
	for i := range d {
		out = append(out, root.RawRowView(i)...)
	}
	if c.roots == nil {
		c.roots = make(map[float64][]float64)
	}
	c.roots[sigma] = out
	return out, nil
}

// conditional fills r with the correlation of x₀ | x_t at noise level σ, under a prior with
// covariance K. The covariance of x₀ | x_t is K (K + σ²)⁻¹ σ².
func conditional(prior Linear, sigma float64, r *mat.SymDense) {
	d := r.SymmetricDim()
	unit := make([]float64, d)
	for j := range d {
		unit[j] = 1
		for i, v := range prior.Multiply(unit)[:j+1] {
			r.SetSym(i, j, v)
		}
		unit[j] = 0
	}
	var eigen mat.EigenSym
	eigen.Factorize(r, true)
	var u, scaled mat.Dense
	eigen.VectorsTo(&u)
	values, s2 := eigen.Values(nil), sigma*sigma
	scaled.Apply(func(_, k int, v float64) float64 {
		lambda := math.Max(values[k], 0)
		return v * math.Sqrt(lambda*s2/(lambda+s2))
	}, &u)
	r.SymOuterK(1, &scaled)
	sd := make([]float64, d)
	for j := range sd {
		sd[j] = math.Sqrt(math.Max(r.At(j, j), 1e-300))
	}
	for i := range d {
		for j := range i + 1 {
			r.SetSym(i, j, r.At(i, j)/(sd[i]*sd[j]))
		}
	}
}
