package nn

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

func TestImpossibleSizesAreRefused(t *testing.T) {
	for _, c := range []struct {
		net  Checker
		want string
	}{
		{MLP{Layers: -1}, "Layers -1"},
		{MLP{Width: -2}, "Width -2"},
		{MLP{Embedding: -3}, "Embedding -3"},
		{MLP{Embedding: 7}, "Embedding 7"},
		{Experts{Experts: -1}, "Experts -1"},
		{Experts{Width: -2}, "Width -2"},
		{Experts{Embedding: 7}, "Embedding 7"},
		{Modes{Width: -2}, "Width -2"},
		{Modes{Blocks: -2}, "Blocks -2"},
		{Modes{Parameters: 64}, "64 parameters in 64 cells"},
		{UNet{Rows: 8, Columns: 8, Channels: -4}, "Channels -4"},
		{UNet{Rows: 8, Columns: 8, Blocks: -1}, "Blocks -1"},
		{UNet{Rows: 8, Columns: 8, Attention: -8}, "Attention -8"},
		{UNet{Rows: 8, Columns: 8, Attention: 3}, "Attention 3, and its resolutions have [8 4 2 1] rows"},
		{UNet{Rows: 8, Columns: 8, Multiples: []int{1, 2}, Attention: 2},
			"Attention 2, and its resolutions have [8 4] rows"},
		{UNet{Rows: 8, Columns: 8, Groups: -8}, "Groups -8"},
		{UNet{Rows: 8, Columns: 8, Multiples: []int{1, 0}}, "a multiple of 0"},
		{UNet{Rows: 8, Columns: 8, Multiples: []int{}}, "0 resolutions"},
		{UNet{Rows: 8, Columns: 8, Embedding: -672}, "Embedding -672"},
		{UNet{Rows: -8, Columns: -8}, "-8×-8"},
		{UNet{}, "set Rows and Columns"},
		{UNet{Rows: 4, Columns: 4}, "4×4 cells and 0 parameters, and a prior of 64"},
		{UNet{Rows: 4, Columns: 16}, "divisible by 8"},
		{UNet{Rows: 8, Columns: 8, Plain: true, Adaptive: true}, "Adaptive and Plain"},
		{UNet{Rows: 8, Columns: 8, Groups: 5}, "16 channels in 5 groups"},
	} {
		must.Err(t, c.net.Check(64), c.want)
	}
	for _, net := range []Checker{MLP{}, Experts{}, Experts{Blocks: -1}, UNet{Rows: 8, Columns: 8},
		UNet{Rows: 8, Columns: 8, Attention: 8},
		UNet{Rows: 8, Columns: 8, Attention: 1}} {
		must.Do(t, net.Check(64), net)
	}
	must.Do(t, PaperUNet.Check(PaperUNet.Rows*PaperUNet.Columns))
}

// A network that was trained with an Attention of no resolution attends in the middle alone. Its file can still be
// loaded and evaluated: the value of the number does not matter, and the weights of the middle do.
func TestAttentionOfNoResolutionIsEvaluated(t *testing.T) {
	net := UNet{Rows: 8, Columns: 8, Channels: 4, Multiples: []int{1, 2}, Attention: 3, Groups: 2, Embedding: 6}
	other := net
	other.Attention = 16
	params := net.Params(64, 1)
	want := other.Params(64, 1)
	must.Need(t, reflect.DeepEqual(params, want), "parameters %v, want %v", params, want)
	rng := rand.New(rand.NewPCG(1, 2))
	x, flat, without := make([]float32, 64), make([]float32, Count(params)), []float32(nil)
	for j := range x {
		x[j] = float32(rng.NormFloat64())
	}
	for i := range flat {
		flat[i] = float32(0.3 * rng.NormFloat64())
	}
	middle := false
	for _, p := range params {
		own := flat[len(without):][:p.Size()]
		if strings.HasPrefix(p.Name, "middle.attention") {
			middle, own = true, make([]float32, p.Size())
		}
		without = append(without, own...)
	}
	must.Need(t, middle, "there is no attention in the middle")
	apply := func(n UNet, flat []float32) []float64 {
		return enginetest.Call(t, enginetest.Open(t, "go"), func(flat, x, l *Node) []*Node {
			return n.Apply(Unpack(flat, params), Input{X: x, Estimate: x, LogSigma: l, LogNoise: l}, 1)
		}, flat, [][]float32{x}, [][]float32{{-1}})[0]
	}
	got, same, off := apply(net, flat), apply(other, flat), apply(net, without)
	must.Be(t, slices.Equal(got, same), "with Attention 3 the network is %v, with 16 %v", got, same)
	var change float64
	for j, v := range got {
		change = max(change, math.Abs(v-off[j]))
	}
	if !(change > 1e-3) { // of values of order 1; NaN fails too
		t.Errorf("without its attention in the middle the network changes by %g", change)
	}
}
