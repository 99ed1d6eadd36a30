package expfam

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/fingerprint"
	"github.com/expfam/lab/expfam/internal/graphprint"
	"github.com/expfam/lab/expfam/internal/ownkind"
	"github.com/expfam/lab/expfam/store"
)

// Fingerprint returns a key of the likelihood. It covers every family and every link, with
// what their methods return for fixed numbers, and the weights and the offset of every operator.
func (f *Forward) Fingerprint() string {
	if f.Plain() {
		return fingerprintOfOne(f.Parts[0].Terms)
	}
	var all []any
	for _, s := range f.Parts {
		all = append(all, fingerprintOfOne(s.Terms))
		if s.Sum != nil {
			all = append(all, "sum", fingerprintOfOne(s.Sum))
		}
		if s.Operator != nil {
			all = append(all, fingerprint.NameOf(s.Operator), s.H.Start, s.H.Cell, s.H.Weight, s.Offset)
		}
	}
	return store.Key(spreadRevision, sightRevision, all)
}

// sightRevision is part of the key of posteriors whose data look through an operator. It goes up
// when the draws of these posteriors change, and the draws of others do not.
const sightRevision = 1

// spreadRevision is part of the same key. It goes up with the revision of the tables of correlations in package
// diffusion, from which the variances of what data look at are made.
const spreadRevision = 2

// fingerprintOfOne returns the key of one likelihood without its operator.
func fingerprintOfOne(t *Terms) string {
	link := []any{fingerprint.NameOf(t.Link)}
	if t.formula != nil {
		link = append(link, t.formula.String())
		for _, x := range []float64{-2, -0.3, 0, 0.7, 3} {
			link = append(link, t.Link.At(x))
		}
	} else {
		link = append(link, t.LinkKey())
	}
	f, n, conjugate := t.Family, t.natural, t.Family.Conjugate()
	values := []any{n.Eta.String(), n.Partition.String(), n.Low, n.High,
		fingerprint.NameOf(conjugate), fingerprint.FieldsOf(conjugate), conjugate.Coordinate().String()}
	for _, y := range []float64{-1.5, 0, 0.25, 1, 2, 7} {
		for _, known := range []Known{{}, Given(1), Given(3)} {
			values = append(values, fingerprint.Attempt(func() (any, error) { return f.Reduce(y, known) }))
		}
	}
	if own, ok := f.(General); ok {
		values = append(values, own.Coordinate().String())
		for _, u := range []float64{-3, -0.7, 0, 0.4, 2.5} {
			for _, t := range []Term{{Stat: 0, Size: 1}, {Stat: 1, Size: 1}, {Stat: 2.5, Size: 4},
				{Stat: 3, Size: 70}} {
				values = append(values, fingerprint.Attempt(func() (any, error) {
					value, slope, information := own.At(u, t)
					return []float64{value, slope, -information}, nil
				}))
			}
		}
	}
	return store.Key(link, fingerprint.NameOf(f), fingerprint.FieldsOf(f), values)
}

// SimulatorFingerprint returns a hash of what a simulator draws. It is part of a [store.Key].
// The hash covers the type, the text, the exported fields and some draws at fixed seeds:
// two draws of many cells, or eight of few. It also covers the Fingerprint of a simulator
// that is a [store.Fingerprinter]. An option that changes only rare draws may change none
// of these draws: name such an option in String.
func SimulatorFingerprint(sim Simulator) (string, error) {
	parts := []any{fingerprint.NameOf(sim), fingerprint.FieldsOf(sim), sim.Dim()}
	if a, ok := sim.(Stationary); ok {
		parts = append(parts, "stationary", a.Stationary())
	}
	if b, ok := sim.(Bounded); ok {
		low, high := b.Bounds()
		parts = append(parts, "bounds", low, high)
	}
	if f, ok := sim.(store.Fingerprinter); ok {
		parts = append(parts, "fingerprint", f.Fingerprint())
	}
	draws := 8
	if sim.Dim() >= 256 {
		draws = 2
	}
	var failed error
	hash, x := sha256.New(), make([]float64, sim.Dim())
	func() {
		defer func() {
			if reason := recover(); reason != nil {
				failed = fmt.Errorf("a draw of %v failed: %v", sim, reason)
			}
		}()
		for k := range draws {
			sim.Draw(Stream(0, fmt.Sprintf("fingerprint/%d", k)), x)
			binary.Write(hash, binary.LittleEndian, x)
		}
	}()
	return store.Key(append(parts, hash.Sum(nil))...), failed
}

// PriorFingerprint returns a hash of what a prior computes on an engine: of the prior's type,
// its text and the graph of its moments, and of the engine's name and version. It is part of a [store.Key].
func PriorFingerprint(p Prior, e *engine.Engine) (string, error) {
	x, level := shapes.Make(dtypes.Float32, 2, p.Dim()), shapes.Make(dtypes.Float32, 1, 1)
	program, err := graphprint.Of(e.Backend, []shapes.Shape{x, level, level}, func(args []*Node) []*Node {
		mean, variance := ownkind.Moments(p, args[0], func() (mean, variance *Node) {
			return p.Moments(args[0], LevelNodes{SqrtAlpha: args[1], V: args[2]})
		})
		return []*Node{mean, variance}
	})
	if err != nil {
		return "", fmt.Errorf("the moments of %v: %w", p, err)
	}
	return store.Key(fingerprint.NameOf(p), program, e.String(), e.Version()), nil
}
