package store

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func sample() *File {
	return &File{
		Meta: map[string]string{"config": `{"width": 96, "name": "µ<&>"}`},
		Tensors: []Tensor{
			{"w", []int{2, 3}, []float32{1, -2, 0.5, math.MaxFloat32, 0, float32(math.Inf(-1))}},
			{"b", []int{2}, []float64{math.Pi, math.SmallestNonzeroFloat64}},
			{"none", []int{0, 4}, []float32{}},
			{"step", []int{}, []float64{12000}},
		},
	}
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "w.safetensors")
	must.Do(t, Write(path, sample()))
	got := must.Get(Read(path))(t)
	must.Equal(t, got, sample(), "read", "wrote")
	_, ok := got.Tensor("b")
	must.Be(t, ok, "tensor b is not found by name")
	_, ok = got.Tensor("c")
	must.Be(t, !ok, "tensor c is found and was not written")
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*.tmp"))
	must.Be(t, err == nil && len(left) == 0, "temporary files are left: %v %v", left, err)
}

// The bytes are written out by hand from the description of the format
// (github.com/huggingface/safetensors, "Format"); the checksum is replaced.
func TestLayout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w")
	f := &File{Tensors: []Tensor{{"a", []int{1, 2}, []float32{1, -2}}, {"b", []int{}, []float64{1}}}}
	must.Do(t, Write(path, f))
	raw := must.Get(os.ReadFile(path))(t)
	header := `{"__metadata__":{"format":"expfam/1","sha256":"` + strings.Repeat("?", 64) + `"},` +
		`"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},` +
		`"b":{"dtype":"F64","shape":[],"data_offsets":[8,16]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	at := 8 + strings.Index(header, "?")
	copy(raw[at:], strings.Repeat("?", 64))
	want := []byte{byte(len(header)), byte(len(header) >> 8), 0, 0, 0, 0, 0, 0}
	want = append(want, header...)
	want = append(want, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f)
	must.Be(t, bytes.Equal(raw, want), "got\n%q\nwant\n%q", raw, want)
}

func TestReadRefusesEveryDamage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "whole")
	must.Do(t, Write(path, sample()))
	whole := must.Get(os.ReadFile(path))(t)
	damaged := filepath.Join(dir, "damaged")
	refused := func(name string, raw []byte) {
		t.Helper()
		must.Do(t, os.WriteFile(damaged, raw, 0o644))
		f, err := Read(damaged)
		var corrupt *CorruptError
		must.Need(t, f == nil && errors.As(err, &corrupt) && strings.Contains(err.Error(), damaged),
			"%s: file %v, error %v", name, f, err)
	}
	t.Run("truncated", func(t *testing.T) {
		for n := range whole {
			refused(fmt.Sprintf("first %d bytes", n), whole[:n])
		}
	})
	t.Run("bytes appended", func(t *testing.T) { refused("one more byte", append(bytes.Clone(whole), 0)) })
	t.Run("one byte changed", func(t *testing.T) {
		end := 8 + bytes.LastIndexByte(whole[:len(whole)-64], '}')
		for i := range whole {
			raw := bytes.Clone(whole)
			raw[i] ^= 0x04
			// Padding is not content: JSON allows any white space there.
			if i > end && raw[i] == ' '^0x04 && i < end+8 {
				continue
			}
			refused(fmt.Sprintf("byte %d", i), raw)
		}
	})
	t.Run("not there", func(t *testing.T) {
		_, err := Read(filepath.Join(dir, "absent"))
		must.Be(t, errors.Is(err, fs.ErrNotExist), "error %v, want fs.ErrNotExist", err)
	})
}

// A forger can make the checksum right; the layout must still hold.
func TestDecodeChecksTheLayout(t *testing.T) {
	for name, c := range map[string]struct {
		entries map[string]entry
		bytes   int
		want    string
	}{
		"gap": {map[string]entry{"a": {"F32", []int{1}, [2]int{4, 8}}}, 8, "want a start at 0"},
		"overlap": {map[string]entry{"a": {"F32", []int{2}, [2]int{0, 8}}, "b": {"F32", []int{1}, [2]int{4, 8}}},
			8, "want a start at 8"},
		"beyond the end": {map[string]entry{"a": {"F32", []int{3}, [2]int{0, 12}}}, 8, "an end within 8 bytes"},
		"reversed":       {map[string]entry{"a": {"F32", []int{1}, [2]int{0, -4}}}, 4, "want a start at 0"},
		"left over":      {map[string]entry{"a": {"F32", []int{1}, [2]int{0, 4}}}, 8, "4 bytes follow"},
		"type":           {map[string]entry{"a": {"BF16", []int{2}, [2]int{0, 4}}}, 4, `unknown type "BF16"`},
		"shape":          {map[string]entry{"a": {"F32", []int{3}, [2]int{0, 8}}}, 8, "do not fill"},
		"negative shape": {map[string]entry{"a": {"F32", []int{-1, -2}, [2]int{0, 8}}}, 8, "do not fill"},
		"huge shape":     {map[string]entry{"a": {"F32", []int{1 << 40, 1 << 40}, [2]int{0, 0}}}, 0, "do not fill"},
	} {
		t.Run(name, func(t *testing.T) { must.Refuse(tensors(c.entries, make([]byte, c.bytes)))(t, c.want) })
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		file File
		want string
	}{
		"type":   {File{Tensors: []Tensor{{"a", []int{1}, []int{1}}}}, "data are []int"},
		"length": {File{Tensors: []Tensor{{"a", []int{2}, []float32{1}}}}, "1 numbers do not fill the shape [2]"},
		"twice": {File{Tensors: []Tensor{{"a", nil, []float32{1}}, {"a", nil, []float32{1}}}},
			`the name "a" is taken`},
		"no name":     {File{Tensors: []Tensor{{"", nil, []float32{1}}}}, "empty"},
		"not UTF-8":   {File{Tensors: []Tensor{{"\xff", nil, []float32{1}}}}, "not UTF-8"},
		"reserved":    {File{Meta: map[string]string{"sha256": ""}}, "reserved"},
		"binary meta": {File{Meta: map[string]string{"a": "\xff"}}, "not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			must.Err(t, Write(path, &c.file), c.want)
			must.Refuse(os.Stat(path))(t)
		})
	}
}

func TestWriteFileKeepsTheOldOnFailure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	must.Do(t, os.WriteFile(path, []byte("old"), 0o644))
	must.Err(t, WriteFile(path, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<17)); err != nil {
			return err
		}
		return errors.New("interrupted")
	}), "interrupted")
	raw, _ := os.ReadFile(path)
	must.Be(t, string(raw) == "old", "the file holds %q", raw)
	list, _ := os.ReadDir(filepath.Dir(path))
	must.Be(t, len(list) == 1, "%d files in the directory, want 1", len(list))
}

// Files keep their mode, links lead on, and what a person may not read stays so.
func TestWriteKeepsModeAndLink(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	must.Do(t, os.WriteFile(path, nil, 0o600))
	must.Do(t, os.Symlink("f", link))
	must.Do(t, Write(link, sample()))
	must.Equal(t, must.Get(os.Lstat(path))(t).Mode(), 0o600, "mode")
	must.Equal(t, must.Get(os.Readlink(link))(t), "f", "the link leads to")
	must.Equal(t, must.Get(Read(link))(t), sample(), "read")
}

func TestStore(t *testing.T) {
	t.Setenv("EXPFAM_STORE", filepath.Join(t.TempDir(), "s"))
	s := must.Get(Open(""))(t)
	must.Equal(t, s.dir, os.Getenv("EXPFAM_STORE"), "the store is in")
	key := Key("a")
	f, found, err := s.Get("network", key)
	must.Need(t, f == nil && !found && err == nil, "empty store: %v %v %v", f, found, err)
	must.Do(t, s.Put("network", key, sample()))
	f, found, err = s.Get("network", key)
	must.Need(t, found && err == nil && reflect.DeepEqual(f, sample()), "stored: %v %v %v", f, found, err)
	_, found, _ = s.Get("posterior", key)
	must.Be(t, !found, "another kind has the entry as well")

	t.Run("corrupt entry is reported, ignored and replaced", func(t *testing.T) {
		path := must.Get(s.Path("network", key))(t)
		must.Do(t, os.Truncate(path, 40))
		var log bytes.Buffer
		old := slog.Default()
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
		defer slog.SetDefault(old)
		f, found, err := s.Get("network", key)
		must.Be(t, f == nil && !found && err == nil, "corrupt: %v %v %v", f, found, err)
		must.Be(t, strings.Contains(log.String(), path), "the log does not name the file: %q", log.String())
		must.Do(t, s.Put("network", key, sample()))
		_, found, err = s.Get("network", key)
		must.Be(t, found && err == nil, "replaced: %v %v", found, err)
	})
	t.Run("names that leave the directory", func(t *testing.T) {
		for kind, key := range map[string]string{"../x": key, "network": "../../x", "": key, "net": "abcd"} {
			must.Be(t, s.Put(kind, key, sample()) != nil, "kind %q, key %q: no error", kind, key)
		}
	})
	t.Run("concurrent writers and readers", func(t *testing.T) {
		var wg sync.WaitGroup
		key := Key("shared")
		for i := range 8 {
			wg.Go(func() {
				for range 5 {
					err := s.Put("network", key, sample())
					must.Be(t, err == nil, "%v", err)
					_, found, err := s.Get("network", key)
					must.Be(t, found && err == nil, "reader %d: %v %v", i, found, err)
				}
			})
		}
		wg.Wait()
	})
}

func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "w")
	weights := make([]float32, 1<<18)
	must.Do(b, Write(path, &File{Tensors: []Tensor{{"w", []int{len(weights)}, weights}}}))
	b.SetBytes(int64(4 * len(weights)))
	for b.Loop() {
		must.Get(Read(path))(b)
	}
}

func BenchmarkKey(b *testing.B) {
	data := make([]float64, 4096)
	for b.Loop() {
		raw, err := hex.DecodeString(Key("score", data))
		must.Need(b, err == nil && len(raw) == 32, "%v", err)
	}
}
