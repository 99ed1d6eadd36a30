package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
)

// scoreScale is the scale of the cells of parameters and of cells ahead of the data, as a share of the field's standard
// deviation, or of 1 where that is larger. See [diffusion.Augmented]. On curves of 30 cells with unknown length scale
// and sd, a scale of 1 has posterior means of parameters half a standard deviation off; between 0.03 and 0.1 the scale
// hardly matters.
const scoreScale = 0.1

// augmentation is what the last cells of a prior are: first the cells of the field ahead of the data, then the scores
// of the parameters; see [diffusion.Augmented].
type augmentation struct {
	parameters []law.Parameter
	ahead      []law.Normal
}

// augmented is the simulator of the field and of the scores of its parameters.
type augmented struct {
	of ParametricSimulator
	augmentation
	scale float64
	sd    float64 // of the scores of parameters
}

// concurrent is an augmented simulator that is [Concurrent].
type concurrent struct{ augmented }

func (concurrent) Concurrent() {}

func (a augmented) String() string { return a.of.String() }

func (a augmented) Dim() int { return a.of.Dim() + len(a.parameters) }

// mostScore is the largest score of a draw. Of three million draws of the prior one or two have a larger one.
const mostScore = 5

// Draw fills x with a draw of the field and with the scores of its parameters, times the scale. Cells ahead of the data
// are such scores too.
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
	for k, l := range a.ahead {
		j := d - len(a.ahead) + k
		x[j] = a.scale * (x[j] - l.Mean) / l.SD
	}
}

// augment returns the simulator that a training draws from: the simulator itself if it has no parameters.
func augment(ctx context.Context, sim expfam.Simulator, t Training) (expfam.Simulator, error) {
	of, ok := sim.(ParametricSimulator)
	if ok {
		if err := traits.Check(sim); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	if !ok || len(of.Parameters()) == 0 {
		if t.Ahead != 0 {
			return nil, fmt.Errorf("train: Ahead is %d, and %v has no parameters; leave Ahead out, and give no data "+
				"in these cells", t.Ahead, sim)
		}
		return sim, nil
	}
	parameters := slices.Clone(of.Parameters())
	if err := law.CheckAll(parameters); err != nil {
		return nil, fmt.Errorf("train: %v: %w", sim, err)
	}
	data := sim.Dim() - t.Ahead
	if t.Ahead < 0 || data < 1 {
		return nil, fmt.Errorf("train: Ahead is %d of %d cells; at least one cell must have data", t.Ahead, sim.Dim())
	}
	for k, p := range parameters {
		parameters[k].Law = law.Tabulate(p.Law)
	}
	field, err := scaleOf(ctx, sim, 1000, expfam.Stream(t.Seed, "scale of scores"))
	if err != nil {
		return nil, err
	}
	a := augmented{of: of, scale: scoreScale * min(1, rms(field.SD[:data])), sd: 1}
	a.parameters = parameters
	for j := data; j < sim.Dim(); j++ {
		a.ahead = append(a.ahead, law.Normal{Mean: field.Mean[j], SD: field.SD[j]})
	}
	if _, ok := sim.(Concurrent); ok {
		return concurrent{a}, nil
	}
	return a, nil
}

// augmentedNet returns the network that is trained: the default for parameters, or the given one for cells of which so
// many at the end are scores.
func (t Training) augmentedNet(scores int) nn.Network {
	if scores == 0 {
		return t.Net
	}
	if t.Net == nil && t.From == nil {
		return nn.Modes{Parameters: scores}
	}
	if a, ok := t.Net.(nn.Augmenter); ok {
		return a.Augment(scores)
	}
	return t.Net
}

// Augmented returns the parameters of the simulator that the prior was learned from, none if it had none, the cells
// ahead of the data, and the scale of both; see [diffusion.Augmented].
func (p *Prior) Augmented() (parameters []law.Parameter, ahead []law.Normal, scale float64) {
	if len(p.parameters) == 0 {
		return nil, nil, 0
	}
	return p.parameters, p.ahead, p.Scale.SD[len(p.Scale.SD)-1]
}

// augmentedOf returns an augmented simulator, and the zero value for any other.
func augmentedOf(sim expfam.Simulator) augmented {
	switch a := sim.(type) {
	case augmented:
		return a
	case concurrent:
		return a.augmented
	}
	return augmented{}
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

// addTo adds the parameters to the file of a network, with their laws as tables, and the cells ahead of the data.
func (a augmentation) addTo(f *store.File) error {
	if n := len(a.ahead); n > 0 {
		values := make([]float64, 0, 2*n)
		for _, l := range a.ahead {
			values = append(values, l.Mean, l.SD)
		}
		f.Tensors = append(f.Tensors, store.Tensor{Name: "ahead", Shape: []int{n, 2}, Data: values})
	}
	for k, p := range a.parameters {
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

// readAugmentation reads what addTo wrote.
func (t *trained) readAugmentation(f *store.File) error {
	if values, found := f.Tensor("ahead"); found {
		v, ok := values.Data.([]float64)
		ok = ok && len(v)%2 == 0 && len(v)/2 < len(t.scale.Mean)
		for k := 0; ok && k < len(v); k += 2 {
			ok = finite(v[k]) && finite(v[k+1]) && v[k+1] > 0
			t.ahead = append(t.ahead, law.Normal{Mean: v[k], SD: v[k+1]})
		}
		if !ok {
			return errors.New("holds no means and sds of the cells ahead of the data; train the network anew")
		}
	}
	for k := 0; ; k++ {
		text, found := f.Meta[fmt.Sprintf("parameter%d", k)]
		if !found {
			return law.CheckAll(t.parameters)
		}
		var words [3]string
		values, _ := f.Tensor(fmt.Sprintf("law%d", k))
		table, ok := values.Data.([]float64)
		if err := json.Unmarshal([]byte(text), &words); err != nil || !ok || len(table) < 2 ||
			len(t.ahead)+k+1 >= len(t.scale.Mean) {
			return fmt.Errorf("holds no law of parameter %d; train the network anew", k)
		}
		t.parameters = append(t.parameters, law.Parameter{Name: words[0], Unit: words[1],
			Law: law.Table{Name: words[2], Values: table}})
	}
}
