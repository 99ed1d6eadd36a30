package nn_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// own is a network of a type outside of the package, with another one inside.
type own struct {
	nn.Network
	Widths []int
}

func (o *own) String() string { return "own(" + o.Network.String() + ")" }

// loud has a field that no text holds.
type loud struct {
	nn.MLP
	F func()
}

func TestDescribedNetworksAreTheSame(t *testing.T) {
	for _, c := range []struct {
		n   nn.Network
		own []nn.Network
	}{
		{nn.Experts{}, nil},
		{nn.Experts{Experts: 3, Blocks: -1, Width: 7, Embedding: 8}, nil},
		{nn.MLP{Layers: 2}, nil},
		{nn.Modes{Parameters: 3}, nil},
		{nn.UNet{Rows: 8, Columns: 16, Multiples: []int{1, 3}, Offset: true, Plain: true}, nil},
		{nn.PaperUNet, nil},
		{&own{nn.Experts{Width: 5}, []int{3, 4}}, []nn.Network{nil, &own{}}},
	} {
		t.Run(c.n.String(), func(t *testing.T) {
			text := must.Get(nn.Describe(c.n))(t)
			back := must.Get(nn.Described(text, c.own...))(t)
			must.Equal(t, back.String(), c.n.String(), c.n, "described as", text, back)
			must.Equal(t, must.Get(nn.Describe(back))(t), text, "described as", "then as")
			o, ok := back.(*own)
			must.Be(t, !ok || o.Widths[1] == 4, "fields %v", back)
		})
	}
}

// A description has the numbers of defaults: it stays true when they change.
func TestDescriptionsHaveDefaults(t *testing.T) {
	text := must.Get(nn.Describe(nn.MLP{}))(t)
	var d struct{ Fields map[string]int }
	err := json.Unmarshal([]byte(text), &d)
	must.Be(t, err == nil && d.Fields["Layers"] == 6 && d.Fields["Width"] == 96 && d.Fields["Embedding"] == 64,
		"%s; error %v", text, err)
}

func TestDescribedRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"mlp":                 "describes no network",
		`{"type":"main.Own"}`: "no network of type main.Own is known here; give one",
		`{"type":"github.com/expfam/lab/expfam/nn.MLP","fields":{"Depth":3}}`:   "has no field Depth",
		`{"type":"github.com/expfam/lab/expfam/nn.MLP","fields":{"Width":"x"}}`: "field Width of",
	} {
		if n, err := nn.Described(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, error %v, want %q in it", text, n, err, want)
		}
	}
	must.Refuse(nn.Describe(loud{F: func() {}}))(t, "field F of")
	must.Refuse(nn.Describe(nil))(t)
}

// Weights that are held fixed change neither the heads nor their gradient with respect to x, with a level for each draw
// and with one for all, and have no gradient themselves.
func TestFrozen(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		eachNetwork(t, e, func(t *testing.T, n nn.Network, params []nn.Param) {
			x, levels := inputs(3, 0.3)
			each := [][][]float32{levels, levels[:1]}
			if e.String() != "go" {
				if n.String() != networks[0].String() && !*fulltest.Full {
					t.Skip("seconds to compile: run with -full")
				}
				each = each[1:] // which takes seconds to compile
			}
			for _, levels := range each {
				out := enginetest.Call(t, e, func(flat, x, l *graph.Node) []*graph.Node {
					var list []*graph.Node
					trained := nn.Unpack(flat, params)
					for _, w := range []nn.Weights{trained, trained.Frozen()} {
						head := n.Apply(w, nn.Input{X: x, Estimate: x, LogSigma: l, LogNoise: l}, heads)[0]
						// Nothing that a gradient passes in is a constant.
						loss := graph.ReduceAllSum(graph.Mul(head, graph.Sin(head)))
						list = append(list, append([]*graph.Node{head},
							graph.Gradient(loss, x, trained[params[0].Name])...)...)
					}
					return list
				}, busy(params), x, levels)
				for i, what := range []string{"the head", "its gradient in x"} {
					var largest float64
					for _, v := range out[i] {
						largest = max(largest, math.Abs(v))
					}
					for k, v := range out[i] {
						// Sums of 96 terms of float32, in another order.
						got := out[3+i][k]
						must.Be(t, math.Abs(got-v) <= 2e-5*largest,
							"%d levels: %s: value %d is %g, %g with trained weights", len(levels), what, k, got, v)
					}
				}
				for k, v := range out[5] {
					must.Need(t, v == 0, "weight %d has the gradient %g", k, v)
				}
			}
		})
	})
}
