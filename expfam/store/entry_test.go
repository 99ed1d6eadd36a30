//go:build unix

package store

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Only the file that was put as an entry is read as this entry, and nothing in its place is waited for.
func TestOnlyTheEntryItself(t *testing.T) {
	mine, other := Key("mine"), Key("other")
	second := sample()
	second.Tensors[0].Data.([]float32)[0] = 7
	move := func(from, to string) func(dir string) error {
		return func(dir string) error {
			to := filepath.Join(dir, to)
			return os.Rename(filepath.Join(dir, from), to)
		}
	}
	put := func(make func(path string) error) func(dir string) error {
		return func(dir string) error {
			path := filepath.Join(dir, "network", mine+".safetensors")
			if err := os.Remove(path); err != nil {
				return err
			}
			return make(path)
		}
	}
	const corrupt = "corrupt entry ignored"
	for name, c := range map[string]struct {
		do   func(dir string) error
		log  string // what is said; "" if the entry is found
		puts string // error of Put; "" if it replaces the entry
	}{
		"as it was put": {func(string) error { return nil }, "", ""},
		"a link to itself": {func(dir string) error {
			return put(func(p string) error { return os.Symlink(p, p) })(dir)
		}, "-", "40 symbolic links"},
		"another key": {move("network/"+other+".safetensors", "network/"+mine+".safetensors"),
			"it is the entry network/" + other, ""},
		"another kind": {move("posterior/"+mine+".safetensors", "network/"+mine+".safetensors"),
			"it is the entry posterior/" + mine, ""},
		"a link to another": {put(func(p string) error { return os.Symlink(other+".safetensors", p) }),
			"it is the entry network/" + other, ""},
		"a dangling link": {put(func(p string) error { return os.Symlink("nothing", p) }), "", ""},
		"a pipe": {put(func(p string) error { return must.Fifo(p) }),
			"it is a pipe and no file", "no file; remove it"},
		"a folder": {put(func(p string) error { return os.Mkdir(p, 0o700) }), "it is a folder and no file",
			"no file; remove it"},
		"a device": {put(func(p string) error { return os.Symlink("/dev/zero", p) }),
			"it is a device and no file", "no file; remove it"},
		"of an earlier version": {put(func(p string) error { return Write(p, sample()) }), "of an earlier version", ""},
		"empty":                 {put(func(p string) error { return os.WriteFile(p, nil, 0o600) }), corrupt, ""},
		"a forged name": {put(func(p string) error { return write(p, second, "network/"+mine+" ") }),
			"it is the entry network/" + mine + " ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(t.TempDir())
			var log bytes.Buffer
			s.log = slog.New(slog.NewTextHandler(&log, nil))
			for _, e := range []struct {
				kind, key string
				f         *File
			}{{"network", mine, sample()}, {"network", other, second}, {"posterior", mine, second}} {
				if err == nil {
					err = s.Put(e.kind, e.key, e.f)
				}
			}
			if err == nil {
				err = c.do(s.dir)
			}
			must.Do(t, err)
			f, found, err := s.Get("network", mine)
			if c.log == "-" {
				must.Be(t, err != nil && !found, "found %t, error %v", found, err)
			} else if err != nil || found != (name == "as it was put") || found && !reflect.DeepEqual(f, sample()) ||
				!strings.Contains(log.String(), c.log) {
				t.Errorf("found %t, error %v, log %q", found, err, log.String())
			}
			err = s.Put("network", mine, sample())
			if c.puts != "" {
				must.Err(t, err, c.puts)
				return
			}
			must.Do(t, err)
			f, found, err = s.Get("network", mine)
			must.Be(t, found && err == nil && reflect.DeepEqual(f, sample()), "again: found %t, error %v", found, err)
		})
	}
	must.Err(t, Write(filepath.Join(t.TempDir(), "w"), &File{Meta: map[string]string{"entry": "x"}}))
}
