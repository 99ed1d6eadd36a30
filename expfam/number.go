package expfam

import (
	"math"

	g "github.com/gomlx/gomlx/core/graph"
)

// number is a constant of a graph: a value, which is compiled in, or a node, if it is an input.
type number struct {
	value float64
	node  *g.Node
}

func (k number) plus(x *g.Node) *g.Node {
	if k.node != nil {
		return g.Add(x, k.node)
	}
	return g.AddScalar(x, k.value)
}

func (k number) times(x *g.Node) *g.Node {
	if k.node != nil {
		return g.Mul(x, k.node)
	}
	return g.MulScalar(x, k.value)
}

func (k number) inverse() number {
	return k.apply(func(v float64) float64 { return 1 / v }, g.Reciprocal)
}
func (k number) log() number      { return k.apply(math.Log, g.Log) }
func (k number) negative() number { return k.apply(func(v float64) float64 { return -v }, g.Neg) }

func (k number) apply(value func(float64) float64, node func(*g.Node) *g.Node) number {
	if k.node != nil {
		return number{node: node(k.node)}
	}
	return number{value: value(k.value)}
}
