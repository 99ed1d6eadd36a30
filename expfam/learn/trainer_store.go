package learn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/storedir"
)

// resume takes up the state that a former run saved. It reports whether there was a state that fits.
func (r *trainer) resume(parameters int) bool {
	f, found := r.cache.Load(storedir.Training, r.key)
	if !found {
		return false
	}
	next, err := strconv.Atoi(f.Meta["next"])
	sum, errSum := strconv.ParseFloat(f.Meta["sum"], 64)
	if err != nil || errSum != nil || json.Unmarshal([]byte(f.Meta["curve"]), &r.curve) != nil {
		r.log.Warn("train: the saved state can't be read and is not used", "key", r.key)
		r.curve = Curve{}
		return false
	}
	for i, name := range stateNames {
		t, ok := f.Tensor(name)
		values, single := t.Data.([]float32)
		if !ok || !single || len(values) != parameters {
			r.log.Warn("train: the saved state does not fit the network and is not used", "key", r.key)
			r.curve = Curve{}
			return false
		}
		r.state[i] = tensors.FromFlatDataAndDimensions(values, parameters)
	}
	r.next, r.sum, r.spent, r.unseen = next, sum, r.curve.Seconds, f.Meta["unseen"] != ""
	return true
}

var stateNames = [states]string{"weights", "average", "first", "second"}

// save stores the state, from which a later run goes on. It reports whether the state is stored.
func (r *trainer) save() bool {
	r.clock()
	if r.cache == nil {
		return false
	}
	f, err := r.file()
	if err != nil {
		r.log.Warn("train: the state is not saved; an interrupt will lose it", "step", r.next, "reason", err)
		return false
	}
	return r.cache.Keep(storedir.Training, r.key, f)
}

// file returns the state as a tensor file.
func (r *trainer) file() (*store.File, error) {
	curve, err := json.Marshal(r.curve)
	if err != nil {
		return nil, err
	}
	f := &store.File{Meta: map[string]string{
		"next": strconv.Itoa(r.next), "sum": strconv.FormatFloat(r.sum, 'g', -1, 64), "curve": string(curve)}}
	if r.unseen {
		f.Meta["unseen"] = "1"
	}
	for i, name := range stateNames {
		values, err := tensors.CopyFlatData[float32](r.state[i])
		if err != nil {
			return nil, err
		}
		f.Tensors = append(f.Tensors, store.Tensor{Name: name, Shape: []int{len(values)}, Data: values})
	}
	return f, nil
}

// finish stores the network, and then removes the stored state of the training. A failure is only logged,
// because the caller still gets the network, which is worth more than its stored copy.
func (r *trainer) finish(done *trained) {
	if r.cache == nil {
		return
	}
	f, err := done.file()
	if err != nil {
		r.log.Warn("train: the network is not stored", "reason", err)
		return
	}
	if r.cache.Keep("network", r.key, f) {
		r.cache.Drop(storedir.Training, r.key)
	}
}

// file returns a trained network as a tensor file.
func (t *trained) file() (*store.File, error) {
	curve, err := json.Marshal(t.curve)
	if err != nil {
		return nil, err
	}
	f := &store.File{
		Meta: map[string]string{"network": t.net.String(), "curve": string(curve)},
		Tensors: []store.Tensor{
			{Name: "weights", Shape: []int{len(t.weights)}, Data: t.weights},
			{Name: "mean", Shape: []int{len(t.scale.Mean)}, Data: t.scale.Mean},
			{Name: "sd", Shape: []int{len(t.scale.SD)}, Data: t.scale.SD},
			{Name: "coupling", Shape: []int{len(t.coupling)}, Data: t.coupling},
		},
	}
	// A network that can't be described is stored without its architecture; [Load] then has to be given it.
	if text, err := nn.Describe(t.net); err == nil {
		f.Meta["architecture"] = text
	}
	if t.scale.bounded() {
		f.Tensors = append(f.Tensors, store.Tensor{Name: "bounds", Shape: []int{2},
			Data: []float64{t.scale.Low, t.scale.High}})
	}
	if s := t.scales; len(s.Larger) > 0 {
		f.Tensors = append(f.Tensors, store.Tensor{Name: "scales", Shape: []int{1 + len(s.Larger)},
			Data: append([]float64{s.Training}, s.Larger...)})
	}
	t.report.addTo(f)
	return f, t.addTo(f)
}

