//go:build cgo && !noonnx && ((linux && (amd64 || arm64)) || darwin || (windows && amd64))

package engine

// #include <stdlib.h>
import "C"

import (
	"errors"
	"slices"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// GoMLX builds the gradients of all inputs of an operation, also of those whose gradient
// nobody asks for. The binding hands every node on, and ONNX Runtime computes every node.
// What follows takes the others out of the model before ONNX Runtime reads it;
// docs/workarounds.md.

// expfamPrune returns the pruned model in memory of C's, for the caller to free, and its
// size, or nil for a model that is to be used as it is.
//
//export expfamPrune
func expfamPrune(model unsafe.Pointer, size C.size_t, pruned *C.size_t) unsafe.Pointer {
	small, err := prune(unsafe.Slice((*byte)(model), int(size)))
	if err != nil || len(small) == int(size) {
		return nil
	}
	*pruned = C.size_t(len(small))
	return C.CBytes(small)
}

// Numbers of fields in onnx.proto (ONNX 1.17).
const (
	modelGraph protowire.Number = 7

	graphNode        protowire.Number = 1
	graphInitializer protowire.Number = 5
	graphOutput      protowire.Number = 12

	nodeInput     protowire.Number = 1
	nodeOutput    protowire.Number = 2
	nodeAttribute protowire.Number = 5

	attributeGraph  protowire.Number = 6
	attributeGraphs protowire.Number = 11

	valueName  protowire.Number = 1
	tensorName protowire.Number = 8
)

// errNested says that nodes have graphs of their own, which use values by name.
var errNested = errors.New("engine: a model with nested graphs")

// prune is the model without the nodes and constants on which no output depends.
func prune(model []byte) ([]byte, error) {
	var out []byte
	err := fields(model, func(number protowire.Number, field, content []byte) error {
		if number == modelGraph {
			graph, err := pruneGraph(content)
			if err != nil {
				return err
			}
			out = protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), graph)
			return nil
		}
		out = append(out, field...)
		return nil
	})
	return out, err
}

// part is a field of a graph: what it makes and what it needs for that.
type part struct {
	field        []byte
	optional     bool // nodes and constants
	makes, needs []string
}

func pruneGraph(graph []byte) ([]byte, error) {
	var parts []part
	wanted := make(map[string]bool)
	err := fields(graph, func(number protowire.Number, field, content []byte) (err error) {
		p := part{field: field}
		switch number {
		case graphNode:
			p.optional = true
			p.makes, p.needs, err = node(content)
		case graphInitializer:
			p.optional = true
			p.makes, err = texts(content, tensorName)
		case graphOutput:
			var outputs []string
			outputs, err = texts(content, valueName)
			for _, name := range outputs {
				wanted[name] = true
			}
		}
		parts = append(parts, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	// Nodes stand in the order in which they are computed, constants after all of them.
	for _, constants := range []bool{false, true} {
		for i, p := range slices.Backward(parts) {
			if !p.optional || constants != (p.needs == nil) {
				continue
			}
			if !slices.ContainsFunc(p.makes, func(name string) bool { return wanted[name] }) {
				parts[i].field = nil
				continue
			}
			for _, name := range p.needs {
				wanted[name] = true
			}
		}
	}
	var out []byte
	for _, p := range parts {
		out = append(out, p.field...)
	}
	return out, nil
}

// node is what a node makes and needs.
func node(content []byte) (makes, needs []string, err error) {
	err = fields(content, func(number protowire.Number, _, value []byte) error {
		switch number {
		case nodeInput:
			needs = append(needs, string(value))
		case nodeOutput:
			makes = append(makes, string(value))
		case nodeAttribute:
			return fields(value, func(number protowire.Number, _, _ []byte) error {
				if number == attributeGraph || number == attributeGraphs {
					return errNested
				}
				return nil
			})
		}
		return nil
	})
	return makes, needs, err
}

// texts are the values of the fields with a number.
func texts(message []byte, wanted protowire.Number) (list []string, err error) {
	err = fields(message, func(number protowire.Number, _, value []byte) error {
		if number == wanted {
			list = append(list, string(value))
		}
		return nil
	})
	return list, err
}

// fields calls visit for every field of a message: its bytes with number and type, and
// the value of those that have a length.
func fields(message []byte, visit func(number protowire.Number, field, value []byte) error) error {
	for len(message) > 0 {
		number, kind, head := protowire.ConsumeTag(message)
		if head < 0 {
			return protowire.ParseError(head)
		}
		size := protowire.ConsumeFieldValue(number, kind, message[head:])
		if size < 0 {
			return protowire.ParseError(size)
		}
		var value []byte
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(message[head:])
		}
		if err := visit(number, message[:head+size], value); err != nil {
			return err
		}
		message = message[head+size:]
	}
	return nil
}
