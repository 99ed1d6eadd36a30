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
		return fmt.Errorf("train: From is %s, and the training is of %s; start from a network of the same kind", s.purpose, purpose)
	}
	kind := func(n nn.Network) reflect.Type { return reflect.Indirect(reflect.ValueOf(n)).Type() }
	same := func(a, b nn.Param) bool { return a.Name == b.Name && slices.Equal(a.Shape, b.Shape) }
	if kind(s.net) != kind(t.Net) || !slices.EqualFunc(s.net.Params(s.cells, heads), t.Net.Params(cells, heads), same) {
		return fmt.Errorf("train: Net is %v on %d cells, and From is %v on %d, which has other parameters; change nothing but the grid of a U-Net", t.Net, cells, s.net, s.cells)
	}
	return nil
}

// from returns the hash of the weights that the training starts from, or "" if they are random.
func (t Training) from() string {
	if t.From == nil {
		return ""
	}
	return digestOf(t.From.start().weights, Scale{}, nil)
}
