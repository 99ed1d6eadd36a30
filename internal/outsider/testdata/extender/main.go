// Extender adds a family, a link, a method and an operator of its own, and samples with
// them.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/gp"
)

// Clicks are counts in a window of time: y ~ Poisson(known·θ). Without a window nothing was
// observed. Gain must be positive.
type Clicks struct{ Gain float64 }

func (c Clicks) String() string { return fmt.Sprintf("clicks(gain=%g)", c.Gain) }

func (c Clicks) Check() error {
	if !(c.Gain > 0) {
		return fmt.Errorf("clicks: the gain is %g; it must be positive", c.Gain)
	}
	return nil
}

func (Clicks) Natural() expfam.Natural {
	return expfam.Natural{Eta: formula.MustParse("log(theta)"), Partition: formula.MustParse("theta"),
		High: math.Inf(1)}
}

func (c Clicks) Reduce(y float64, known expfam.Known) (expfam.Term, error) {
	window := known.Or(1)
	if window == 0 && y == 0 {
		return expfam.Term{}, nil
	}
	if y < 0 || y != math.Trunc(y) || !(window > 0) {
		return expfam.Term{}, fmt.Errorf("clicks: %g in a window of %g", y, window)
	}
	e := c.Gain * window
	factorial, _ := math.Lgamma(y + 1)
	return expfam.Term{Stat: y, Size: e, Base: y*math.Log(e) - factorial}, nil
}

func (c Clicks) Rand(theta float64, known expfam.Known, rng *rand.Rand) float64 {
	return expfam.Poisson{}.Rand(theta*c.Gain, known, rng)
}

func (Clicks) Conjugate() expfam.Conjugate { return expfam.GammaPrior{} }
func (Clicks) DefaultLink() expfam.Link    { return Squared{} }

// Squared is the link θ = exp(x)·exp(x), a graph function that also evaluates many x.
type Squared struct{}

func (Squared) String() string            { return "exp squared" }
func (Squared) Inverse(x *g.Node) *g.Node { return g.Mul(g.Exp(x), g.Exp(x)) }
func (Squared) At(x float64) float64      { return math.Exp(2 * x) }
func (Squared) LaTeX() string             { return "e^{2x}" }
func (s Squared) AtAll(x, theta []float64) {
	for i, v := range x {
		theta[i] = s.At(v)
	}
}

// Plain is the library's Multistep that wants at least ten steps.
type Plain struct{ N int }

func (p Plain) String() string { return fmt.Sprintf("plain(%d)", p.N) }

func (p Plain) Check() error {
	if p.N < 10 {
		return fmt.Errorf("plain: %d steps; give at least 10", p.N)
	}
	return nil
}

func (p Plain) Steps() []diffusion.Step { return diffusion.Multistep{N: p.N}.Steps() }

// Neighbours is the operator of sums of neighbouring cells.
type Neighbours struct{ Cells int }

func (n Neighbours) String() string          { return fmt.Sprintf("neighbours(%d)", n.Cells) }
func (n Neighbours) Dims() (data, cells int) { return n.Cells - 1, n.Cells }

func (n Neighbours) Apply(x *g.Node) *g.Node {
	left := g.Slice(x, g.AxisRange(), g.AxisRange(0, n.Cells-1))
	return g.Add(left, g.Slice(x, g.AxisRange(), g.AxisRange(1, n.Cells)))
}

func (n Neighbours) Adjoint(y *g.Node) *g.Node {
	zero := g.ZerosLike(g.Slice(y, g.AxisRange(), g.AxisRange(0, 1)))
	return g.Add(g.Concatenate([]*g.Node{y, zero}, 1), g.Concatenate([]*g.Node{zero, y}, 1))
}

func main() {
	s := diffusion.Sampler{Draws: 60, Seed: 1, Method: Plain{N: 20}, Engine: expfam.Must(engine.Open("go"))}
	like := expfam.Likelihood{Family: Clicks{Gain: 2}}
	data := expfam.Data{Y: [][]float64{{3, 0, 7, 2}}, Known: [][]float64{{1, 0, 2, 1}}}
	obs := expfam.Must(like.Observe(data))
	fmt.Println("missing:", obs.Missing())
	mine := expfam.Must(diffusion.Sample(gp.RBF{Cells: 4}, like, obs, s))

	// The same by the library's own kinds.
	own := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(2*x)")}
	data.Known = [][]float64{{2, 0, 4, 2}}
	theirs := expfam.Must(diffusion.Sample(gp.RBF{Cells: 4}, own, expfam.Must(own.Observe(data)), s))
	worst := 0.0
	for j, m := range mine.Latent().Mean() {
		worst = math.Max(worst, math.Abs(m-theirs.Latent().Mean()[j]))
	}
	fmt.Println("the same posterior:", worst < 1e-3)

	_, err := like.Observe(expfam.Data{Y: [][]float64{{1}}, Known: [][]float64{{0}}})
	fmt.Println(err)
	_, err = diffusion.Sample(gp.RBF{Cells: 4}, expfam.Likelihood{Family: Clicks{}}, obs, s)
	fmt.Println(err)
	s.Method = Plain{N: 3}
	_, err = diffusion.Sample(gp.RBF{Cells: 4}, like, obs, s)
	fmt.Println(err)

	s.Method = nil
	sums := expfam.Likelihood{Family: expfam.Normal{SD: 0.1}, Operator: Neighbours{4}}
	seen := expfam.Must(sums.Observe1(1, 2, -1))
	exact := expfam.Must(gp.Exact(gp.RBF{Cells: 4}, sums, seen))
	post := expfam.Must(diffusion.Sample(gp.RBF{Cells: 4}, sums, seen, s))
	for j, m := range post.Latent().Mean() {
		if math.Abs(m-exact.Mean[j]) > 0.6*math.Sqrt(exact.Cov.At(j, j)) {
			fmt.Printf("cell %d: %.3f, exact %.3f\n", j, m, exact.Mean[j])
		}
	}
	fmt.Println("sums of neighbours:", len(expfam.Must(post.Seen())[0].Mean()), "data")
}
