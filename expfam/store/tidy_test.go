package store_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

// The entries that nobody read go first, and the log says so.
func TestStoreIsBounded(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("EXPFAM_STORE", dir)
	t.Setenv("EXPFAM_STORE_MAX", "100kB")
	log := storetest.Logged(t)
	s := store.UseContext(t.Context())
	kept := func() (names []string) {
		for i := range 40 {
			if path, _ := s.Path("field", store.Key(i)); func() bool { _, err := os.Stat(path); return err == nil }() {
				names = append(names, string(rune('A'+i)))
			}
		}
		return names
	}
	// Each has 10 kB. Written a day apart, but the first is read every time.
	for i := range 40 {
		s.Ready("field", 10_000)
		if !s.Keep("field", store.Key(i), &store.File{Tensors: []store.Tensor{{Name: "x", Shape: []int{1250},
			Data: make([]float64, 1250)}}}) {
			t.Fatal("not kept")
		}
		files, _ := filepath.Glob(filepath.Join(dir, "field", "*"))
		for _, f := range files {
			info := must.Get(os.Stat(f))(t)
			before := info.ModTime().Add(-24 * time.Hour)
			must.Do(t, os.Chtimes(f, before, before))
		}
		_, found := s.Load("field", store.Key(0))
		must.Need(t, found, "the entry that is read is gone after %d others", i)
	}
	names := kept()
	// Nine tenths of the bound hold eight entries and their headers.
	if n := len(names); n < 7 || n > 10 || names[0] != "A" || !slices.IsSorted(names[1:]) ||
		names[n-1] != string(rune('A'+39)) || names[1] != string(rune('A'+41-n)) {
		t.Errorf("kept %q, want the first and the last ones", names)
	}
	must.Be(t, strings.Contains(log.String(), "above its bound"), "nothing was said: %s", log)
}

// What kills left goes as the next process begins to work, and nothing else.
func TestLeftoversAreRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("EXPFAM_STORE", dir)
	put := func(name string, ago time.Duration) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte("x"), 0o644))
		when := time.Now().Add(-ago)
		must.Do(t, os.Chtimes(path, when, when))
		return path
	}
	const month = 30 * 24 * time.Hour
	key := store.Key(1) + ".safetensors"
	for path, stays := range map[string]bool{
		put("draws/."+key+".abc123.tmp", 2*time.Hour):      false,
		put("network/."+key+".abc123.tmp", time.Minute):    true, // may be written
		put("draws/"+key, month+time.Hour):                 false,
		put("training/"+key, month-time.Hour):              true, // somebody may go on
		put("posterior/"+key, 12*month):                    true,
		put("draws/a person's file.safetensors", 12*month): true,
	} {
		defer func() {
			_, err := os.Stat(path)
			must.Be(t, (err == nil) == stays, "%s stays: %v", path, err == nil)
		}()
	}
	store.UseContext(t.Context()).Ready("posterior", 0)
}
