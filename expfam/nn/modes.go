package nn

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
)

// Modes is a network for curves of a simulator with unknown parameters. Its last cells are the scores of the
// Parameters. The other cells are seen in their principal components: with eigenvectors V and eigenvalues λ of the
// covariance of draws, and the noisy field δ = x_t/√α − μ, the coordinates are q = Vᵀδ. The network sees at every noise
// level
//
//	q_k/√(λ_k + σ²),  log(1 + q_k²/σ²),  log Σ_{j≥k} q_j²/σ²,
//
// which are of order one even where the amplitude of a component is a thousandth of the field's. The squares say how
// rough a curve is, on which its length scale and its standard deviation depend. Processes of other length scales have
// other principal components, so the network also sees log(1 + (A w)²), where w is the first of these with weights that
// depend on the noise level, and A is learned. The mean of the field is Wiener's filter with gates g that depend on
// x_t, plus a correction:
//
//	E[x₀ | x_t] = μ + V (g ∘ q + σ √g ∘ a),  logit g_k = log λ_k/σ² + b_k,
//
// where a and b are outputs of a residual network. For a mixture of Gaussians of the same V this is exact with a = 0.
type Modes struct {
	Parameters int // number of cells at the end that are scores of parameters
	Blocks     int // number of residual blocks. Default 4
	Width      int // of a block. Default 128
	Embedding  int // number of sines and cosines of the noise level. Default 64
}

func (n Modes) orDefault() Modes {
	n.Blocks = cmp.Or(n.Blocks, 4)
	n.Width = cmp.Or(n.Width, 128)
	n.Embedding = cmp.Or(n.Embedding, 64)
	return n
}

func (n Modes) withDefaults() Network { return n.orDefault() }

func (n Modes) String() string {
	n = n.orDefault()
	return fmt.Sprintf("modes(parameters=%d, blocks=%d, width=%d, embedding=%d)", n.Parameters, n.Blocks, n.Width,
		n.Embedding)
}

// Augment returns the network for cells of which the last are parameters; see [Augmenter].
func (n Modes) Augment(parameters int) Network {
	n.Parameters = parameters
	return n
}

// Check refuses impossible sizes; see [Checker].
func (n Modes) Check(cells int) error {
	n = n.orDefault()
	if n.Parameters < 0 || n.Parameters >= cells {
		return fmt.Errorf("nn: a network of modes has %d parameters in %d cells; leave at least one cell to the field",
			n.Parameters, cells)
	}
	if err := checkSizes("a network of modes", size{"Blocks", n.Blocks, 1}, size{"Width", n.Width, 1}); err != nil {
		return err
	}
	return checkEmbedding("a network of modes", n.Embedding)
}

// Params lists the parameters of the network; see [Network]. The first three are measured.
func (n Modes) Params(cells, heads int) []Param {
	n = n.orDefault()
	field := cells - n.Parameters
	list := []Param{{Name: "basis", Shape: []int{field, field}}, {Name: "logvalues", Shape: []int{1, field}},
		{Name: "typical", Shape: []int{1, field}}}
	list = append(list, denseParams("embed", n.Embedding, embedded, 1)...)
	for _, part := range []string{"white", "power", "tail"} {
		list = append(list, denseParams("in."+part, field, n.Width, 1/math.Sqrt(3))...)
	}
	list = append(list, denseParams("square.level", embedded, field, 0)...)
	list = append(list, denseParams("square", field, n.Width, 1)...)
	list = append(list, denseParams("in.square", n.Width, n.Width, 1/math.Sqrt(3))...)
	if n.Parameters > 0 {
		list = append(list, denseParams("in.scores", n.Parameters, n.Width, 1)...)
	}
	list = append(list, residualParams(n.Blocks, n.Width)...)
	list = append(list, denseParams("gates", n.Width, field, 0)...)
	for i := range heads {
		list = append(list, denseParams(headName(i), n.Width, field, 0)...)
		list = append(list, denseParams(headName(i)+".level", embedded, field, 0)...)
		if n.Parameters > 0 {
			list = append(list, denseParams(headName(i)+".up", n.Width, n.Width, 1)...)
			list = append(list, denseParams(headName(i)+".scores", n.Width, n.Parameters, 0)...)
		}
	}
	return list
}

