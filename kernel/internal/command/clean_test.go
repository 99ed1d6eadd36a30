package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/internal/storedir"
)

// stored is a store of so many posteriors of a kilobyte, used a day apart, and a batch of an unfinished run.
func stored(t *testing.T, posteriors int) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(storedir.Env, dir)
	put := func(kind string, i int) {
		path, err := storedir.Path(dir, kind, fmt.Sprintf("%016x", i))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, make([]byte, 1000), 0o644)
		}
		used := time.Now().Add(-24 * time.Hour * time.Duration(i+1))
		if err == nil {
			err = os.Chtimes(path, used, used)
		}
		must.Do(t, err)
	}
	for i := range posteriors {
		put("posterior", i)
	}
	put(storedir.Draws, 0)
	return dir
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		args string
		left int // posteriors
		says string
	}{
		{"", 5, "nothing was removed"},
		{"-max 3kB", 2, "removed 3 kB in 3 results"},
		{"-n -max 3kB", 5, "would remove 3 kB in 3 results"},
		{"-max 1TB", 5, "removed 0 B in 0 results"},
		{"-all", 0, "removed 5 kB in 5 results, 1 kB in 1 files of unfinished runs"},
		{"-all -n", 5, "would remove 5 kB in 5 results"},
	} {
		t.Run(c.args, func(t *testing.T) {
			dir := stored(t, 5)
			max, dry := storedir.Size(-1), strings.Contains(c.args, "-n")
			if _, size, ok := strings.Cut(c.args, "-max "); ok {
				must.Do(t, max.Set(size))
			} else if strings.Contains(c.args, "-all") {
				max = 0
			}
			var out bytes.Buffer
			must.Do(t, cleanStore(&out, dir, max, dry))
			if err := clean(t.Context(), strings.Fields(c.args)); err != nil { // once more: nothing is left to do
				t.Fatal(err)
			}
			files, _ := filepath.Glob(filepath.Join(dir, "posterior", "*"))
			must.Be(t, len(files) == c.left && strings.Contains(out.String(), c.says) &&
				strings.Contains(out.String(), dir+": 5 kB in 5 results"),
				"%d posteriors are left, want %d; said\n%s", len(files), c.left, &out)
			for i, f := range files { // the last used ones
				must.Equal(t, filepath.Base(f), fmt.Sprintf("%016x.safetensors", i), f, "is left")
			}
		})
	}
	stored(t, 1)
	for args, want := range map[string]string{"-all -max 1GB": "not both", "-max big": "such as 2GB",
		"posterior": "no arguments"} {
		must.Err(t, clean(t.Context(), strings.Fields(args)), want)
	}
}

func TestDoctorShowsTheStore(t *testing.T) {
	dir := stored(t, 5)
	f := checkStore(t.Context(), nil)[0]
	if want := "5 kB in 5 results, 1 kB in 1 files of unfinished runs, at most 20 GB (EXPFAM_STORE_MAX)  " +
		dir; f.detail != want || f.remedy != "" {
		t.Errorf("got %+v, want %q", f, want)
	}
	t.Setenv(storedir.MaxEnv, "0")
	f = checkStore(t.Context(), nil)[0]
	must.Be(t, strings.Contains(f.detail, "no bound"), "%+v", f)
	t.Setenv(storedir.Env, filepath.Join(dir, "posterior", "0000000000000000.safetensors"))
	f = checkStore(t.Context(), nil)[0]
	must.Be(t, strings.Contains(f.remedy, "set EXPFAM_STORE") && !f.needed, "a file in the place of the folder: %+v", f)
	t.Setenv(storedir.Env, dir)
	t.Setenv(storedir.MaxEnv, "some")
	f = checkStore(t.Context(), nil)[0]
	must.Be(t, strings.Contains(f.remedy, "EXPFAM_STORE_MAX") && !f.needed, "%+v", f)
}
