package diffusion

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/fingerprint"
	"github.com/expfam/lab/expfam/internal/graphcheck"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/store"
)

// PriorFingerprint returns a hash of what a prior computes on an engine: of the prior's type,
// its text and the graph of its moments, and of the engine's name and version. It is part of a [store.Key].
func PriorFingerprint(p expfam.Prior, e *engine.Engine) (string, error) {
	x, number := shapes.Make(dtypes.Float32, 2, p.Dim()), shapes.Make(dtypes.Float32, 1, 1)
	program, err := graphcheck.Fingerprint(e.Backend, []shapes.Shape{x, number, number}, func(args []*Node) []*Node {
		mean, variance := momentsOf(p, args[0], level.Nodes{SqrtAlpha: args[1], V: args[2]})
		return []*Node{mean, variance}
	})
	if err != nil {
		return "", fmt.Errorf("the moments of %v: %w", p, err)
	}
	return store.Key(fingerprint.NameOf(p), program, e.String(), e.Version()), nil
}
