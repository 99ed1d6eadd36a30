package zarr

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func tree() *Tree {
	return &Tree{Attributes: map[string]any{"a": "text", "b": 1.5},
		Groups: []Group{{Name: "g", Attributes: map[string]any{}, Arrays: []Array{
			{Name: "x", Dims: []string{"chain", "draw"}, Shape: []int{2, 3}, Split: 1,
				Data: []float64{1, 2, 3, math.Pi, -1e-300, math.Inf(1)}, Attributes: map[string]any{}},
			{Name: "chain", Dims: []string{"chain"}, Shape: []int{2}, Data: []int64{0, math.MinInt64},
				Attributes: map[string]any{}},
			{Name: "flag", Dims: []string{"draw"}, Shape: []int{3}, Data: []bool{true, false, true},
				Attributes: map[string]any{}},
			{Name: "label", Dims: []string{"draw"}, Shape: []int{3}, Data: []string{"", "Größe", "a/b"},
				Attributes: map[string]any{}},
		}}}}
}

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t.zarr")
	must.Do(t, Write(dir, tree(), false))
	got := must.Get(Read(dir))(t)
	for _, want := range tree().Groups[0].Arrays {
		g, _ := got.Group("g")
		a, ok := g.Array(want.Name)
		must.Be(t, ok && reflect.DeepEqual(a, want), "read %+v, want %+v", a, want)
	}
	must.Equal(t, got.Attributes, tree().Attributes, "attributes")
	err := Write(dir, tree(), false)
	must.Be(t, errors.Is(err, ErrExists), "a second time: error %v", err)
}

// A link to a folder stays one, and the folder is replaced.
func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.zarr"), filepath.Join(dir, "link.zarr")
	must.Do(t, Write(real, tree(), false))
	if err := os.Symlink("real.zarr", link); err != nil {
		t.Skip(err)
	}
	other := tree()
	other.Attributes["a"] = "other"
	must.Do(t, Write(link, other, true))
	info, err := os.Lstat(link)
	must.Be(t, err == nil && info.Mode()&os.ModeSymlink != 0, "the link is gone")
	got, err := Read(real)
	must.Be(t, err == nil && got.Attributes["a"] == "other", "attributes %v, %v", got, err)
}

func TestTreesThatNobodyCouldOpen(t *testing.T) {
	for want, change := range map[string]func(t *Tree){
		"cannot be a folder": func(t *Tree) { t.Groups[0].Name = "a/b" },
		"it is there twice":  func(t *Tree) { t.Groups[0].Arrays[1].Name = "x" },
		"the dimension draw has": func(t *Tree) {
			t.Groups[0].Arrays[2].Shape, t.Groups[0].Arrays[2].Data = []int{2}, []bool{true, true}
		},
		"6 values of shape [2 2]":  func(t *Tree) { t.Groups[0].Arrays[0].Shape = []int{2, 2} },
		"array flag holds []uint8": func(t *Tree) { t.Groups[0].Arrays[2].Data = []uint8{1, 2, 3} },
	} {
		tr := tree()
		change(tr)
		dir := filepath.Join(t.TempDir(), "t.zarr")
		must.Err(t, Write(dir, tr, false), want)
		_, err := os.Stat(dir)
		must.Be(t, errors.Is(err, os.ErrNotExist), "something was written")
	}
}

