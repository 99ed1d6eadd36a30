//go:build cgo && !noonnx && linux && (amd64 || arm64)

package engine

import (
	"errors"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/expfam/lab/internal/must"
)

// message is a protobuf message of fields with a length.
func message(fields ...any) (out []byte) {
	for i := 0; i < len(fields); i += 2 {
		out = protowire.AppendTag(out, fields[i].(protowire.Number), protowire.BytesType)
		switch value := fields[i+1].(type) {
		case string:
			out = protowire.AppendString(out, value)
		case []byte:
			out = protowire.AppendBytes(out, value)
		}
	}
	return out
}

// What an output depends on stays as it is and in its place; nodes and constants that
// serve nothing go, also those that serve only one another.
func TestPrune(t *testing.T) {
	output := func(name string) []byte { return message(valueName, name, protowire.Number(2), "type") }
	constant := func(name string) []byte { return message(tensorName, name, protowire.Number(9), "values") }
	node := func(fields ...any) []byte { return message(append(fields, protowire.Number(4), "Add")...) }
	sum := node(nodeInput, "x", nodeInput, "one", nodeOutput, "sum")
	drawn := node(nodeOutput, "drawn")
	pair := node(nodeInput, "sum", nodeInput, "drawn", nodeOutput, "unused", nodeOutput, "y")
	full := message(protowire.Number(1), "version", modelGraph, message(graphNode, node(nodeOutput, "never"),
		graphNode, sum, graphNode, drawn, graphNode, node(nodeInput, "sum", nodeInput, "two", nodeOutput, "first"),
		graphNode, node(nodeInput, "first", nodeOutput, "second"), graphNode, pair,
		graphInitializer, constant("one"), graphInitializer, constant("two"),
		protowire.Number(11), output("x"), graphOutput, output("y")))
	want := message(protowire.Number(1), "version", modelGraph, message(
		graphNode, sum, graphNode, drawn, graphNode, pair, graphInitializer, constant("one"),
		protowire.Number(11), output("x"), graphOutput, output("y")))
	must.Equal(t, must.Get(prune(full))(t), want)
	must.Equal(t, must.Get(prune(want))(t), want, "a model without surplus becomes")
	for end := 1; end < len(want); end++ {
		if got, err := prune(want[:end]); err == nil && len(got) > end {
			t.Fatalf("the first %d bytes of a model become %q", end, got)
		}
	}
	nested := message(modelGraph, message(graphNode,
		node(nodeOutput, "y", nodeAttribute, message(attributeGraph, "inner")), graphOutput, output("y")))
	if _, err := prune(nested); !errors.Is(err, errNested) {
		t.Errorf("a nested graph, which uses values by name: %v", err)
	}
}

// ONNX Runtime has no Erf in double precision: a graph with one that nothing uses compiles only without it.
func TestUnusedNodesAreLeftOut(t *testing.T) {
	e, err := Open("onnx")
	if err != nil {
		t.Skip(err)
	}
	t.Chdir(t.TempDir()) // compute-onnx leaves failed_model.onnx where it runs
	exec := must.Get(graph.NewExec(e.Backend, func(x *graph.Node) *graph.Node {
		graph.OnePlus(graph.Erf(x))
		return graph.OnePlus(x)
	}))(t)
	defer exec.Finalize()
	out := must.Get(exec.Call([]float64{0.5, 0.25}))(t)
	must.Equal(t, out[0].Value().([]float64), []float64{1.5, 1.25}, "1 + x")
}
