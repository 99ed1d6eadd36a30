// Mixture adds a prior with a score of its own and a guidance of its own, and compares what is sampled with closed
// forms.
package main

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/operator"
)

// Curves is a mixture of Gaussian curves, x₀ ~ Σₖ wₖ N(μₖ, K) with Kᵢⱼ = exp(−|i−j|/2), K = U diag(λ) Uᵀ.
type Curves struct{ Weights, Levels []float64 } // μₖⱼ = Levelsₖ in every cell j

const cells = 6

func (c Curves) String() string { return fmt.Sprintf("curves(%v at %v)", c.Weights, c.Levels) }
func (c Curves) Dim() int       { return cells }

func (c Curves) Check() error {
	if len(c.Weights) == 0 || len(c.Weights) != len(c.Levels) {
		return fmt.Errorf("curves: %d weights and %d levels; give as many, at least one", len(c.Weights), len(c.Levels))
	}
	return nil
}

func covariance() *mat.SymDense {
	k := mat.NewSymDense(cells, nil)
	for i := range cells {
		for j := range cells {
			k.SetSym(i, j, math.Exp(-math.Abs(float64(i-j))/2))
		}
	}
	return k
}

// Moments has x_t ~ N(√α μₖ, αK + vI) in component k, whose eigenvectors are those of K.
func (c Curves) Moments(x *graph.Node, l level.Nodes) (mean, variance *graph.Node) {
	var eigen mat.EigenSym
	var vectors mat.Dense
	eigen.Factorize(covariance(), true)
	eigen.VectorsTo(&vectors)
	basis := graph.Reshape(graph.ConstAs(x, vectors.RawMatrix().Data), cells, cells)
	lambda := graph.ConstAs(x, [][]float64{eigen.Values(nil)})
	total := graph.Add(graph.Mul(graph.Square(l.SqrtAlpha), lambda), l.V) // of x_t, in the directions of U
	gain := graph.Div(graph.Mul(l.SqrtAlpha, lambda), total)
	var means, logs []*graph.Node
	for k, level := range c.Levels {
		z := graph.MatMul(graph.Sub(x, graph.MulScalar(l.SqrtAlpha, level)), basis)
		far := graph.ReduceAndKeep(graph.Div(graph.Square(z), total), graph.ReduceSum, -1)
		logs = append(logs, graph.AddScalar(graph.MulScalar(far, -0.5), math.Log(c.Weights[k])))
		means = append(means, graph.AddScalar(graph.MatMul(graph.Mul(z, gain), graph.Transpose(basis, 0, 1)), level))
	}
	chance := graph.Softmax(graph.Concatenate(logs, -1), -1)
	of := func(k int) *graph.Node { return graph.Slice(chance, graph.AxisRange(), graph.AxisElem(k)) }
	mean = graph.ZerosLike(x)
	for k := range means {
		mean = graph.Add(mean, graph.Mul(of(k), means[k]))
	}
	within := graph.Div(graph.Mul(lambda, l.V), total)
	variance = graph.MatMul(within, graph.Transpose(graph.Square(basis), 0, 1))
	for k := range means {
		variance = graph.Add(variance, graph.Mul(of(k), graph.Square(graph.Sub(means[k], mean))))
	}
	return mean, variance
}

// Laplace treats the data as normal observations of x₀ whose precisions W are the information at the prior's mean:
// δ = C S (I + S C S)⁻¹ S⁻¹ r with S = √W and r the slope, by conjugate gradients.
type Laplace struct{ Products int }

func (g Laplace) String() string { return fmt.Sprintf("laplace(%d)", g.Products) }

func (g Laplace) Shift(p *diffusion.Point) *graph.Node {
	_, slope, information := p.Terms.Graph(p.Mean, p.Stat, p.Size)
	slope, information = graph.StopGradient(slope), graph.StopGradient(information)
	s := graph.Sqrt(graph.MaxScalar(information, 0))
	dot := func(a, b *graph.Node) *graph.Node { return graph.ReduceAndKeep(graph.Mul(a, b), graph.ReduceSum, -1) }
	tiny := func(a *graph.Node) *graph.Node { return graph.MaxScalar(a, 1e-20) }
	r := graph.Div(slope, graph.MaxScalar(s, 1e-6)) // 0 in a missing cell, whose slope is 0
	z, d := graph.ZerosLike(r), r
	for range g.Products {
		a := graph.Add(d, graph.Mul(s, p.Cov(graph.Mul(s, d))))
		length := graph.Div(dot(r, r), tiny(dot(d, a)))
		next := graph.Sub(r, graph.Mul(length, a))
		z, d = graph.Add(z, graph.Mul(length, d)),
			graph.Add(next, graph.Mul(graph.Div(dot(next, next), tiny(dot(r, r))), d))
		r = next
	}
	return p.Cov(graph.Mul(s, z))
}

func main() {
	s := diffusion.Sampler{Draws: 2000, Seed: 1, Engine: expfam.Must(engine.Open("go"))}
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}}
	y := []float64{math.NaN(), 0.4, math.NaN(), 0.9, -0.3, math.NaN()}
	obs := expfam.Must(like.Observe1(y...))
	one, two := Curves{[]float64{1}, []float64{0.5}}, Curves{[]float64{1, 2}, []float64{1.5, -1.5}}
	for _, prior := range []Curves{one, two} {
		mean, sd := prior.exact(y, 0.5)
		for _, s.Guidance = range []diffusion.Guidance{diffusion.Quadrature{}, Laplace{6}} {
			draws, bias, ratio := expfam.Must(diffusion.Sample(prior, like, obs, s)).Latent(), 0.0, 0.0
			for j := range cells {
				bias = max(bias, math.Abs(draws.Mean()[j]-mean[j])/sd[j])
				ratio = max(ratio, math.Abs(math.Log(draws.SD()[j]/sd[j])))
			}
			// Four standard errors: 4/√2000 and 4/√4000.
			fmt.Printf("%v, %v: exact %v\n", prior, s.Guidance, bias < 0.09 && ratio < 0.063)
		}
	}
	_, err := diffusion.Sample(Curves{}, like, obs, s)
	fmt.Println(err)
	like.Operator = &operator.Downsample{Cols: cells}
	_, err = diffusion.Sample(one, like, expfam.Must(like.Observe1(1, 2, 3)), s)
	fmt.Println(err)
}