func TestDamagedFolders(t *testing.T) {
	remove := func(path string) func(dir string) error {
		return func(dir string) error { return os.Remove(filepath.Join(dir, path)) }
	}
	truncate := func(path string, size int64) func(dir string) error {
		return func(dir string) error { return os.Truncate(filepath.Join(dir, path), size) }
	}
	replace := func(path string, by func(path string) error) func(dir string) error {
		return func(dir string) error {
			path := filepath.Join(dir, path)
			return errors.Join(os.RemoveAll(path), by(path))
		}
	}
	fifo := func(path string) error { return must.Fifo(path) }
	link := func(to string) func(path string) error {
		return func(path string) error { return os.Symlink(to, path) }
	}
	// sealed writes bytes with a checksum in the place of a file.
	sealed := func(path string, raw ...byte) func(dir string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, path), seal(raw), 0o600) }
	}
	const sum = "its SHA-256 is not the one in SHA256SUMS"
	for _, c := range []struct {
		want   string
		sums   bool // the tree keeps its SHA256SUMS
		damage func(dir string) error
	}{
		{"g/x: c/1/0: " + sum, true, truncate("g/x/c/1/0", 16)},
		{"g/x: c/0/0: " + sum, true, func(dir string) error {
			return exchange(filepath.Join(dir, "g/x/c/0/0"), filepath.Join(dir, "g/x/c/1/0"))
		}},
		{"g/x: zarr.json: " + sum, true, edit("g/x/zarr.json", `"float64"`, `"int64"`)},
		{"zarr.json: " + sum, true, edit("zarr.json", `"a": "text"`, `"a": "test"`)},
		{"g/label/c/0 is missing", true, replace("g/label", func(string) error { return nil })},
		{"group h: zarr.json: it is not in SHA256SUMS", true, func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "h"), 0o700), os.Link(filepath.Join(dir, "g/zarr.json"),
				filepath.Join(dir, "h/zarr.json")))
		}},
		{"line 1 of SHA256SUMS is damaged", true, truncate("SHA256SUMS", 50)},
		{"line 1 of SHA256SUMS is damaged", true, truncate("SHA256SUMS", 0)},
		{"SHA256SUMS: it is a pipe and no file", true, replace("SHA256SUMS", fifo)},
		{"g/x: c/1/0: its checksum crc32c does not agree", false, truncate("g/x/c/1/0", 16)},
		{"g/x: c/1/0: its checksum crc32c does not agree", false, truncate("g/x/c/1/0", 2)},
		{"g/x: c/1/0: it has 1000000000000 bytes, and at most 28 are read", false, truncate("g/x/c/1/0", 1e12)},
		{"g/x: c/1/0: 1 bytes for 3 values", false, sealed("g/x/c/1/0", 1)},
		{"g/flag: c/0: the byte 2 is no truth value", false, sealed("g/flag/c/0", 0, 1, 2)},
		{"g/label: c/0: 16 bytes for 3 values", false, sealed("g/label/c/0", 3, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255,
			0, 0, 0, 0)},
		{"g/label: c/0: 17 bytes for 3 values", false, sealed("g/label/c/0", 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			0, 0, 0)},
		{"g/x: the file c/0/0 is missing, and the shape [2 3] claims 2", false, remove("g/x/c/0/0")},
		{"g/x: there are chunks from 0 to 1, and the shape [1 3] claims 1", false, edit("g/x/zarr.json",
			"\"shape\": [\n  2,", "\"shape\": [\n  1,")},
		{"g/flag: zarr.json: unexpected", false, truncate("g/flag/zarr.json", 20)},
		{"there is no zarr.json; it is no Zarr 3", false, remove("zarr.json")},
		{"group g: there is no zarr.json", false, remove("g/zarr.json")},
		{"g/x: it is compressed", false, edit("g/x/zarr.json", `"name": "bytes"`, `"name": "zstd"}, {"name": "bytes"`)},
		{"g/x: it is compressed", false, edit("g/x/zarr.json", `"name": "crc32c"`, `"name": "crc32d"`)},
		{"g/x: it is compressed", false, edit("g/x/zarr.json", `"codecs"`,
			`"storage_transformers": [{"name": "x"}], "codecs"`)},
		{"g/x: its bytes are in the order big", false, edit("g/x/zarr.json", `"little"`, `"big"`)},
		{"g/x: its chunks have other names", false, edit("g/x/zarr.json", `"separator": "/"`, `"separator": "."`)},
		{"g/x: it has no regular chunks", false, edit("g/x/zarr.json", `"regular"`, `"rectilinear"`)},
		{"g/x: chunks of shape [0 3] of an array", false, edit("g/x/zarr.json", "1,\n    3", "0,\n    3")},
		{"g/x: chunks of shape [1.5 3] of an array", false, edit("g/x/zarr.json", "1,\n    3", "1.5,\n    3")},
		{"g/x: chunks of shape [-1 3] of an array", false, edit("g/x/zarr.json", "1,\n    3", "-1,\n    3")},
		{"g/x: chunks of shape [1 3 1] of an array", false, edit("g/x/zarr.json", "1,\n    3", "1, 3, 1")},
		{"g/x: the data type \"float16\"", false, edit("g/x/zarr.json", `"float64"`, `"float16"`)},
		{"g/x: c/0/0: it has 28 bytes, and at most 7 are read", false, edit("g/x/zarr.json", `"float64"`, `"bool"`)},
		{"g/x: the shape [2 -3] is impossible", false, edit("g/x/zarr.json", "2,\n  3\n", "2,\n  -3\n")},
		{"g/x: the shape [2 4611686018427387904] is impossible", false, edit("g/x/zarr.json", "2,\n  3\n",
			"2,\n  4611686018427387904\n")},
		{"g/x: it is not an array", false, edit("g/x/zarr.json", `"shape": [`, `"shape": [`+strings.Repeat("1,", 40))},
		{"zarr.json: the format is 2", false, edit("zarr.json", `"zarr_format": 3`, `"zarr_format": 2`)},
		{"zarr.json: invalid character '[' exceeded max depth", false, edit("zarr.json", `"text"`, strings.Repeat("[",
			100_000)+strings.Repeat("]", 100_000))},
		{"zarr.json: it has 4", false, edit("zarr.json", `"text"`, `"`+strings.Repeat("x", maxNode)+`"`)},
		{"zarr.json: it is a pipe and no file", false, replace("zarr.json", fifo)},
		{"g/x: c/0/0: it is a pipe and no file", false, replace("g/x/c/0/0", fifo)},
		{"g/x: c/0/0: it is a device and no file", false, replace("g/x/c/0/0", link("/dev/zero"))},
		{"g/x: c/0/0: it is a folder and no file", false, replace("g/x/c/0/0",
			func(path string) error { return os.Mkdir(path, 0o700) })},
		{"group g: label is a link, and what it leads to cannot be read", false, replace("g/label", link("nothing"))},
		{"g is a link, and what it leads to cannot be read", false, replace("g", link("g"))},
	} {
		t.Run(c.want, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "t.zarr")
			must.Do(t, Write(dir, tree(), false))
			if !c.sums {
				must.Do(t, remove(sumsFile)(dir))
			}
			must.Do(t, c.damage(dir))
			if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n") || len(err.Error()) > 250 {
				t.Errorf("error %v", err)
			}
		})
	}
}

