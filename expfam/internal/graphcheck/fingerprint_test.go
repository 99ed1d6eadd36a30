package graphcheck_test

import (
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/graphcheck"
	"github.com/expfam/lab/internal/must"
)

// Every function differs from the first in one thing that changes a result.
func TestOfTellsFunctionsApart(t *testing.T) {
	long := make([]float32, 100) // longer than the constants that a graph keeps itself
	constant := func(x *Node, i int, v float32) *Node {
		values := append([]float32(nil), long...)
		values[i] = v
		return Reshape(Const(x.Graph(), tensors.FromFlatDataAndDimensions(values, len(values))), 4, 25)
	}
	functions := map[string]func(x, y *Node) []*Node{
		"the first":         func(x, y *Node) []*Node { return []*Node{Add(MatMul(x, constant(x, 3, 1)), y)} },
		"operation":         func(x, y *Node) []*Node { return []*Node{Sub(MatMul(x, constant(x, 3, 1)), y)} },
		"order of operands": func(x, y *Node) []*Node { return []*Node{Add(y, MatMul(x, constant(x, 3, 1)))} },
		"number":            func(x, y *Node) []*Node { return []*Node{Add(MatMul(x, constant(x, 3, 1.0000001)), y)} },
		"place":             func(x, y *Node) []*Node { return []*Node{Add(MatMul(x, constant(x, 4, 1)), y)} },
		"setting": func(x, y *Node) []*Node {
			return []*Node{Add(MatMul(Reverse(x, 0), constant(x, 3, 1)), y)}
		},
		"another axis": func(x, y *Node) []*Node { return []*Node{Add(MatMul(Reverse(x, 1), constant(x, 3, 1)), y)} },
		"scalar": func(x, y *Node) []*Node {
			return []*Node{AddScalar(Add(MatMul(x, constant(x, 3, 1)), y), 1e-7)}
		},
		"output":             func(x, y *Node) []*Node { return []*Node{MatMul(x, constant(x, 3, 1))} },
		"two outputs":        func(x, y *Node) []*Node { return []*Node{Add(MatMul(x, constant(x, 3, 1)), y), y} },
		"outputs in another": func(x, y *Node) []*Node { return []*Node{y, Add(MatMul(x, constant(x, 3, 1)), y)} },
		"parameter": func(x, y *Node) []*Node {
			return []*Node{Add(MatMul(x, constant(x, 3, 1)), MulScalar(y, 2))}
		},
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		seen := map[string]string{}
		in := []shapes.Shape{shapes.Make(dtypes.Float32, 2, 4), shapes.Make(dtypes.Float32, 2, 25)}
		of := func(f func(x, y *Node) []*Node) string {
			hash := must.Get(graphcheck.Fingerprint(e.Backend, in, func(args []*Node) []*Node {
				return f(args[0], args[1])
			}))(t)
			return hash
		}
		for name, f := range functions {
			hash := of(f)
			other, twice := seen[hash]
			must.Be(t, !twice, "%s and %s have one hash", name, other)
			seen[hash] = name
			// What no output depends on, and names, do not count.
			if of(func(x, y *Node) []*Node {
				Exp(MulScalar(y, 3)).WithAlias("unused")
				return f(x, y)
			}) != hash {
				t.Errorf("%s: work that is not used changes the hash", name)
			}
		}
	})
}

func TestOfReportsWhatCannotBeBuilt(t *testing.T) {
	e := enginetest.Open(t, "go")
	in := []shapes.Shape{shapes.Make(dtypes.Float32, 2, 4)}
	must.Refuse(graphcheck.Fingerprint(e.Backend, in, func(args []*Node) []*Node {
		return []*Node{MatMul(args[0], args[0])}
	}))(t)
}
