package store_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

func TestOnceReturnsWhatTheStoreCannotTake(t *testing.T) {
	storetest.Broken(t, func(t *testing.T, log *bytes.Buffer) {
		calls := 0
		for range 2 {
			v, err := store.Once("field", store.Key(1), store.JSON[[]float64](), func() ([]float64, error) {
				if calls++; !strings.Contains(log.String(), "level=WARN") {
					t.Error("nothing was said before the work")
				}
				return make([]float64, 100), nil
			})
			must.Be(t, err == nil && len(v) == 100, "%d numbers, error %v", len(v), err)
		}
		must.Equal(t, calls, 2, "computations")
		n := strings.Count(log.String(), "level=WARN")
		must.Be(t, n == 1 && strings.Contains(log.String(), "set EXPFAM_STORE"),
			"%d warnings, want one that says what to do:\n%s", n, log)
	})
}

func TestReady(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	for _, c := range []struct {
		name  string
		bytes int64
		says  string
	}{{"little", 5 << 20, ""}, {"more than there is", 1 << 62, "free"}} {
		t.Run(c.name, func(t *testing.T) {
			log := storetest.Logged(t)
			store.UseContext(t.Context()).Ready("field", c.bytes)
			if says := log.String(); (says != "") != (c.says != "") || !strings.Contains(says, c.says) {
				t.Errorf("log: %q, want %q in it", says, c.says)
			}
		})
	}
}
