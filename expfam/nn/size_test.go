package nn

import (
	"reflect"
	"strings"
	"testing"
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
		{Half{MLP{Layers: -1}}, "Layers -1"},
	} {
		if err := c.net.Check(64); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q in it", c.net, err, c.want)
		}
	}
	for _, net := range []Checker{MLP{}, Experts{}, Experts{Blocks: -1}, UNet{Rows: 8, Columns: 8},
		UNet{Rows: 8, Columns: 8, Attention: 8},
		UNet{Rows: 8, Columns: 8, Attention: 1}} {
		if err := net.Check(64); err != nil {
			t.Errorf("%v: %v", net, err)
		}
	}
	if err := PaperUNet.Check(PaperUNet.Rows * PaperUNet.Columns); err != nil {
		t.Error(err)
	}
}

// A network that was trained with an Attention of no resolution attends in the middle. Its file can still be loaded.
func TestAttentionOfNoResolutionIsEvaluated(t *testing.T) {
	net := UNet{Rows: 8, Columns: 8, Attention: 3}
	one := net
	one.Attention = 16
	if got, want := net.Params(64, 1), one.Params(64, 1); !reflect.DeepEqual(got, want) {
		t.Errorf("parameters %v, want %v", got, want)
	}
}
