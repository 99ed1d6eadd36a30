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

// GoMLX builds the gradients with respect to all inputs of an operation, also those that nobody asks for. The
// binding hands every node on, and ONNX Runtime computes every node. This file takes the unused nodes out of the
// model before ONNX Runtime reads it; see docs/workarounds.md.

// expfamPrune returns the pruned model, in memory of C that the caller must free, and writes its size to pruned. It
// returns nil if the model is to be used as it is.
//
//export expfamPrune
func expfamPrune(model unsafe.Pointer, size C.size_t, pruned *C.size_t) unsafe.Pointer {
	whole := unsafe.Slice((*byte)(model), int(size))
	small, err := prune(whole)
	if err != nil || len(small) == int(size) {
		take(whole)
		return nil
	}
	take(small)
	*pruned = C.size_t(len(small))
	return C.CBytes(small)
}

// The numbers of the fields in onnx.proto (ONNX 1.17).
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

// errNested says that a node contains a graph, which may use values of the outer graph by name.
var errNested = errors.New("engine: a model with nested graphs")

// prune returns the model without the nodes and constants on which no output depends.
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

// part is a field of a graph, with the names of the values that it makes and needs.
type part struct {
	field        []byte
	optional     bool // may be left out: a node or a constant
	makes, needs []string
}

// pruneGraph returns the graph without the nodes and constants on which no output depends.
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
	// Nodes stand in the order in which they are computed, so going backwards finds all users of a value first.
	// Constants are visited after all nodes.
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

// node returns the names of the values that a node makes and needs.
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

// texts returns the values of the fields with this number.
func texts(message []byte, wanted protowire.Number) (list []string, err error) {
	err = fields(message, func(number protowire.Number, _, value []byte) error {
		if number == wanted {
			list = append(list, string(value))
		}
		return nil
	})
	return list, err
}

// fields calls visit for every field of a message, with its number and its bytes including number and type. value is
// the content of a field that is a byte string, and nil for others.
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
