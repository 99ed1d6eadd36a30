package expfam

import (
	"fmt"
	"sync"

	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/formula"
)

// FuncLink returns a link that is the graph function f. The function must be elementwise and twice
// differentiable. The name stands for f in messages and in the keys of stored results, so a different
// function needs a different name.
//
// The link is evaluated as written, without simplification. θ is kept one rounding error away from the ends
// of the parameter space, and the likelihood is flat beyond.
func FuncLink(name string, f func(x *g.Node) *g.Node) Link {
	return &funcLink{name: name, f: f}
}

type funcLink struct {
	name string
	f    func(x *g.Node) *g.Node

	mu   sync.Mutex
	exec *g.Exec // (n) → θ, θ′, θ″ (n), float64
	err  error
}

func (l *funcLink) String() string            { return l.name }
func (l *funcLink) LaTeX() string             { return `\operatorname{` + latexText(l.name) + `}(x)` }
func (l *funcLink) Inverse(x *g.Node) *g.Node { return l.f(x) }

// Formula returns false, because a graph function has no formula.
func (l *funcLink) Formula() (formula.Expr, bool) { return formula.Expr{}, false }

// At implements [Link]. It panics if the function cannot be evaluated; [Likelihood.Check] reports that as an
// error.
func (l *funcLink) At(x float64) float64 {
	var theta [1]float64
	l.AtAll([]float64{x}, theta[:])
	return theta[0]
}

// AtAll implements [VectorLink].
func (l *funcLink) AtAll(x, theta []float64) {
	if err := l.jets(x, theta, nil, nil); err != nil {
		panic(err)
	}
}

// asFunction returns any link as a funcLink.
func asFunction(link Link) *funcLink {
	if l, ok := link.(*funcLink); ok {
		return l
	}
	return &funcLink{name: link.String(), f: link.Inverse}
}

// linkJet returns θ = f(x), θ′ and θ″ by automatic differentiation. f is elementwise, so the gradient of a
// sum is the elementwise derivative.
func linkJet(f func(x *g.Node) *g.Node, x *g.Node) (theta, d1, d2 *g.Node) {
	theta = f(x)
	d1 = g.Gradient(g.ReduceAllSum(theta), x)[0]
	d2 = g.Gradient(g.ReduceAllSum(d1), x)[0]
	return theta, d1, d2
}

// hostChunk is the largest number of values that a link function is compiled for. Shorter slices are padded
// to a power of two.
const hostChunk = 1024

// jets writes θ, θ′ and θ″ of every x into theta, d1 and d2. It computes in float64 on the pure-Go engine. d1
// and d2 may be nil.
func (l *funcLink) jets(x, theta, d1, d2 []float64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.exec == nil && l.err == nil {
		e, err := engine.Float64()
		if err == nil {
			l.exec, err = g.NewExec(e.Backend, func(x *g.Node) []*g.Node {
				a, b, c := linkJet(l.f, x)
				return []*g.Node{a, b, c}
			})
		}
		l.err = err
	}
	if l.err != nil {
		return fmt.Errorf("link %s: %w", l.name, l.err)
	}
	size := 1
	for size < min(len(x), hostChunk) {
		size *= 2
	}
	for start := 0; start < len(x); start += size {
		end := min(start+size, len(x))
		in := make([]float64, size)
		copy(in, x[start:end])
		for i := end - start; i < size; i++ {
			in[i] = x[start]
		}
		out, err := l.exec.Call(in)
		if err != nil {
			l.err = err
			return fmt.Errorf("link %s: %w", l.name, err)
		}
		for k, to := range [][]float64{theta, d1, d2} {
			if to != nil {
				copy(to[start:end], out[k].Value().([]float64))
			}
			out[k].FinalizeAll()
		}
	}
	return nil
}
