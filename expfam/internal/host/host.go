// Package host opens the GoMLX backend in pure Go, which computes in double precision on every machine. Package expfam
// evaluates operators with it. It is apart from package engine so that a program that only reads posteriors does not
// link ONNX Runtime and XLA.
package host

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"
)

// Float64 opens the backend of the empty configuration, and returns the same one in every call of a process.
var Float64 = sync.OnceValues(func() (compute.Backend, error) { return Open("") })

// Open opens the backend with options as GoMLX defines them ("parallelism=2").
func Open(config string) (compute.Backend, error) {
	// Parallel operations deadlock in compute v0.1.4: together they hold all workers, and each waits for another
	// worker to share its matrix product with. Run one after another, operations still use all workers.
	options := strings.Split(config, ",")
	if slices.Contains(options, "ops_parallel") {
		return nil, fmt.Errorf("ops_parallel deadlocks in this version of GoMLX; leave it out")
	}
	if !slices.Contains(options, "ops_sequential") {
		config = strings.TrimPrefix(config+",ops_sequential", ",")
	}
	return compute.NewWithConfig("go:" + config)
}
