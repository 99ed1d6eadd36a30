package nn_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/nn"
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
		{nn.Half{Network: nn.MLP{Width: 8}}, nil},
		{&own{nn.Half{Network: nn.Experts{Width: 5}}, []int{3, 4}}, []nn.Network{nil, &own{}}},
	} {
		t.Run(c.n.String(), func(t *testing.T) {
			text := must.Get(nn.Describe(c.n))(t)
			back := must.Get(nn.Described(text, c.own...))(t)
			must.Equal(t, back.String(), c.n.String(), c.n, "described as", text, back)
			must.Equal(t, must.Get(nn.Describe(back))(t), text, "described as", "then as")
			if o, ok := back.(*own); ok && o.Widths[1] != 4 {
				t.Errorf("fields %v", o.Widths)
			}
		})
	}
}

// A description has the numbers of defaults: it stays true when they change.
func TestDescriptionsHaveDefaults(t *testing.T) {
	text := must.Get(nn.Describe(nn.MLP{}))(t)
	var d struct{ Fields map[string]int }
	if err := json.Unmarshal([]byte(text), &d); err != nil || d.Fields["Layers"] != 6 || d.Fields["Width"] != 96 ||
		d.Fields["Embedding"] != 64 {
		t.Errorf("%s; error %v", text, err)
	}
}

func TestDescribedRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"mlp":                 "describes no network",
		`{"type":"main.Own"}`: "no network of type main.Own is known here; give one",
		`{"type":"github.com/expfam/lab/expfam/nn.MLP","fields":{"Depth":3}}`:                      "has no field Depth",
		`{"type":"github.com/expfam/lab/expfam/nn.MLP","fields":{"Width":"x"}}`:                    "field Width of",
		`{"type":"github.com/expfam/lab/expfam/nn.Half","fields":{"Network":{"type":"main.Own"}}}`: "main.Own is known here",
	} {
		if n, err := nn.Described(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, error %v, want %q in it", text, n, err, want)
		}
	}
	must.Refuse(nn.Describe(loud{F: func() {}}))(t, "field F of")
	must.Refuse(nn.Describe(nil))(t)
}
