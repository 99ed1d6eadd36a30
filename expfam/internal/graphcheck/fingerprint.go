package graphcheck

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Fingerprint returns a hash of the graph that build makes for parameters of these shapes. The hash covers the
// operations, their connections, and the contents of constants. Two graphs with the same hash give the same results on
// one engine, whatever code built them. The order in which operations were made does not change the hash. Operations on
// which no output depends do not change it either.
//
// It is an error if the graph can't be built, as it is when a graph is compiled.
func Fingerprint(backend compute.Backend, parameters []shapes.Shape,
	build func(args []*graph.Node) []*graph.Node) (string, error) {
	var sum string
	err := exceptions.TryCatch[error](func() {
		heard := &listener{Backend: backend}
		g := graph.NewGraph(heard, "fingerprint")
		defer g.Finalize()
		args := make([]*graph.Node, len(parameters))
		for i, shape := range parameters {
			args[i] = graph.Parameter(g, "p"+strconv.Itoa(i), shape)
		}
		outputs := build(args)
		sum = digest(g.Nodes(), outputs, heard.constants)
	})
	return sum, err
}

type hash [sha256.Size]byte

// digest hashes every node after its inputs, and then the outputs. The hashes of constants are in the order in which
// the backend got the constants, which is the order of the nodes.
func digest(nodes, outputs []*graph.Node, constants []hash) string {
	hashes := make([]hash, len(nodes)) // indexed by the number of a node
	var text bytes.Buffer
	for _, n := range nodes {
		text.Reset()
		if n.Type() == graph.NodeTypeConstant {
			text.Write(constants[0][:])
			constants = constants[1:]
		}
		describe(&text, n, hashes)
		hashes[n.Id()] = sha256.Sum256(text.Bytes())
	}
	if len(constants) > 0 {
		panic(fmt.Errorf("%d constants belong to no operation", len(constants)))
	}
	text.Reset()
	for _, n := range outputs {
		text.Write(hashes[n.Id()][:])
	}
	sum := sha256.Sum256(text.Bytes())
	return hex.EncodeToString(sum[:16])
}

// elementwise holds operations without settings: they are determined by their inputs and their shape.
var elementwise = map[graph.NodeType]bool{
	graph.NodeTypeAbs: true, graph.NodeTypeAdd: true, graph.NodeTypeDiv: true, graph.NodeTypeExp: true,
	graph.NodeTypeGreaterOrEqual: true,
	graph.NodeTypeGreaterThan:    true, graph.NodeTypeIdentity: true, graph.NodeTypeLessOrEqual: true,
	graph.NodeTypeLessThan: true,
	graph.NodeTypeLog:      true, graph.NodeTypeLogicalAnd: true, graph.NodeTypeMax: true, graph.NodeTypeMin: true,
	graph.NodeTypeMul: true,
	graph.NodeTypeNeg: true, graph.NodeTypeSign: true, graph.NodeTypeSqrt: true, graph.NodeTypeSub: true,
	graph.NodeTypeTanh:  true,
	graph.NodeTypeWhere: true,
}

// describe writes an operation with its settings. In place of the number of each input it writes the hash of the input.
// The alias of a node is left out, because it may contain a counter.
func describe(text *bytes.Buffer, n *graph.Node, hashes []hash) {
	if elementwise[n.Type()] {
		// These are most nodes of a graph. Without settings, they need not be described by their texts.
		shape := n.Shape()
		text.WriteString(n.Type().String())
		text.Write(binary.AppendVarint(text.AvailableBuffer(), int64(shape.DType)))
		for _, v := range shape.Dimensions {
			text.Write(binary.AppendVarint(text.AvailableBuffer(), int64(v)))
		}
		for _, in := range n.Inputs() {
			text.Write(hashes[in.Id()][:])
		}
		return
	}
	rest := []byte(n.String())
	rest = bytes.TrimPrefix(rest, fmt.Appendf(nil, "Node #%d", n.Id()))
	if alias := n.GetAlias(); alias != "" {
		rest = bytes.TrimPrefix(rest, fmt.Appendf(nil, " [%q]", alias))
	}
	for {
		before, after, found := bytes.Cut(rest, []byte("#"))
		text.Write(before)
		if !found {
			break
		}
		end := 0
		for end < len(after) && after[end] >= '0' && after[end] <= '9' {
			end++
		}
		if id, err := strconv.Atoi(string(after[:end])); err == nil && id < len(hashes) {
			text.Write(hashes[id][:])
		}
		rest = after[end:]
	}
	// The texts of some operations name only some of their inputs, so all inputs are written here.
	for _, in := range n.Inputs() {
		text.Write(hashes[in.Id()][:])
	}
}
