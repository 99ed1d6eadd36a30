package learn

import (
	"errors"
	"sync"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/nn"
)

// step is the compiled step of Adam: one graph, or for several devices one of
// gradients, which each of them runs on its part of the batch, and one that
// moves the weights by their mean.
type step struct {
	whole            *Exec
	gradient, update *Exec
	on               func(exec *Exec, args ...any) ([]*tensors.Tensor, error)
	devices, batch   int
	present          int // devices that the engine has
}

func (r *trainer) newStep(params []nn.Param) (s *step, err error) {
	s = &step{on: r.caller(), devices: r.Devices, batch: r.Batch, present: r.Engine.Backend.NumDevices()}
	if s.devices == 1 {
		s.whole, err = NewExec(r.Engine.Backend, r.stepGraph(params))
		return s, err
	}
	if s.gradient, err = NewExec(r.Engine.Backend, func(args []*Node) []*Node {
		g, loss := r.gradient(params, args[0], args[1:])
		return []*Node{g, loss}
	}); err != nil {
		return nil, err
	}
	s.update, err = NewExec(r.Engine.Backend, func(args []*Node) []*Node {
		parts := args[states+1:] // gradient, loss, gradient, loss …
		g, loss := parts[0], parts[1]
		for i := 2; i < len(parts); i += 2 {
			g, loss = Add(g, parts[i]), Add(loss, parts[i+1])
		}
		share := 1 / float64(s.devices)
		return append(r.adam(args[:states], args[states], MulScalar(g, share)), MulScalar(loss, share))
	})
	return s, err
}

func (s *step) close() {
	for _, e := range []*Exec{s.whole, s.gradient, s.update} {
		if e != nil {
			e.Finalize()
		}
	}
}

// call is the state after a batch, and its loss.
func (s *step) call(state [states]*tensors.Tensor, scalars *tensors.Tensor, data [3]*tensors.Tensor) ([]*tensors.Tensor, error) {
	if s.whole != nil {
		return s.on(s.whole, state[0], state[1], state[2], state[3], scalars, data[0], data[1], data[2])
	}
	parts, errs := make([]*tensors.Tensor, 2*s.devices), make([]error, s.devices)
	var wg sync.WaitGroup
	for i := range s.devices {
		wg.Go(func() { errs[i] = s.part(i, state[stWeights], data, parts[2*i:2*i+2]) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	args := []any{state[0], state[1], state[2], state[3], scalars}
	for _, p := range parts {
		args = append(args, p)
	}
	out, err := s.update.Call(args...)
	return out, errors.Join(err, engine.Release(parts...))
}

// part is the gradient and the loss of one part of a batch. It takes a copy of
// the weights and leaves copies of its results: a tensor belongs to one device.
func (s *step) part(i int, weights *tensors.Tensor, data [3]*tensors.Tensor, out []*tensors.Tensor) (err error) {
	args := make([]*tensors.Tensor, 4)
	if args[0], err = onHost(weights); err != nil {
		return err
	}
	rows := s.batch / s.devices
	for k, t := range data {
		values, err := tensors.CopyFlatData[float32](t)
		if err != nil {
			return err
		}
		d := t.Shape().Dimensions[1]
		args[k+1] = tensors.FromFlatDataAndDimensions(values[i*rows*d:(i+1)*rows*d], rows, d)
	}
	// CallOnDevice of GoMLX v0.28.2 drops the device.
	got, _, err := s.gradient.CallWithGraphOnDevice(compute.DeviceNum(i%s.present), args[0], args[1], args[2], args[3])
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

// onHost is a copy that is on no device.
func onHost(t *tensors.Tensor) (*tensors.Tensor, error) {
	flat, err := tensors.CopyFlatData[float32](t)
	if err != nil {
		return nil, err
	}
	return tensors.FromFlatDataAndDimensions(flat, t.Shape().Dimensions...), nil
}

// alone is the most numbers of a batch whose graphs run on one thread, those of small
// networks: beside other work a training with a second thread took half as long again.
const alone = 1 << 23

// caller is how graphs of the size of a batch are called.
func (r *trainer) caller() func(exec *Exec, args ...any) ([]*tensors.Tensor, error) {
	if nn.Footprint(r.Net, len(r.scale.SD), heads)*float64(r.Batch) > alone {
		return (*Exec).Call
	}
	return r.Engine.Call
}
