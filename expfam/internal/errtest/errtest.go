// Package errtest checks in tests what errors say.
package errtest

import (
	"strings"
	"testing"
)

// Says checks that there is an error and that its text has all parts, which are separated by |. Name is the name of the
// case.
func Says(t *testing.T, name string, err error, parts string) {
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
