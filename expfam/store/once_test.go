package store

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func TestOnce(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	type result struct {
		Name   string
		Values []float64
	}
	want := result{"µ", []float64{math.Pi, 1.0 / 3, math.SmallestNonzeroFloat64, -math.MaxFloat64,
		math.Copysign(0, -1)}}
	calls := 0
	run := func(kind, key string, codec Codec[result], v result, err error) (result, error) {
		return Once(kind, key, codec, func() (result, error) { calls++; return v, err })
	}
	json := JSON[result]()
	for _, c := range []struct {
		name, kind, key string
		codec           Codec[result]
		value           result
		fails           bool
		calls           int // in all
	}{
		{"an empty store", "a", Key(1), json, want, false, 1},
		{"the same key", "a", Key(1), json, result{}, false, 1},
		{"another key", "a", Key(2), json, want, false, 2},
		{"another kind", "b", Key(1), json, want, false, 3},
		{"an error", "b", Key(2), json, result{}, true, 4},
		{"after an error", "b", Key(2), json, want, false, 5},
		{"an entry that can't be read", "a", Key(1),
			Codec[result]{json.File, func(*File) (result, error) { return result{}, errors.New("from elsewhere") }},
			want, false, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			var failure error
			if c.fails {
				failure = errors.New("no result")
			}
			got, err := run(c.kind, c.key, c.codec, c.value, failure)
			must.Need(t, errors.Is(err, failure), "%v", err)
			must.Be(t, calls == c.calls && (c.fails || reflect.DeepEqual(got, want)),
				"%d computations, want %d; got %v", calls, c.calls, got)
		})
	}
	t.Run("what can't be written comes with an error", func(t *testing.T) {
		got, err := run("c", Key(1), json, result{Values: []float64{math.NaN()}}, nil)
		must.Be(t, err != nil && len(got.Values) == 1, "%v, error %v", got, err)
	})
}
