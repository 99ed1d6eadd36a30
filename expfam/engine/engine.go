// Package engine chooses and opens the GoMLX backend on which graphs run: XLA, ONNX Runtime or pure Go.
//
// A program can always use pure Go. It can use ONNX Runtime unless it was built with the tag noonnx, and XLA unless it
// was built with the tag noxla. Opening an engine never downloads anything; `expfam install` installs the runtimes.
package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam/internal/host"
)

// Env is the environment variable that chooses the default engine. Its values are those of [Open].
const Env = compute.ConfigEnvVar

// Engine is an open backend. Graphs are compiled with Backend.
type Engine struct {
	Backend compute.Backend
	spec    string
	library string                           // the version of the runtime's file
	alone   func(compile func() error) error // see driver
}

// String returns the specification that opens the same engine again.
func (e *Engine) String() string { return e.spec }

// Workers returns the number of simultaneous evaluations that keep the processors busy, each compiled by
// [Engine.Alone]. For ONNX Runtime on processors it is runtime.GOMAXPROCS, which follows affinity and the quota of a
// cgroup. A second thread makes an evaluation of a small network on ONNX Runtime no faster, and of a U-Net hardly
// faster, but a second evaluation uses a second processor completely. For other engines Workers returns 1, because XLA
// and pure Go distribute one evaluation over the processors.
func (e *Engine) Workers() int {
	if e.alone == nil {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// Shared reports whether several evaluations run at the same time on this engine, one on each
// processor. Unlike [Engine.Workers] it does not depend on the machine.
func (e *Engine) Shared() bool { return e.alone != nil }

// Alone calls compile. If the engine is [Engine.Shared], a graph that compile compiles runs on
// the thread of its caller alone.
func (e *Engine) Alone(compile func() error) error {
	if e.alone == nil {
		return compile()
	}
	return e.alone(compile)
}

// Call calls a graph that runs on the thread of its caller alone; see [Engine.Alone]. The first
// call of a graph compiles it.
func (e *Engine) Call(exec *graph.Exec, args ...any) (out []*tensors.Tensor, err error) {
	err = e.Alone(func() error {
		out, err = exec.Call(args...)
		return err
	})
	return out, err
}

// driver is a kind of engine that this program was built with. Each driver file adds its driver to drivers.
type driver struct {
	name    string
	aliases []string
	// find returns the place of the runtime. Its error says what to do to have a runtime.
	find func(config string) (location string, err error)
	// open is called with what find returned.
	open func(location, config string) (compute.Backend, error)
	// auto are the configurations that automatic choice tries, best first.
	auto []string
	// alone calls compile so that graphs that it compiles run on the thread of their caller. It is nil for
	// engines that cannot do so.
	alone func(compile func() error) error
}

var drivers = map[string]driver{}

// order is the order of automatic choice: first an accelerator, then the fastest CPU engine. ONNX
// Runtime is about 8 times as fast as pure Go on dense networks, and 80 times on convolutions.
var order = []string{"xla", "onnx", "go"}

func init() {
	drivers["go"] = driver{
		name: "go",
		find: func(string) (string, error) { return "", nil },
		open: func(_, config string) (compute.Backend, error) { return host.Open(config) },
		auto: []string{""},
	}
}

// Open opens an engine: "xla:cuda", "xla:cpu", "onnx", "go", with options after a colon as GoMLX defines them
// ("xla:cuda,tf32=false"). The empty string means the value of the environment variable GOMLX_BACKEND. If that is empty
// too, it means the first engine that this machine has, in the order XLA on CUDA, ONNX Runtime, pure Go.
func Open(spec string) (*Engine, error) {
	if spec == "" {
		spec = os.Getenv(Env)
	}
	if spec == "" {
		return automatic()
	}
	name, config, _ := strings.Cut(spec, ":")
	d, err := lookup(name)
	if err != nil {
		return nil, err
	}
	location, err := d.find(config)
	if err != nil {
		return nil, err
	}
	return d.start(location, config)
}

// automatic opens the first engine of order that this machine has.
func automatic() (*Engine, error) {
	var last error
	for _, name := range order {
		d, linked := drivers[name]
		if !linked {
			continue
		}
		for _, config := range d.auto {
			location, err := d.find(config)
			if err != nil {
				continue
			}
			e, err := d.start(location, config)
			if err == nil {
				return e, nil
			}
			// The user must learn of an engine that is installed but broken.
			slog.Warn("engine: an engine that is installed does not open; the next one is tried", "reason", err)
			last = err
		}
	}
	return nil, fmt.Errorf("engine: no engine could be opened; the last error is: %w", last)
}

// start opens the engine with the runtime at location.
func (d driver) start(location, config string) (*Engine, error) {
	b, err := d.open(location, config)
	if err != nil {
		return nil, fmt.Errorf("engine: %s does not open: %w; run `expfam doctor`", join(d.name, config), err)
	}
	library, err := libraryVersion(location)
	if err != nil {
		return nil, fmt.Errorf("engine: the library of %s can't be read: %w", join(d.name, config), err)
	}
	e := &Engine{Backend: b, spec: join(d.name, config), library: library}
	if config == "" || config == "cpu" {
		e.alone = d.alone
	}
	return e, nil
}

// lookup returns the driver with this name or alias.
func lookup(name string) (driver, error) {
	for _, d := range drivers {
		if d.name == name || slices.Contains(d.aliases, name) {
			return d, nil
		}
	}
	if slices.Contains([]string{"xla", "stablehlo", "onnx", "onnxruntime"}, name) {
		return driver{}, fmt.Errorf("engine: %s is not linked into this program; build it with cgo and without the "+
			"tags noxla and noonnx", name)
	}
	return driver{}, fmt.Errorf("engine: %q is unknown; use xla:cuda, xla:cpu, onnx or go", name)
}

// join returns the specification of an engine.
func join(name, config string) string {
	if config == "" {
		return name
	}
	return name + ":" + config
}

// Status is what [List] reports on an engine.
type Status struct {
	Name     string // "xla:cuda", "onnx", "go"
	Location string // path of the runtime, empty if built in
	Err      error  // why it can't be used
}

// List reports every engine that this program was built with, in the order of automatic choice, without opening any.
func List() []Status {
	var all []Status
	for _, name := range order {
		d, linked := drivers[name]
		if !linked {
			continue
		}
		for _, config := range d.auto {
			location, err := d.find(config)
			all = append(all, Status{Name: join(name, config), Location: location, Err: err})
		}
	}
	return all
}

// Default opens the engine of the empty specification, and returns the same engine in every call of
// a process. Two clients of one GPU would compete for its memory.
var Default = sync.OnceValues(func() (*Engine, error) { return Open("") })

// Float64 opens the engine that evaluates graph functions on the host, and returns the same engine in
// every call of a process. It is pure Go, which computes in double precision on every machine.
var Float64 = sync.OnceValues(func() (*Engine, error) { return Open("go") })

// Release frees the memory of tensors at once. This memory lies outside of Go's heap, so the garbage
// collector does not see how much of it a loop leaves behind.
func Release(all ...*tensors.Tensor) error {
	var errs []error
	for _, t := range all {
		errs = append(errs, t.FinalizeAll())
	}
	return errors.Join(errs...)
}
