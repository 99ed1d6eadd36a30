package learn

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/expfam/lab/expfam/nn"
)

// Trained is a network that a training can start from: a [*Prior] or an [*Inference].
type Trained interface {
	// start returns what a training takes over, or nil if the network is nil.
	start() *start
}

// start is what a training takes over from a trained network: the weights. They act on standardised
// cells, so they serve any scale. All that is measured on draws is measured anew: Wiener's filter with
// the old spectrum would not be the best linear estimate for the new draws, and draws of a small grid
// contain nothing about the longest waves of a large grid.
type start struct {
	net     nn.Network
	cells   int
	weights []float32
	purpose string // the kind of network, aPrior or anInferrer, as error messages name it
}

// The kinds of trained networks, as error messages name them.
const (
	aPrior     = "a prior"
	anInferrer = "an inference network"
)

func (p *Prior) start() *start {
	if p == nil {
		return nil
	}
	return &start{p.Net, p.Dim(), p.weights, aPrior}
}

func (n *Inference) start() *start {
	if n == nil {
		return nil
	}
	return &start{n.Net, len(n.Scale.Mean), n.weights, anInferrer}
}

// begins checks that a training of Net for this number of cells can start from From. It returns an error
// if From is of another kind, or differs from Net in more than the grid.
func (t Training) begins(cells int, purpose string) error {
	if t.From == nil {
		return nil
	}
	s := t.From.start()
	if s == nil {
		return errors.New("train: From is a nil network; load or train it first, or leave From out")
	}
	if s.purpose != purpose {
		return fmt.Errorf("train: From is %s, and the training is of %s; start from a network of the same kind",
			s.purpose, purpose)
	}
	kind := func(n nn.Network) reflect.Type { return reflect.Indirect(reflect.ValueOf(n)).Type() }
	if kind(s.net) != kind(t.Net) || !s.within(t.Net.Params(cells, heads)) {
		return fmt.Errorf("train: Net is %v on %d cells, and From is %v on %d, which has other parameters; change "+
			"nothing but the grid of a U-Net, or make it Adaptive", t.Net, cells, s.net, s.cells)
	}
	return nil
}

// within reports whether a network with the given parameters has all parameters of s, in the same shapes.
func (s *start) within(params []nn.Param) bool {
	return !slices.ContainsFunc(s.net.Params(s.cells, heads), func(own nn.Param) bool {
		return !slices.ContainsFunc(params, func(p nn.Param) bool {
			return p.Name == own.Name && slices.Equal(p.Shape, own.Shape)
		})
	})
}

// fill writes the weights of s into values, which hold the given parameters. Parameters that s lacks keep their values.
func (s *start) fill(values []float32, params []nn.Param) {
	own, at := map[string][]float32{}, 0
	for _, p := range s.net.Params(s.cells, heads) {
		own[p.Name] = s.weights[at : at+p.Size()]
		at += p.Size()
	}
	at = 0
	for _, p := range params {
		copy(values[at:at+p.Size()], own[p.Name])
		at += p.Size()
	}
}

// from returns the hash of the weights that the training starts from, or "" if they are random.
func (t Training) from() string {
	if t.From == nil {
		return ""
	}
	return digestOf(t.From.start().weights, Scale{}, nil, nil)
}