// Every bit of every file counts, once the tree has its sums; without them, every bit of the values.
func TestFlippedBits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t.zarr")
	must.Do(t, Write(dir, tree(), false))
	var paths []string
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	for _, with := range []bool{true, false} {
		if !with {
			os.Remove(filepath.Join(dir, sumsFile))
		}
		for _, path := range paths {
			whole, err := os.ReadFile(path)
			values := strings.Contains(filepath.ToSlash(path), "/c/")
			if err != nil || !with && !values {
				continue
			}
			for at := 0; at < len(whole); at += 1 + len(whole)/100 {
				raw := slices.Clone(whole)
				raw[at] ^= 1 << (at % 8)
				os.WriteFile(path, raw, 0o600)
				_, err := Read(dir)
				must.Be(t, err != nil, "byte %d of %s is accepted, with sums: %t", at, path, with)
			}
			os.WriteFile(path, whole, 0o600)
		}
		must.Get(Read(dir))(t)
	}
}

// What a zarr.json claims takes no memory, and trees of other programs are read without checksums.
func TestClaims(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t.zarr")
	write := func(path, content string) {
		t.Helper()
		path = filepath.Join(dir, path)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)))
	}
	array := func(kind, shape, chunk string) string {
		return `{"zarr_format": 3, "node_type": "array", "data_type": "` + kind + `", "shape": ` + shape +
			`, "dimension_names": ["a", "b"],
			"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": ` + chunk + `}},
				"chunk_key_encoding": {"name": "default"},
			"codecs": [` + map[string]string{"float64": `{"name": "bytes",
				"configuration": {"endian": "little"}}`, "bool": `{"name": "bytes"}`,
			"string": `{"name": "vlen-utf8"}`}[kind] + `]}`
	}
	write("zarr.json", `{"zarr_format": 3, "node_type": "group"}`)
	write("g/zarr.json", `{"zarr_format": 3, "node_type": "group"}`)
	for _, c := range []struct{ kind, shape, chunk, want string }{
		{"float64", "[30000000, 1]", "[1, 1]", "the file c/1/0 is missing, and the shape [30000000 1] claims 30000000"},
		{"float64", "[1000000, 1000000]", "[1, 1]", "claims 1000000000000"},
		{"float64", "[1, 400000000]", "[1, 400000000]", "8 bytes for 400000000 values"},
		{"bool", "[1, 1000000000000]", "[1, 1000000000000]", "8 bytes for 1000000000000 values"},
		{"string", "[1, 1000000000000]", "[1, 1000000000000]", "8 bytes for 1000000000000 values"},
		{"string", "[1, 1]", "[1, 1]", "8 bytes for 1 values"},
		{"float64", "[1, 1]", "[1, 1]", ""},
	} {
		write("g/x/zarr.json", array(c.kind, c.shape, c.chunk))
		write("g/x/c/0/0", "\x01\x00\x00\x00\xff\xff\xff\xff")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(dir)
		runtime.ReadMemStats(&after)
		took := after.TotalAlloc - before.TotalAlloc
		must.Be(t, took <= 8<<20, "%s of %s: %d bytes of memory", c.shape, c.kind, took)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s of %s: error %v, want %q in it", c.shape, c.kind, err, c.want)
		}
	}
}

// edit replaces text in a file, wherever it stands.
func edit(path, from, to string) func(dir string) error {
	return func(dir string) error {
		raw, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		changed := strings.ReplaceAll(string(raw), from, to)
		if changed == string(raw) {
			return errors.New("nothing to edit in " + path)
		}
		return os.WriteFile(filepath.Join(dir, path), []byte(changed), 0o644)
	}
}

// TestLeftovers: what a killed process has left beside a tree goes with the next write, and nothing else does.
func TestLeftovers(t *testing.T) {
	parent := t.TempDir()
	for _, name := range []string{".p.zarr.17", ".q.zarr.17", ".p.zarr.mine"} {
		must.Do(t, os.MkdirAll(filepath.Join(parent, name, "tree"), 0o700))
	}
	must.Do(t, Write(filepath.Join(parent, "p.zarr"), tree(), false))
	var names []string
	for _, e := range must.Get(os.ReadDir(parent))(t) {
		names = append(names, e.Name())
	}
	must.Equal(t, strings.Join(names, " "), ".p.zarr.mine .q.zarr.17 p.zarr", "folders")
}