// Unscaled says that Measure gets deviations from the mean in units of x₀.
func (n Modes) Unscaled() {}

// leastMode is the smallest eigenvalue that is told from 0, as a share of the largest.
const leastMode = 1e-9

// Measure returns the principal components of the field; see [Measured].
func (n Modes) Measure(cells, draws int, draw func(x []float64)) (map[string][]float32, error) {
	field := cells - n.Parameters
	sum, x := mat.NewSymDense(field, nil), make([]float64, cells)
	for range draws {
		draw(x)
		sum.SymRankOne(sum, 1/float64(draws), mat.NewVecDense(field, x[:field]))
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(sum, true) {
		return nil, fmt.Errorf("nn: the covariance of %d cells has no eigenvalues", field)
	}
	var u mat.Dense
	eigen.VectorsTo(&u)
	values := eigen.Values(nil)
	basis, logs := make([]float32, field*field), make([]float32, field)
	for k := range field {
		from := field - 1 - k // the largest first
		logs[k] = float32(math.Log(math.Max(values[from], leastMode*values[field-1])))
		for j := range field {
			basis[j*field+k] = float32(u.At(j, from))
		}
	}
	typical, q := make([]float64, field), make([]float64, field)
	for range draws {
		draw(x)
		mat.NewVecDense(field, q).MulVec(u.T(), mat.NewVecDense(field, x[:field]))
		for k := range field {
			typical[k] += math.Log(q[field-1-k]*q[field-1-k]+leastMode*values[field-1]) / float64(draws)
		}
	}
	usual := make([]float32, field)
	for k, v := range typical {
		usual[k] = float32(v)
	}
	return map[string][]float32{"basis": basis, "logvalues": logs, "typical": usual}, nil
}

// mostWeight bounds the weight of a component's error; see [Modes.Weigh].
const mostWeight = 30

// Weigh returns squared errors of the mean, (batch, d), for errors in units of x₀; see [Weigher]. The error of a
// component is in units of the standard deviation that a typical draw, whose component is exp E log |q_k|, has given
// x_t. Errors of small components count as much as those of large ones: excess power in them would look like a rough
// curve, and make the length scale too short.
func (n Modes) Weigh(w Weights, in Input, err *Node) *Node {
	cells := err.Shape().Dim(1)
	field := cells - n.Parameters
	left, right := cellsOf(err, cells, 0, field), cellsOf(err, cells, field, cells)
	noise := Exp(MulScalar(in.LogSigma, 2))
	sd := Square(in.SD)
	base := Div(Mul(sd, noise), Add(sd, noise)) // variance of a cell alone
	typical := Exp(StopGradient(w["typical"]))
	own := Reciprocal(Div(Mul(typical, noise), Add(typical, noise)))
	most := MulScalar(Reciprocal(ReduceAndKeep(product(base, left), ReduceMean, -1)), mostWeight)
	modes := product(product(err, left), StopGradient(w["basis"]))
	all := product(Mul(Square(modes), Min(own, BroadcastToDims(most, own.Shape().Dimensions...))),
		StopGradient(Transpose(left, 0, 1)))
	if n.Parameters > 0 {
		scores := Div(Square(product(err, right)), product(base, right))
		all = Add(all, product(scores, StopGradient(Transpose(right, 0, 1))))
	}
	return all
}

// cellsOf returns a matrix that takes columns first to end of n columns.
func cellsOf(like *Node, n, first, end int) *Node {
	flat := make([]float64, n*(end-first))
	for i := range end - first {
		flat[(first+i)*(end-first)+i] = 1
	}
	return StopGradient(ConvertDType(Const(like.Graph(), tensors.FromFlatDataAndDimensions(flat, n, end-first)),
		like.DType()))
}

// logistic returns 1/(1 + exp(−x)). Unlike an engine's own function it is never 0 for |x| ≤ 30, so its root has a
// slope.
func logistic(x *Node) *Node { return Reciprocal(OnePlus(Exp(Neg(x)))) }

// Apply evaluates the network; see [Network].
func (n Modes) Apply(w Weights, in Input, heads int) []*Node {
	n = n.orDefault()
	batch, cells := in.X.Shape().Dim(0), in.X.Shape().Dim(1)
	field := cells - n.Parameters
	dtype := in.X.DType()
	basis, logs := StopGradient(w["basis"]), StopGradient(w["logvalues"])
	back := StopGradient(Transpose(basis, 0, 1))
	left := cellsOf(in.X, cells, 0, field) // slices have no gradient on ONNX Runtime

	if in.SD == nil {
		in.SD = Ones(in.X.Graph(), shapes.Make(dtype, 1, cells))
	}
	sigma := Exp(in.LogSigma)
	sd := StopGradient(MatMul(in.SD, left))
	rho := Div(Square(sd), Add(Square(sd), Square(sigma)))                      // (·, field)
	deviation := Mul(product(in.X, left), Sqrt(Add(Square(sd), Square(sigma)))) // x_t/√α − μ
	q := product(deviation, basis)
	inNoise := Div(q, sigma)
	power := Square(inNoise)
	white := Mul(q, Exp(MulScalar(Log(Add(Exp(logs), Square(sigma))), -0.5)))
	tails := make([]float64, field*field) // column k takes the mean of the components from k on
	for j := range field {
		for k := range j + 1 {
			tails[j*field+k] = 1 / float64(field-k)
		}
	}
	tail := product(power, StopGradient(ConvertDType(Const(in.X.Graph(), tensors.FromFlatDataAndDimensions(tails, field,
		field)), dtype)))
	squash := func(v *Node) *Node { return MulScalar(Log(AddScalar(v, 1)), 0.5) }

	e := silu(w.dense("embed", waves(in.LogNoise, n.Embedding, 0.1, 3)))
	h := Add(w.dense("in.white", white), Add(w.dense("in.power", squash(power)), w.dense("in.tail", squash(tail))))
	mixed := w.dense("square", Mul(white, OnePlus(w.dense("square.level", e))))
	h = Add(h, w.dense("in.square", squash(Square(mixed))))
	if n.Parameters > 0 {
		h = Add(h, w.dense("in.scores", product(in.Estimate, cellsOf(in.X, cells, field, cells))))
	}
	for b := range n.Blocks {
		h = w.residual(b, h, silu(h), e)
	}
	h = silu(h)
	// The gate of Wiener's filter, in terms of the noise: 1 − g does not cancel at weak noise.
	logit := Add(Sub(logs, MulScalar(in.LogSigma, 2)), w.dense("gates", h))
	logit = MinScalar(MaxScalar(logit, -30), 30)
	gate, rest := logistic(logit), logistic(Neg(logit))
	out := make([]*Node, heads)
	for i := range heads {
		own := Add(w.dense(headName(i), h), w.dense(headName(i)+".level", e))
		if i == 0 {
			change := product(Sub(Mul(Sqrt(gate), own), Mul(inNoise, rest)), back)
			own = Div(Add(change, Mul(Div(deviation, sigma), OneMinus(rho))), Sqrt(rho))
		} else {
			variance := product(gate, StopGradient(Square(back)))
			own = Add(own, Log(Div(AddScalar(variance, 1e-12), rho)))
		}
		own = product(BroadcastToDims(own, batch, field), StopGradient(Transpose(left, 0, 1)))
		if n.Parameters > 0 {
			scores := w.dense(headName(i)+".scores", silu(w.dense(headName(i)+".up", h)))
			right := StopGradient(Transpose(cellsOf(in.X, cells, field, cells), 0, 1))
			own = Add(own, product(scores, right))
		}
		out[i] = own
	}
	return out
}
