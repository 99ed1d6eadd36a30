package learn

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
)

// Save writes the network to a file in the layout of safetensors, with its
// weights as one vector in the order of Net.Params.
func (p *Prior) Save(path string) error {
	f, err := (&trained{net: p.Net, scale: p.Scale, weights: p.weights, curve: p.Curve, coupling: p.coupling,
		scales: p.scales, report: p.report, augmentation: p.augmentation}).file()
	if err != nil {
		return err
	}
	return store.Write(path, f)
}

// Load reads a network that [Prior.Save] wrote. An architecture of package nn is found by its description
// in the file. For any other architecture, and for files without a description, give the network that was
// trained. If the file has its fields, the zero value of its type will do.
func Load(path string, trained ...nn.Network) (*Prior, error) {
	f, err := store.Read(path)
	if err != nil {
		return nil, err
	}
	t, err := network(f, trained)
	if err != nil {
		return nil, fmt.Errorf("prior: %s %w", path, err)
	}
	if len(t.coupling) == 0 {
		return nil, fmt.Errorf("prior: %s holds an inference network; give it to LoadInference", path)
	}
	if len(t.coupling) != len(couplingLevels) {
		return nil, fmt.Errorf("prior: %s holds the coupling at %d noise levels, not at %d; train the network anew",
			path, len(t.coupling), len(couplingLevels))
	}
	return t.prior(), nil
}

// network reads the trained network of a file. Its architecture is the one that the file names, or one of given.
func network(f *store.File, given []nn.Network) (*trained, error) {
	given = slices.DeleteFunc(slices.Clone(given), func(n nn.Network) bool { return n == nil })
	net, err := architecture(f, given)
	if err != nil {
		return nil, err
	}
	return trainedFrom(f, net)
}

// architecture returns the architecture of the network in a file. A given network must have the same text,
// or be a zero value of the same type.
func architecture(f *store.File, given []nn.Network) (nn.Network, error) {
	name := f.Meta["network"]
	if name == "" {
		return nil, errors.New("holds no network; give a file that Save of a trained network wrote")
	}
	for _, net := range given {
		if net.String() == name {
			return net, nil
		}
	}
	text, named := f.Meta["architecture"]
	if !named {
		// Files of the first versions have only the text of the network, not its description.
		if net := (nn.Experts{}); len(given) == 0 && net.String() == name {
			return net, nil
		}
		return nil, fmt.Errorf("holds weights of %s%s; give the network that was trained", name, notOf(given))
	}
	net, err := nn.Described(text, given...)
	if err != nil {
		return nil, fmt.Errorf("holds weights of %s: %w; give the network that was trained", name, err)
	}
	if net.String() != name {
		return nil, fmt.Errorf("holds weights of %s, and its fields make %v; give the network that was trained", name,
			net)
	}
	for _, other := range given {
		if v := reflect.Indirect(reflect.ValueOf(other)); v.IsZero() &&
			v.Type() == reflect.Indirect(reflect.ValueOf(net)).Type() {
			return net, nil
		}
	}
	if len(given) > 0 {
		return nil, fmt.Errorf("holds weights of %s%s; give the network that was trained, or none", name, notOf(given))
	}
	return net, nil
}

// notOf returns the part of an error message that names the given network, if there is one.
func notOf(given []nn.Network) string {
	if len(given) == 0 {
		return ""
	}
	return fmt.Sprintf(", not of %v", given[0])
}
