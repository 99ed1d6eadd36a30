package graphcheck

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/gomlx/compute"
)

// listener is a backend that hashes the constants of a graph when they are passed to the backend, because the graph
// itself does not keep them.
type listener struct {
	compute.Backend
	constants []hash
}

func (l *listener) Builder(name string) compute.Builder { return builder{l.Backend.Builder(name), l} }

type builder struct {
	compute.Builder
	*listener
}

// Name returns the name of the computation. Both embedded types have a Name; that of the backend would be wrong.
func (b builder) Name() string { return b.Builder.Name() }

func (b builder) Main() compute.Function { return function{b.Builder.Main(), b.listener} }

func (b builder) NewFunction(name string) (compute.Function, error) {
	f, err := b.Builder.NewFunction(name)
	return function{f, b.listener}, err
}

type function struct {
	compute.Function
	heard *listener
}

func (f function) Closure() (compute.Function, error) {
	c, err := f.Function.Closure()
	return function{c, f.heard}, err
}

// Constant records the hash of flat, a slice of numbers.
func (f function) Constant(flat any, dims ...int) (compute.Value, error) {
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, flat); err != nil {
		return nil, err
	}
	f.heard.constants = append(f.heard.constants, hash(h.Sum(nil)))
	return f.Function.Constant(flat, dims...)
}

// Engines accept only their own functions, so the methods below pass on the function that is wrapped.

func (f function) Call(g compute.Function, inputs ...compute.Value) ([]compute.Value, error) {
	return f.Function.Call(own(g), inputs...)
}

func (f function) Sort(comparator compute.Function, axis int, isStable bool, inputs ...compute.Value) ([]compute.Value,
	error) {
	return f.Function.Sort(own(comparator), axis, isStable, inputs...)
}

func (f function) While(cond, body compute.Function, initial ...compute.Value) ([]compute.Value, error) {
	return f.Function.While(own(cond), own(body), initial...)
}

func (f function) If(pred compute.Value, then, otherwise compute.Function) ([]compute.Value, error) {
	return f.Function.If(pred, own(then), own(otherwise))
}

// own returns the function of the engine.
func own(f compute.Function) compute.Function {
	if f, ok := f.(function); ok {
		return f.Function
	}
	return f
}
