package faults

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/must"
)

// place is somewhere that a file is to be written.
type place struct {
	name string
	// path of a file there; old says where what must stay is.
	path func(dir, name string) (path, old string, err error)
}

var places = []place{
	{"a file in place of a folder", func(dir, name string) (string, string, error) {
		old := filepath.Join(dir, "folder")
		return filepath.Join(old, name), old, os.WriteFile(old, []byte("old"), 0o600)
	}},
	{"a folder in place of a file", func(dir, name string) (string, string, error) {
		path := filepath.Join(dir, name)
		old := filepath.Join(path, "old")
		if err := os.Mkdir(path, 0o700); err != nil {
			return "", "", err
		}
		return path, old, os.WriteFile(old, []byte("old"), 0o600)
	}},
	{"a link to a file", func(dir, name string) (string, string, error) {
		path := filepath.Join(dir, name)
		return path, "", os.Symlink(filepath.Join(dir, "target"), path)
	}},
	{"a link that leads to itself", func(dir, name string) (string, string, error) {
		path := filepath.Join(dir, name)
		return path, "", os.Symlink(path, path)
	}},
	{"a file system that cannot be written", func(_, name string) (string, string, error) {
		return filepath.Join("/proc/self", name), "", nil
	}},
	{"a name that is too long", func(dir, name string) (string, string, error) {
		return filepath.Join(dir, strings.Repeat("a", 300)+name), "", nil
	}},
	{"a private file", func(dir, name string) (string, string, error) {
		path := filepath.Join(dir, name)
		return path, "", os.WriteFile(path, []byte("private"), 0o600)
	}},
}

// Files are written where they can't be.
func TestPlaces(t *testing.T) {
	a := newArea("places that cannot be written")
	whole := must.Get(versions())(t)
	for _, p := range places {
		all := writers()
		a.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, w := range all[:cases(2, len(all))] {
			dir := t.TempDir()
			path, old, err := p.path(dir, w.name)
			if err != nil {
				t.Skip(err)
			}
			a.try(t, fmt.Sprintf("%s into %s", w.name, p.name), func() error {
				err := w.write(path, 1)
				if old != "" {
					if data, _ := os.ReadFile(old); string(data) != "old" {
						return lose("what was there is gone")
					}
				}
				if err != nil {
					return refused(err)
				}
				if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, whole[w.name][1]) {
					return lose("it was not written, without an error")
				}
				info, err := os.Lstat(path)
				switch {
				case err != nil:
					return err
				case p.name == "a link to a file" && info.Mode()&os.ModeSymlink == 0:
					return lose("the link is gone")
				case p.name == "a private file" && info.Mode().Perm() != 0o600:
					return wrong("all may read it: %v", info.Mode())
				}
				return nil
			})
		}
	}
	testStores(t, a)
}

// testStores samples and trains with stores that can't be written.
func testStores(t *testing.T, a *area) {
	draws, network := rightResults(t)
	// One of them is no folder; in the other folder nothing can be kept, which is found after the work.
	for _, p := range places[2-cases(1, 2) : 2] {
		dir := t.TempDir()
		path, _ := must.Get2(p.path(dir, "store"))(t)
		for _, kind := range []string{"posterior", "draws", "network", "training"} {
			_ = os.WriteFile(filepath.Join(path, kind), []byte("no folder"), 0o600)
		}
		for name, c := range map[string]struct {
			want string
			run  func() (string, error)
		}{
			"draws": {draws, func() (string, error) {
				return drawn(diffusion.Sample(few, poisson, data, sampled()))
			}},
			"a network": {network, func() (string, error) { return learned(learn.Train(few, trained())) }},
		} {
			a.try(t, fmt.Sprintf("%s with %s as store", name, p.name), func() error {
				got, err := inStore(path, c.run)
				if err != nil {
					return lose("the result is thrown away: %v", err)
				}
				if got != c.want {
					return wrong("another result")
				}
				return nil
			})
		}
	}
}
