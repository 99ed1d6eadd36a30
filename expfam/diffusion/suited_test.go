package diffusion_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// levels is the prior of independent cells that are near +at or −at, with equal odds and standard deviation sd.
type levels struct {
	cells  int
	at, sd float64
}

func (p levels) String() string { return fmt.Sprintf("levels(%d, %g, %g)", p.cells, p.at, p.sd) }
func (p levels) Dim() int       { return p.cells }

// Moments are those of a mixture of two normals: with u = x_t/√α, gain g and the sign's mean
// t = tanh(at u/(sd² + σ²)), m = g u + (1 − g) at t, and s² = g σ² + (1 − g)² at² (1 − t²).
func (p levels) Moments(x *Node, l level.Nodes) (mean, variance *Node) {
	u, noise := Div(x, l.SqrtAlpha), Square(l.Sigma())
	total := AddScalar(noise, p.sd*p.sd)
	gain := Div(Sub(total, noise), total)
	t := Tanh(Div(MulScalar(u, p.at), total))
	mean = Add(Mul(gain, u), MulScalar(Mul(OneMinus(gain), t), p.at))
	return mean, Add(Mul(gain, noise), MulScalar(Mul(Square(OneMinus(gain)), OneMinus(Square(t))), p.at*p.at))
}

// square is a prior on a square of cells.
type square struct {
	levels
	side int
}

func (p square) Lattice() (rows, cols int) { return p.side, p.side }

// larger is a square of more cells than its network was trained on, with the grades of a pyramid.
type larger struct{ square }

func (larger) Grade(sigma float64) int   { return int(min(sigma, 1)) }
func (p larger) Graded(int) expfam.Prior { return p.square }

// The default method is chosen by the prior, before the first step.
func TestTheMethodSuitsThePrior(t *testing.T) {
	drawn, returns := "covariance-steps(", "restarts("
	images, joined := "restarts(3+2×5+", "restarts(3+1×14+" // precise data add steps
	gaussian := gp.RBF{Cells: 5, Length: 0.3}
	for _, c := range []struct {
		name  string
		prior expfam.Prior
		g     Guidance
		want  string
	}{
		{"a Gaussian", gaussian, nil, drawn},
		{"a Gaussian that does not say so", hidden{gaussian.Gaussian(), 0}, nil, drawn},
		{"two levels that nearly are one", levels{8, 0.5, 0.87}, nil, drawn},
		{"two levels", levels{8, 1, 0.5}, nil, returns},
		{"two levels, as many cells as draws of a block", levels{32, 1, 0.5}, nil, returns},
		{"a cell of twenty", expfam.Product(gp.RBF{Cells: 19}, levels{1, 1, 0.5}), nil, returns},
		{"a Gaussian behind an operator", gaussian, nil, "covariance-steps(n=12,"},
		{"a Gaussian behind sums by an operator", gaussian, nil, returns},
		{"another behind an operator", hidden{gaussian.Gaussian(), 0}, nil, returns},
		{"another behind an operator that averages", hidden{gp.RBF{Cells: 5, Length: 1}.Gaussian(), 0}, nil,
			"covariance-steps(n=12,"},
		{"a large field", gp.RBF{Cells: 129}, nil, "Laplace's approximation"},
		{"an image", square{levels{144, 1, 0.5}, 12}, nil, images},
		{"an image behind an operator", square{levels{144, 1, 0.5}, 12}, nil, joined},
		{"a larger image", larger{square{levels{144, 1, 0.5}, 12}}, nil, "restarts(3+1×10+"},
		{"a larger image behind an operator", larger{square{levels{144, 1, 0.5}, 12}}, nil, joined},
		{"an image at the mean", square{levels{144, 1, 0.5}, 12}, Delta{}, returns},
		{"a small image", square{levels{64, 1, 0.5}, 8}, nil, returns},
		{"many cells in a row", levels{144, 1, 0.5}, nil, returns},
		{"steps of conjugate gradients", gaussian, Quadrature{Steps: 3}, returns},
		{"cells by themselves", gaussian, Quadrature{Independent: true}, returns},
		{"the likelihood at the mean", gaussian, Delta{}, returns},
	} {
		t.Run(c.name, func(t *testing.T) {
			like := normal
			if strings.Contains(c.name, "operator") {
				like.Operator = &operator.Dense{Matrix: mat.NewDense(1, c.prior.Dim(),
					slices.Repeat([]float64{1}, c.prior.Dim()))}
			}
			if strings.Contains(c.name, "sums") {
				like = expfam.Likelihood{Family: expfam.Poisson{},
					Operator: expfam.SumOf{Operator: like.Operator.(expfam.RowOperator)}}
			}
			obs := make(expfam.Observations, c.prior.Dim())
			if like.Operator != nil {
				obs = obs[:1]
			}
			obs[0] = expfam.Term{Stat: 1, Size: 1}
			for _, fresh := range []bool{false, true} {
				compiled := must.Get(Compile(c.prior, like,
					Sampler{Draws: 2, Guidance: c.g, Engine: enginetest.Open(t, "go"), Fresh: fresh}))(t)
				defer compiled.Close()
				post := must.Get(compiled.Sample(t.Context(), obs, 1))(t)
				is := post.Info.Method
				must.Be(t, strings.Contains(is, c.want) && strings.Contains(is, images) == (c.want == images),
					"fresh %v: %s, want %s", fresh, is, c.want)
			}
		})
	}
}

// Just inside of the limit draws are those of the exact posterior, a mixture of two normals.
func TestDrawnStepsOfNearlyGaussianPriors(t *testing.T) {
	prior, e := levels{40, 0.6, 0.8}, enginetest.Open(t, "go")
	for _, y := range []float64{0, 1.2} {
		obs := slices.Repeat(expfam.Observations{{Stat: y, Size: 1}}, prior.cells)
		v := prior.sd * prior.sd
		t1 := math.Tanh(prior.at * y / (v + 1))
		mean, between := (v*y+prior.at*t1)/(v+1), prior.at/(v+1)
		sd := math.Sqrt(v/(v+1) + between*between*(1-t1*t1))
		post := sample(t, prior, normal, obs, Sampler{Draws: 192, Seed: 1, Engine: e})
		must.Need(t, strings.Contains(post.Info.Method, "covariance-steps("), "by %s", post.Info.Method)
		// 7680 independent values: standard errors of 0.011 of the mean and 0.008 of the sd, four
		// times. Eight steps add 0.03.
		x := post.X.RawMatrix().Data
		off := (stat.Mean(x, nil) - mean) / sd
		must.Be(t, math.Abs(off) <= 0.075, "y = %g: mean is off by %.3f sd", y, off)
		ratio := stat.StdDev(x, nil) / sd
		must.Be(t, math.Abs(ratio-1) <= 0.06, "y = %g: sd %.3f of the exact", y, ratio)
	}
}
