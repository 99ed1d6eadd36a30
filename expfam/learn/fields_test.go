package learn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
)

// Every field of a training and of its network is in the key of what it makes, but for
// those of which the table says why they change nothing.
func TestKeysHaveAllFields(t *testing.T) {
	e, other := enginetest.Open(t, "go"), enginetest.Open(t, "go:parallelism=1")
	tiny := learn.Training{Net: nn.MLP{Width: 8}, Steps: 1, Batch: 4, Engine: e, Fresh: true}
	start := learntest.Train(t, few, tiny)
	tiny.Seed = 1
	another := learntest.Train(t, few, tiny)
	training := func(v any) (string, error) { return learn.NetworkKey(few, v.(learn.Training)) }
	network := func(cells int) func(v any) (string, error) {
		return func(v any) (string, error) {
			if c, ok := v.(nn.Checker); ok {
				if err := c.Check(cells); err != nil {
					return "", err
				}
			}
			return learn.NetworkKey(cellsOf(cells), learn.Training{Engine: e, Net: v.(nn.Network)})
		}
	}
	optimizer := func(v any) (string, error) {
		return learn.NetworkKey(few, learn.Training{Engine: e, Net: nn.MLP{Width: 16}, Optimizer: v.(learn.Optimizer)})
	}
	for _, c := range []struct {
		name  string
		value any
		key   func(v any) (string, error)
		with  map[string]any
		not   map[string]string
	}{
		{"training", learn.Training{Net: nn.MLP{Width: 8}, Steps: 20, Batch: 4, Rate: 0.01, Average: 0.9, Faint: 0.5,
			Seed: 5, Engine: e, Devices: 1, From: start}, training,
			map[string]any{"Net": nn.MLP{Width: 9}, "Engine": other, "From": another,
				"Optimizer": learn.Muon{Scale: 2}},
			map[string]string{"Fresh": "results that are stored are not asked for",
				"Progress": "it looks", "Watch": "it looks", "Snapshot": "it looks"}},
		{"mlp", nn.MLP{Layers: 2, Width: 8, Embedding: 6}, network(6), nil, nil},
		{"experts", nn.Experts{Experts: 2, Blocks: 1, Width: 8, Embedding: 6}, network(6), nil, nil},
		{"modes", nn.Modes{Parameters: 2, Blocks: 1, Width: 8, Embedding: 6}, network(6), nil, nil},
		{"unet", nn.UNet{Rows: 4, Columns: 4, Channels: 4, Multiples: []int{1, 2}, Blocks: 1, Attention: 2, Groups: 2,
			Adaptive: true, Embedding: 6}, network(16), nil, nil},
		{"muon", learn.Muon{Scale: 0.5}, optimizer, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			storetest.Fields(t, c.value, c.key, c.with, c.not)
		})
	}
}

// cellsOf is independent cells, so many.
type cellsOf int

func (c cellsOf) String() string { return fmt.Sprintf("cells(%d)", int(c)) }
func (c cellsOf) Dim() int       { return int(c) }
func (c cellsOf) Draw(rng *rand.Rand, x []float64) {
	for j := range x {
		x[j] = rng.NormFloat64()
	}
}
