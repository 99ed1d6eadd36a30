package expfam

import (
	"fmt"

	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
)

// Save writes the network to a file in the layout of safetensors, with its
// weights as one vector in the order of Net.Params.
func (p *Learned) Save(path string) error {
	f, err := (&trained{net: p.Net, scale: p.Scale, weights: p.weights, curve: p.Curve, coupling: p.coupling}).file()
	if err != nil {
		return err
	}
	return store.Write(path, f)
}

// LoadPrior reads a network that [Learned.Save] wrote; net is its
// architecture, nil for the default.
func LoadPrior(path string, net nn.Network) (*Learned, error) {
	if net == nil {
		net = nn.Experts{}
	}
	f, err := store.Read(path)
	if err != nil {
		return nil, err
	}
	t, err := trainedFrom(f, net)
	if err != nil {
		return nil, fmt.Errorf("prior: %s %w", path, err)
	}
	if len(t.coupling) == 0 {
		return nil, fmt.Errorf("prior: %s holds an inference network; give it to LoadInference", path)
	}
	p := t.learned()
	if !p.measured() {
		return nil, fmt.Errorf("prior: %s holds the coupling at %d noise levels, not at %d; train the network anew", path, len(t.coupling), len(couplingLevels))
	}
	return p, nil
}
