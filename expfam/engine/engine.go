// Package engine chooses and opens the GoMLX backend on which graphs run:
// XLA, ONNX Runtime or pure Go.
//
// A program can always use pure Go. It can use ONNX Runtime unless it was built with the
// tag noonnx, and XLA unless it was built with the tag noxla. Opening an engine never
// downloads anything; `kernel install` installs the runtimes.
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
	_ "github.com/gomlx/compute/gobackend" // the floor that always works
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Env is the environment variable that chooses the default engine. Its values
// are those of [Open].
const Env = compute.ConfigEnvVar

// Engine is an open backend. Graphs are compiled with Backend.
type Engine struct {
	Backend compute.Backend
	spec    string
	library string // the version of the runtime's file
	alone   func(compile func() error) error
}

// String is the specification that opens the same engine again.
func (e *Engine) String() string { return e.spec }

// Workers is the number of simultaneous evaluations that keep the processors busy, each
// compiled by [Engine.Alone]. For ONNX Runtime on processors it is runtime.GOMAXPROCS,
// which follows affinity and the quota of a cgroup. There a second thread makes an
// evaluation of a small network no faster, and of a U-Net hardly faster, but a second
// evaluation uses a second processor completely. For other engines it is 1, because XLA
// and pure Go distribute one evaluation over processors.
func (e *Engine) Workers() int {
	if e.alone == nil {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// Shared says that evaluations run beside each other on this engine, on as many
// processors as there are. Unlike [Engine.Workers] it does not depend on the machine.
func (e *Engine) Shared() bool { return e.alone != nil }

// Alone calls compile. If the engine has several workers, a graph that is compiled in it
// runs on the thread of its caller.
func (e *Engine) Alone(compile func() error) error {
	if e.alone == nil {
		return compile()
	}
	return e.alone(compile)
}

// Call calls a graph on the thread of its caller, for which its first call compiles it;
// see [Engine.Alone].
func (e *Engine) Call(exec *graph.Exec, args ...any) (out []*tensors.Tensor, err error) {
	err = e.Alone(func() error {
		out, err = exec.Call(args...)
		return err
	})
	return out, err
}

// driver is a kind of engine that this program was built with; each driver
// file adds its own.
type driver struct {
	name    string
	aliases []string
	// find says where the runtime is, or what to do to have one.
	find func(config string) (location string, err error)
	// open is called with what find returned.
	open func(location, config string) (compute.Backend, error)
	// auto are the configurations that automatic choice tries, best first.
	auto []string
	// alone calls compile so that what it compiles runs on the thread of its caller. Nil
	// where an engine has no such form.
	alone func(compile func() error) error
}

var drivers = map[string]driver{}

// order of automatic choice: an accelerator, then the fastest CPU engine
// (about 8 times pure Go on dense networks, 200 times on convolutions).
var order = []string{"xla", "onnx", "go"}

func init() {
	drivers["go"] = driver{
		name: "go",
		find: func(string) (string, error) { return "", nil },
		open: func(_, config string) (compute.Backend, error) {
			// Operations at the same time deadlock in compute v0.1.2: they hold
			// all workers, and each waits for one to split its matrix product
			// with. One after another they still use all workers.
			options := strings.Split(config, ",")
			if slices.Contains(options, "ops_parallel") {
				return nil, fmt.Errorf("ops_parallel deadlocks in this version of GoMLX; leave it out")
			}
			if !slices.Contains(options, "ops_sequential") {
				config = strings.TrimPrefix(config+",ops_sequential", ",")
			}
			return compute.NewWithConfig(join("go", config))
		},
		auto: []string{""},
	}
}

// Open opens an engine: "xla:cuda", "xla:cpu", "onnx", "go", with options after a colon
// as GoMLX defines them ("xla:cuda,tf32=false"). The empty string means the value of the
// environment variable GOMLX_BACKEND. If that is empty too, it means the first engine
// that this machine has, in the order XLA on CUDA, ONNX Runtime, pure Go.
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
			// An engine that is installed but broken must be heard of.
			slog.Warn("engine: an engine that is installed does not open; the next one is tried", "reason", err)
			last = err
		}
	}
	return nil, fmt.Errorf("engine: no engine could be opened; the last error is: %w", last)
}

func (d driver) start(location, config string) (*Engine, error) {
	b, err := d.open(location, config)
	if err != nil {
		return nil, fmt.Errorf("engine: %s does not open: %w; run `go run ./kernel doctor`", join(d.name, config), err)
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

func lookup(name string) (driver, error) {
	for _, d := range drivers {
		if d.name == name || slices.Contains(d.aliases, name) {
			return d, nil
		}
	}
	if slices.Contains([]string{"xla", "stablehlo", "onnx", "onnxruntime"}, name) {
		return driver{}, fmt.Errorf("engine: %s is not linked into this program; build it with cgo and without the tags noxla and noonnx", name)
	}
	return driver{}, fmt.Errorf("engine: %q is unknown; use xla:cuda, xla:cpu, onnx or go", name)
}

func join(name, config string) string {
	if config == "" {
		return name
	}
	return name + ":" + config
}

// Status is one line of a report on an engine.
type Status struct {
	Name     string // "xla:cuda", "onnx", "go"
	Location string // path of the runtime, empty if built in
	Err      error  // why it can't be used
}

// List reports every engine that this program was built with, in the order
// of automatic choice, without opening any.
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

// Default opens the engine of the empty specification once per process and
// returns the same one ever after: two clients of one GPU would compete for
// its memory.
var Default = sync.OnceValues(func() (*Engine, error) { return Open("") })

// Float64 opens once per process the engine that lifts graph functions to the
// host: pure Go, which computes in double precision wherever it runs.
var Float64 = sync.OnceValues(func() (*Engine, error) { return Open("go") })

// Release frees tensors at once. Their memory lies outside of Go's heap: the
// garbage collector does not see how much of it a loop leaves behind.
func Release(all ...*tensors.Tensor) error {
	var errs []error
	for _, t := range all {
		errs = append(errs, t.FinalizeAll())
	}
	return errors.Join(errs...)
}
