package diffusion_test

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// spoilt is a prior and a guidance of a user's own that change what the library's kinds return.
type spoilt struct {
	gp.RBF
	moments func(mean, variance *graph.Node) (*graph.Node, *graph.Node)
	shift   func(delta *graph.Node) *graph.Node
}

func (spoilt) String() string { return "spoilt" }

func (s spoilt) Moments(x *graph.Node, l level.Nodes) (mean, variance *graph.Node) {
	mean, variance = s.RBF.Moments(x, l)
	if s.moments == nil {
		return mean, variance
	}
	return s.moments(mean, variance)
}

func (s spoilt) Shift(p *diffusion.Point) *graph.Node {
	return s.shift(diffusion.Quadrature{}.Shift(p))
}

// A prior or a guidance of a user's own with a fault is named in one sentence. A panic that is no error ends the call:
// the engine would wait for its graph forever.
func TestFaultsOfOwnKinds(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.Observe1(3, 1, 4))
	type node = *graph.Node
	longer := func(x node) node {
		return graph.Concatenate([]node{x, graph.Slice(x, graph.AxisRange(), graph.AxisElem(0))}, -1)
	}
	mean := func(f func(node) node) spoilt {
		return spoilt{moments: func(m, v node) (node, node) { return f(m), v }}
	}
	variance := func(f func(node) node) spoilt {
		return spoilt{moments: func(m, v node) (node, node) { return m, f(v) }}
	}
	none := func(node) node { return nil }
	double := func(x node) node { return graph.ConvertDType(x, dtypes.Float64) }
	cell := func(x node) node { return graph.ReduceAndKeep(x, graph.ReduceMean, -1) }
	row := func(x node) node { return graph.ReduceAndKeep(x, graph.ReduceMean, 0) }
	flat := func(x node) node { return graph.ReduceMean(x, 0) }
	fail := func(node) node { panic("my own fault") }
	index := func(x node) node { return []node{x}[x.Rank()] }
	for _, test := range []struct {
		name string
		kind spoilt
		want string
	}{
		{"a cell too many", mean(longer), "Moments of spoilt: the mean has the shape [2 4]; it must be [2 3]"},
		{"one row", mean(row), "Moments of spoilt: the mean has the shape [1 3]; it must be [2 3]"},
		{"no mean", mean(none), "Moments of spoilt: the mean is nil"},
		{"another type", mean(double), "Moments of spoilt: the mean has the type Float64, and x has Float32"},
		{"one variance", variance(cell), "Moments of spoilt: the variance has the shape [1 1]; it must be [2 3] or " +
			"[1 3]"},
		{"no batch", variance(flat), "Moments of spoilt: the variance has the shape [3]"},
		{"no variance", variance(none), "Moments of spoilt: the variance is nil"},
		{"a panic", mean(fail), "Moments of spoilt: my own fault"},
		{"an index", mean(index), "Moments of spoilt: runtime error: index out of range [2] with length 1"},
		{"shift of a cell too many", spoilt{shift: longer},
			"Shift of spoilt: the shift has the shape [2 4]; it must be [2 3]"},
		{"shift of one row", spoilt{shift: row}, "Shift of spoilt: the shift has the shape [1 3]"},
		{"no shift", spoilt{shift: none}, "Shift of spoilt: the shift is nil"},
		{"shift of another type", spoilt{shift: double}, "Shift of spoilt: the shift has the type Float64"},
		{"shift that panics", spoilt{shift: fail}, "Shift of spoilt: my own fault"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.kind.RBF = gp.RBF{Cells: 3}
			s := diffusion.Sampler{Draws: 2, Engine: expfam.Must(engine.Open("go")), Fresh: true}
			if test.kind.shift != nil {
				s.Guidance = test.kind
			}
			must.Refuse(diffusion.Sample(test.kind, like, obs, s))(t, test.want)
		})
	}
}

// own is a guidance of a user's own, the linearised likelihood of cells.
type own struct{}

func (own) String() string { return "own" }
func (own) Shift(p *diffusion.Point) *graph.Node {
	_, slope, _ := p.Terms.Graph(p.Mean, p.Stat, p.Size)
	return p.Cov(slope)
}

// A guidance that looks at cells is refused for data that look through an operator, also where there are as many data
// as cells, so that all shapes fit.
func TestOwnGuidanceOfOperators(t *testing.T) {
	engine := expfam.Must(engine.Open("go"))
	for name, op := range map[string]expfam.Operator{
		"as many data":   &operator.Convolution{Cols: 4, Kernel: operator.Box{}},
		"fewer":          &operator.Downsample{Cols: 4},
		"one":            &operator.Areas{Labels: []int{0, 0, 0, 0}},
		"sums of counts": expfam.SumOf{Operator: &operator.Areas{Labels: []int{0, 0, 1, 1}}},
		"more":           operator.Design(mat.NewDense(3, 1, []float64{1, 2, 3})),
	} {
		t.Run(name, func(t *testing.T) {
			like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: op}
			data, cells := op.Dims()
			obs := expfam.Must(like.Observe1(slices.Repeat([]float64{2}, data)...))
			sample := func(g diffusion.Guidance) error {
				_, err := diffusion.Sample(gp.RBF{Cells: cells}, like, obs,
					diffusion.Sampler{Draws: 2, Engine: engine, Fresh: true, Guidance: g})
				return err
			}
			must.Err(t, sample(own{}), "Shift of own: the guidance takes data of single cells")
			err := sample(spoilt{shift: func(delta *graph.Node) *graph.Node { return delta }})
			must.Be(t, err == nil, "a guidance that asks Quadrature: %v", err)
		})
	}
}
