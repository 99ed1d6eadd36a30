package expfam

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/graphprint"
	"github.com/expfam/lab/expfam/store"
)

// A name does not tell code that was edited from what it was, and a notebook is edited
// and run again all day. Keys of stored results therefore have, beside types and texts,
// what the code does: the graph that it builds, or the values of its functions at fixed
// points.

// nameOf is the type of a value with its package and, if it has one, its text. A type
// that embeds another inherits the text and not the name.
func nameOf(x any) []string {
	t := reflect.TypeOf(x)
	if t == nil {
		return nil
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := []string{t.PkgPath() + " " + t.String()}
	if s, ok := x.(fmt.Stringer); ok {
		name = append(name, s.String())
	}
	return name
}

// fieldsOf are the keys of the exported fields of a struct, or of what a pointer to one
// points to. What has no canonical form, such as a function, has no key: the values of
// the methods that use it are what tells it from others.
func fieldsOf(x any) []string {
	v := reflect.Indirect(reflect.ValueOf(x))
	if v.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for i := range v.NumField() {
		if field := v.Type().Field(i); field.IsExported() {
			key, _ := store.TryKey(field.Name, v.Field(i).Interface())
			keys = append(keys, key)
		}
	}
	return keys
}

// attempt is what f returns, or the message with which it fails at these arguments.
func attempt(f func() (any, error)) (result any) {
	defer func() {
		if reason := recover(); reason != nil {
			result = fmt.Sprint("panic: ", reason)
		}
	}()
	value, err := f()
	if err != nil {
		return err.Error()
	}
	return value
}

// fingerprintOf is a key of the family and of the link, with what their methods make of
// fixed numbers.
func fingerprintOf(t *Terms) string {
	link := []any{nameOf(t.Link)}
	if t.formula != nil {
		link = append(link, t.formula.String())
		for _, x := range []float64{-2, -0.3, 0, 0.7, 3} {
			link = append(link, t.Link.At(x))
		}
	}
	f, n, conjugate := t.Family, t.natural, t.Family.Conjugate()
	values := []any{n.Eta.String(), n.Partition.String(), n.Low, n.High,
		nameOf(conjugate), fieldsOf(conjugate), conjugate.Coordinate().String()}
	for _, y := range []float64{-1.5, 0, 0.25, 1, 2, 7} {
		for _, known := range []float64{0, 1, 3} {
			values = append(values, attempt(func() (any, error) { return f.Reduce(y, known) }))
		}
	}
	if own, ok := f.(General); ok {
		values = append(values, own.Coordinate().String())
		for _, u := range []float64{-3, -0.7, 0, 0.4, 2.5} {
			for _, t := range []Term{{Stat: 0, Size: 1}, {Stat: 1, Size: 1}, {Stat: 2.5, Size: 4}, {Stat: 3, Size: 70}} {
				values = append(values, attempt(func() (any, error) {
					value, slope, curvature := own.At(u, t)
					return []float64{value, slope, curvature}, nil
				}))
			}
		}
	}
	return store.Key(link, nameOf(f), fieldsOf(f), values)
}

// SimulatorFingerprint is a hash of what a simulator draws, as part of a [store.Key]: of
// its type, its text, its exported fields and some draws at fixed seeds, two of many
// cells and eight of few, or of its Fingerprint if it is a [store.Fingerprinter]. What
// changes rare draws alone is not seen by eight: name it in String.
func SimulatorFingerprint(sim Simulator) (string, error) {
	parts := []any{nameOf(sim), fieldsOf(sim), sim.Dim()}
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

// PriorFingerprint is a hash of what a prior computes on an engine, as part of a
// [store.Key]: of its type, its text and the graph of its moments.
func PriorFingerprint(p Prior, e *engine.Engine) (string, error) {
	x, level := shapes.Make(dtypes.Float32, 2, p.Dim()), shapes.Make(dtypes.Float32, 1, 1)
	program, err := graphprint.Of(e.Backend, []shapes.Shape{x, level, level}, func(args []*Node) []*Node {
		mean, variance := p.Moments(args[0], LevelNodes{SqrtAlpha: args[1], V: args[2]})
		return []*Node{mean, variance}
	})
	if err != nil {
		return "", fmt.Errorf("the moments of %v: %w", p, err)
	}
	return store.Key(nameOf(p), program, e.String(), e.Version()), nil
}
