// Package graphprint hashes what a graph computes, without compiling it.
package graphprint

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

// Of is a hash of the function of parameters of some shapes that build makes: of its
// operations, how they hang together, and the contents of its constants. Two
// functions with one hash give the same results on one engine, whatever code wrote
// them. The order in which operations were made does not count, nor do those of which
// no output depends.
//
// A graph that can't be built is an error, as it is when it is compiled.
func Of(backend compute.Backend, parameters []shapes.Shape, build func(args []*graph.Node) []*graph.Node) (string, error) {
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

// digest hashes every node after its inputs, and then the outputs. Constants are in
// the order in which the backend saw them.
func digest(nodes, outputs []*graph.Node, constants []hash) string {
	hashes := make([]hash, len(nodes)) // by the number of a node
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

// elementwise operations have inputs and nothing else.
var elementwise = map[graph.NodeType]bool{
	graph.NodeTypeAbs: true, graph.NodeTypeAdd: true, graph.NodeTypeDiv: true, graph.NodeTypeExp: true, graph.NodeTypeGreaterOrEqual: true,
	graph.NodeTypeGreaterThan: true, graph.NodeTypeIdentity: true, graph.NodeTypeLessOrEqual: true, graph.NodeTypeLessThan: true,
	graph.NodeTypeLog: true, graph.NodeTypeLogicalAnd: true, graph.NodeTypeMax: true, graph.NodeTypeMin: true, graph.NodeTypeMul: true,
	graph.NodeTypeNeg: true, graph.NodeTypeSign: true, graph.NodeTypeSqrt: true, graph.NodeTypeSub: true, graph.NodeTypeTanh: true,
	graph.NodeTypeWhere: true,
}

// describe writes an operation with its settings, and in place of the number of each
// of its inputs the hash of that. A name, which may hold a counter, is left out.
func describe(text *bytes.Buffer, n *graph.Node, hashes []hash) {
	if elementwise[n.Type()] {
		// Most of a graph, described without its text: there are no settings.
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
	// Operations that print only some of their inputs have them here.
	for _, in := range n.Inputs() {
		text.Write(hashes[in.Id()][:])
	}
}