// trainedFrom reads a file that trained.file wrote. It is an error if net is not the architecture that was trained.
func trainedFrom(f *store.File, net nn.Network) (*trained, error) {
	if f.Meta["network"] != net.String() {
		return nil, fmt.Errorf("holds weights of %s, not of %v; give the network that was trained", f.Meta["network"],
			net)
	}
	t, err := &trained{net: net}, error(nil)
	if err := json.Unmarshal([]byte(f.Meta["curve"]), &t.curve); err != nil {
		return nil, fmt.Errorf("holds no training curve: %w", err)
	}
	weights, _ := f.Tensor("weights")
	mean, _ := f.Tensor("mean")
	sd, _ := f.Tensor("sd")
	coupling, _ := f.Tensor("coupling")
	var ok [4]bool
	t.weights, ok[0] = weights.Data.([]float32)
	t.scale.Mean, ok[1] = mean.Data.([]float64)
	t.scale.SD, ok[2] = sd.Data.([]float64)
	t.coupling, ok[3] = coupling.Data.([]float64)
	if bounds, found := f.Tensor("bounds"); found {
		b, double := bounds.Data.([]float64)
		if !double || len(b) != 2 || !(b[0] < b[1]) {
			return nil, fmt.Errorf("holds bounds that are no interval; train the network anew")
		}
		t.scale.Low, t.scale.High = b[0], b[1]
	}
	if scales, found := f.Tensor("scales"); found {
		v, double := scales.Data.([]float64)
		if !double || len(v) < 2 || slices.ContainsFunc(v, func(a float64) bool { return !(a > 0) || !finite(a) }) {
			return nil, fmt.Errorf("holds scales that are not positive; measure the network anew")
		}
		t.scales = Scales{Training: v[0], Larger: v[1:]}
	}
	if t.report, err = readReport(f); err != nil {
		return nil, err
	}
	if ok != [4]bool{true, true, true, true} || len(t.scale.Mean) != len(t.scale.SD) {
		return nil, fmt.Errorf("lacks weights, scale or coupling; train the network anew")
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	if err := t.readAugmentation(f); err != nil {
		return nil, err
	}
	want, err := countOf(net, len(t.scale.Mean))
	if err == nil && len(t.weights) != want {
		err = fmt.Errorf("holds %d weights and %v has %d; give the network that was trained", len(t.weights), net,
			want)
	}
	return t, err
}

// countOf returns the number of weights of a network. The Params of a network that cannot be may panic; see
// [nn.Checker].
func countOf(net nn.Network, cells int) (n int, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("holds weights of %v: %v; give the network that was trained", net, reason)
		}
	}()
	return nn.Count(net.Params(cells, heads)), nil
}

// check refuses numbers that no training leaves. Without this check they would give wrong draws without an error.
func (t *trained) check() error {
	if len(t.scale.Mean) == 0 {
		return errors.New("holds no cells; train the network anew")
	}
	for j, mean := range t.scale.Mean {
		if sd := t.scale.SD[j]; !finite(mean) || !finite(sd) || !(sd > 0) {
			return fmt.Errorf("holds mean %g and sd %g of cell %d; both must be finite and the sd positive: train "+
				"the network anew", mean, sd, j)
		}
	}
	for i, w := range t.weights {
		if !finite(float64(w)) {
			return fmt.Errorf("holds %g as weight %d; train the network anew", w, i)
		}
	}
	for i, c := range t.coupling {
		if !finite(c) || c < 1 {
			return fmt.Errorf("holds %g as coupling %d, which must be at least 1 and finite; train the network anew", c,
				i)
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// stored returns the stored network, or nil if there is none that can be used.
func (r *trainer) stored() *trained {
	f, found := r.cache.Load("network", r.key)
	if !found {
		return nil
	}
	t, err := trainedFrom(f, r.Net)
	if err != nil {
		r.log.Warn("train: the stored network is not used", "reason", err, "key", r.key)
		return nil
	}
	return t
}
