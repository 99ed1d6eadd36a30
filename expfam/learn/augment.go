package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
)

// scoreScale is the scale of the cells of parameters, as a share of the field's standard deviation, or of 1 where that
// is larger. See [diffusion.Augmented]. On curves of 30 cells with unknown length scale and sd, a scale of 1 has
// posterior means of parameters half a standard deviation off; between 0.03 and 0.1 the scale hardly matters.
const scoreScale = 0.1

// augmented is the simulator of the field and of the scores of its parameters, in the cells after the field.
type augmented struct {
	of         ParametricSimulator
	parameters []law.Parameter
	scale      float64
	sd         float64 // of the scores
}

// concurrent is an augmented simulator that is [Concurrent].
type concurrent struct{ augmented }

func (concurrent) Concurrent() {}

func (a augmented) String() string { return a.of.String() }

func (a augmented) Dim() int { return a.of.Dim() + len(a.parameters) }

// mostScore is the largest score of a draw. Of three million draws of the prior one or two have a larger one.
const mostScore = 5

// Draw fills x with a draw of the field and with the scores of its parameters, times the scale.
func (a augmented) Draw(rng *rand.Rand, x []float64) {
	d := a.of.Dim()
	values := make([]float64, len(a.parameters))
	for k, p := range a.parameters {
		t := a.sd * rng.NormFloat64()
		for math.Abs(t) > mostScore {
			t = a.sd * rng.NormFloat64()
		}
		values[k], x[d+k] = law.At(p.Law, t), a.scale*t
	}
	a.of.DrawGiven(rng, values, x[:d])
}

// augment returns the simulator that a training draws from, and its parameters. They are nil if the simulator has none.
func augment(ctx context.Context, sim expfam.Simulator, t Training) (expfam.Simulator, []law.Parameter, error) {
	of, ok := sim.(ParametricSimulator)
	if !ok {
		return sim, nil, nil
	}
	if err := expfam.CheckPrior(sim); err != nil {
		return nil, nil, fmt.Errorf("train: %w", err)
	}
	parameters := of.Parameters()
	if len(parameters) == 0 {
		return sim, nil, nil
	}
	if err := law.CheckAll(parameters); err != nil {
		return nil, nil, fmt.Errorf("train: %v: %w", sim, err)
	}
	for k, p := range parameters {
		parameters[k].Law = law.Tabulate(p.Law)
	}
	field, err := scaleOf(ctx, sim, 1000, expfam.Stream(t.Seed, "scale of scores"))
	if err != nil {
		return nil, nil, err
	}
	a := augmented{of: of, parameters: parameters, scale: scoreScale * min(1, rms(field.SD)), sd: 1}
	if _, ok := sim.(Concurrent); ok {
		return concurrent{a}, parameters, nil
	}
	return a, parameters, nil
}

// augmentedNet returns the network that is trained: the default for parameters, or the given one for cells of which the
// last are parameters.
func (t Training) augmentedNet(parameters int) nn.Network {
	if parameters == 0 {
		return t.Net
	}
	if t.Net == nil && t.From == nil {
		return nn.Modes{Parameters: parameters}
	}
	if a, ok := t.Net.(nn.Augmenter); ok {
		return a.Augment(parameters)
	}
	return t.Net
}

// Augmented returns the parameters of the simulator that the prior was learned from, none if it had none, and the scale
// of their cells; see [diffusion.Augmented].
func (p *Prior) Augmented() (parameters []law.Parameter, scale float64) {
	if n := len(p.parameters); n > 0 {
		return p.parameters, p.Scale.SD[len(p.Scale.SD)-1]
	}
	return nil, 0
}

// scoresOf returns the scale of the scores of an augmented simulator.
func scoresOf(sim expfam.Simulator) float64 {
	switch a := sim.(type) {
	case augmented:
		return a.scale
	case concurrent:
		return a.scale
	}
	return 1
}

// shareOfScores is the share that the cells of parameters have in the loss.
const shareOfScores = 0.3

// cellWeights returns the weights of all cells in the loss, with the mean 1. A parameter is one cell among many, and
// its posterior is as much worth as that of the field.
func cellWeights(cells, parameters int) []float64 {
	w := make([]float64, cells)
	for j := range w {
		if w[j] = (1 - shareOfScores) / float64(cells-parameters); j >= cells-parameters {
			w[j] = shareOfScores / float64(parameters)
		}
		w[j] *= float64(cells)
	}
	return w
}

// addParameters adds the parameters to the file of a network, with their laws as tables.
func (t *trained) addParameters(f *store.File) error {
	for k, p := range t.parameters {
		text, err := json.Marshal([]string{p.Name, p.Unit, law.Text(p.Law)})
		if err != nil {
			return err
		}
		table := law.Tabulate(p.Law).Values
		f.Meta[fmt.Sprintf("parameter%d", k)] = string(text)
		f.Tensors = append(f.Tensors, store.Tensor{Name: fmt.Sprintf("law%d", k), Shape: []int{len(table)},
			Data: table})
	}
	return nil
}

// readParameters reads what addParameters wrote.
func (t *trained) readParameters(f *store.File) error {
	for k := 0; ; k++ {
		text, found := f.Meta[fmt.Sprintf("parameter%d", k)]
		if !found {
			return law.CheckAll(t.parameters)
		}
		var words [3]string
		values, _ := f.Tensor(fmt.Sprintf("law%d", k))
		table, ok := values.Data.([]float64)
		if err := json.Unmarshal([]byte(text), &words); err != nil || !ok || len(table) < 2 ||
			k+1 >= len(t.scale.Mean) {
			return fmt.Errorf("holds no law of parameter %d; train the network anew", k)
		}
		t.parameters = append(t.parameters, law.Parameter{Name: words[0], Unit: words[1],
			Law: law.Table{Name: words[2], Values: table}})
	}
}
