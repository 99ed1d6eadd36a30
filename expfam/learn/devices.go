package learn

import (
	"errors"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/nn"
)

// step is the compiled step of the optimizer. It is one graph if the batch has one part. Otherwise each worker has a
// graph that computes the gradient of a part, and the graph update moves the weights by the mean gradient.
type step struct {
	whole     *Exec
	gradients []*Exec // one for each worker, or one for all devices
	update    *Exec
	on        func(exec *Exec, args ...any) ([]*tensors.Tensor, error) // calls a graph
	rows      int                                                      // draws in a part
	parts     int
	devices   int // how many the engine has
}

func (r *trainer) newStep(params []nn.Param) (s *step, err error) {
	s = &step{on: r.Engine.Call, parts: r.parts(), devices: r.Engine.Backend.NumDevices()}
	s.rows = r.Batch / s.parts
	if s.parts == 1 {
		s.on = r.caller()
		s.whole, err = NewExec(r.Engine.Backend, r.stepGraph(params))
		return s, err
	}
	for range min(r.Engine.Workers(), s.parts) {
		gradient, err := NewExec(r.Engine.Backend, func(args []*Node) []*Node {
			g, loss := r.gradient(params, args[0], args[1:])
			return []*Node{g, loss}
		})
		if err != nil {
			return nil, err
		}
		s.gradients = append(s.gradients, gradient)
	}
	s.update, err = NewExec(r.Engine.Backend, func(args []*Node) []*Node {
		parts := args[states+1:] // gradient, loss, gradient, loss …
		g, loss := parts[0], parts[1]
		for i := 2; i < len(parts); i += 2 {
			g, loss = Add(g, parts[i]), Add(loss, parts[i+1])
		}
		share := 1 / float64(s.parts)
		return append(r.update(params, args[:states], args[states], MulScalar(g, share)), MulScalar(loss, share))
	})
	return s, err
}

func (s *step) close() {
	for _, e := range append(s.gradients, s.whole, s.update) {
		if e != nil {
			e.Finalize()
		}
	}
}

// call returns the state after a step on the batch data, followed by the loss of the batch.
func (s *step) call(state [states]*tensors.Tensor, scalars *tensors.Tensor, data [3]*tensors.Tensor) ([]*tensors.Tensor,
	error) {
	if s.whole != nil {
		return s.on(s.whole, state[0], state[1], state[2], state[3], scalars, data[0], data[1], data[2])
	}
	results := make([]*tensors.Tensor, 2*s.parts)
	err := parallel.Each(max(len(s.gradients), min(s.devices, s.parts)), s.parts, func(worker, i int) error {
		return s.part(worker, i, state[stWeights], data, results[2*i:2*i+2])
	})
	if err != nil {
		return nil, err
	}
	args := []any{state[0], state[1], state[2], state[3], scalars}
	for _, t := range results {
		args = append(args, t)
	}
	out, err := s.on(s.update, args...)
	return out, errors.Join(err, engine.Release(results...))
}

// part computes the gradient and the loss of part i of a batch, and writes them to out. The weights that it
// uses and the results in out are copies, because a tensor belongs to one device.
func (s *step) part(worker, i int, weights *tensors.Tensor, data [3]*tensors.Tensor,
	out []*tensors.Tensor) (err error) {
	args := make([]*tensors.Tensor, 4)
	if args[0], err = onHost(weights); err != nil {
		return err
	}
	for k, t := range data {
		d := t.Shape().Dimensions[1]
		err := tensors.ConstFlatData(t, func(values []float32) {
			args[k+1] = tensors.FromFlatDataAndDimensions(slices.Clone(values[i*s.rows*d:(i+1)*s.rows*d]), s.rows, d)
		})
		if err != nil {
			return err
		}
	}
	got, err := s.gradient(worker, i, args)
	if err != nil {
		return err
	}
	for k, t := range got {
		if out[k], err = onHost(t); err != nil {
			return err
		}
	}
	return engine.Release(append(args, got...)...)
}

// gradient computes the gradient and the loss of part i: by the worker's own graph on a single device, or by
// the common graph on the part's device.
func (s *step) gradient(worker, i int, args []*tensors.Tensor) (got []*tensors.Tensor, err error) {
	if s.devices == 1 {
		return s.on(s.gradients[worker], args[0], args[1], args[2], args[3])
	}
	// CallOnDevice of GoMLX v0.28.4 drops the device.
	got, _, err = s.gradients[0].CallWithGraphOnDevice(compute.DeviceNum(i%s.devices), args[0], args[1], args[2],
		args[3])
	return got, err
}

// onHost returns a copy of a tensor that is on no device.
func onHost(t *tensors.Tensor) (*tensors.Tensor, error) {
	flat, err := tensors.CopyFlatData[float32](t)
	if err != nil {
		return nil, err
	}
	return tensors.FromFlatDataAndDimensions(flat, t.Shape().Dimensions...), nil
}

// The limits of parts. In smaller parts an engine spends its time between operations. The number of parts
// changes the last digits of a training, so it must not depend on the machine.
const (
	partDraws   = 4       // least number of draws in a part
	partNumbers = 1 << 20 // least footprint of a part, in numbers; see [nn.Footprint]
	mostParts   = 8       // largest number of parts
)

// parts returns the number of parts of a batch, each of which has its own gradient. An engine with shared
// evaluations on one device gets the largest number that divides the batch within the limits above, else 1.
// All others get one part for each device.
func (r *trainer) parts() int {
	if r.Devices > 1 || !r.Engine.Shared() {
		return r.Devices
	}
	for n := mostParts; n > 1; n-- {
		if rows := r.Batch / n; r.Batch%n == 0 && rows >= partDraws &&
			float64(rows)*nn.Footprint(r.Net, len(r.scale.SD), heads) >= partNumbers {
			return n
		}
	}
	return 1
}

// alone is the largest footprint of a batch, in numbers, whose graphs run on one thread. These are the graphs
// of small networks. With a second thread, a training beside other work took half as long again.
const alone = 1 << 23

// caller returns the function that calls graphs of a whole batch: on one thread if the batch is small.
func (r *trainer) caller() func(exec *Exec, args ...any) ([]*tensors.Tensor, error) {
	if nn.Footprint(r.Net, len(r.scale.SD), heads)*float64(r.Batch) > alone {
		return (*Exec).Call
	}
	return r.Engine.Call
}
