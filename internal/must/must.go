// Package must has the checks that most tests make, each in the line of the call:
//
//	post := must.Get(diffusion.Sample(prior, like, obs, sampler))(t)
//	must.Refuse(diffusion.Sample(prior, like, nil, sampler))(t, "there are no cells")
//
// Go hands several results on only as the sole arguments of a call, so the test follows in a second call.
package must

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// Get returns v, or ends the test with what was going on and err.
func Get[A any](v A, err error) func(t testing.TB, at ...any) A {
	return func(t testing.TB, at ...any) A {
		t.Helper()
		Do(t, err, at...)
		return v
	}
}

// Get2 returns two values, or ends the test with what was going on and err.
func Get2[A, B any](a A, b B, err error) func(t testing.TB, at ...any) (A, B) {
	return func(t testing.TB, at ...any) (A, B) {
		t.Helper()
		Do(t, err, at...)
		return a, b
	}
}

// Do ends the test with what was going on and err, if err is an error.
func Do(t testing.TB, err error, at ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(append(at, err)...)
	}
}

// Refuse fails the test unless err is an error with these words. It drops v.
func Refuse[A any](_ A, err error) func(t testing.TB, words ...string) {
	return func(t testing.TB, words ...string) {
		t.Helper()
		Err(t, err, words...)
	}
}

// Refuse2 is Refuse of a call with two values.
func Refuse2[A, B any](_ A, _ B, err error) func(t testing.TB, words ...string) {
	return Refuse(0, err)
}

// Err fails the test unless err is an error with these words.
func Err(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want one with %q", words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %v; want %q in it", err, w)
		}
	}
}

// Says fails the test unless err is an error with all parts of a text, which are separated by |. Name is the case's.
func Says(t testing.TB, name string, err error, parts string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: accepted", name)
		return
	}
	for part := range strings.SplitSeq(parts, "|") {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s: error %q does not say %q", name, err, part)
		}
	}
}

// Equal fails the test unless got and want are deeply equal. It says where, and both.
func Equal[A any](t testing.TB, got, want A, at ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Error(append(at, "got", short(got), "want", short(want))...)
	}
}

// short prints what a log can hold of a value.
func short(v any) string {
	const most = 2000
	text := fmt.Sprintf("%#v", v)
	return text[:min(len(text), most)]
}

// Be fails the test with a complaint unless something holds.
func Be(t testing.TB, holds bool, complaint string, args ...any) {
	t.Helper()
	if !holds {
		t.Errorf(complaint, args...)
	}
}

// Need ends the test with a complaint unless something holds.
func Need(t testing.TB, holds bool, complaint string, args ...any) {
	t.Helper()
	if !holds {
		t.Fatalf(complaint, args...)
	}
}
