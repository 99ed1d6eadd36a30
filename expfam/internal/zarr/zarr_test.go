package zarr

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func tree() *Tree {
	return &Tree{Attributes: map[string]any{"a": "text", "b": 1.5}, Groups: []Group{{Name: "g", Attributes: map[string]any{}, Arrays: []Array{
		{Name: "x", Dims: []string{"chain", "draw"}, Shape: []int{2, 3}, Split: 1, Data: []float64{1, 2, 3, math.Pi, -1e-300, math.Inf(1)}, Attributes: map[string]any{}},
		{Name: "chain", Dims: []string{"chain"}, Shape: []int{2}, Data: []int64{0, math.MinInt64}, Attributes: map[string]any{}},
		{Name: "flag", Dims: []string{"draw"}, Shape: []int{3}, Data: []bool{true, false, true}, Attributes: map[string]any{}},
		{Name: "label", Dims: []string{"draw"}, Shape: []int{3}, Data: []string{"", "Größe", "a/b"}, Attributes: map[string]any{}},
	}}}}
}

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "t.zarr")
	if err := Write(dir, tree(), false); err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range tree().Groups[0].Arrays {
		g, _ := got.Group("g")
		if a, ok := g.Array(want.Name); !ok || !reflect.DeepEqual(a, want) {
			t.Errorf("read %+v, want %+v", a, want)
		}
	}
	if !reflect.DeepEqual(got.Attributes, tree().Attributes) {
		t.Errorf("attributes %v", got.Attributes)
	}
	if err := Write(dir, tree(), false); !errors.Is(err, ErrExists) {
		t.Errorf("a second time: error %v", err)
	}
}

// A link to a folder stays one, and the folder is replaced.
func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.zarr"), filepath.Join(dir, "link.zarr")
	if err := Write(real, tree(), false); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.zarr", link); err != nil {
		t.Skip(err)
	}
	other := tree()
	other.Attributes["a"] = "other"
	if err := Write(link, other, true); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if got, err := Read(real); err != nil || got.Attributes["a"] != "other" {
		t.Errorf("attributes %v, %v", got, err)
	}
}

func TestTreesThatNobodyCouldOpen(t *testing.T) {
	for want, change := range map[string]func(t *Tree){
		"cannot be a folder":       func(t *Tree) { t.Groups[0].Name = "a/b" },
		"it is there twice":        func(t *Tree) { t.Groups[0].Arrays[1].Name = "x" },
		"the dimension draw has":   func(t *Tree) { t.Groups[0].Arrays[2].Shape, t.Groups[0].Arrays[2].Data = []int{2}, []bool{true, true} },
		"6 values of shape [2 2]":  func(t *Tree) { t.Groups[0].Arrays[0].Shape = []int{2, 2} },
		"array flag holds []uint8": func(t *Tree) { t.Groups[0].Arrays[2].Data = []uint8{1, 2, 3} },
	} {
		tr := tree()
		change(tr)
		dir := filepath.Join(t.TempDir(), "t.zarr")
		if err := Write(dir, tr, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Error("something was written")
		}
	}
}

func TestDamagedFolders(t *testing.T) {
	for want, damage := range map[string]func(dir string) error{
		"g/x: c/1/0: 16 bytes for 3 values":   func(dir string) error { return os.Truncate(filepath.Join(dir, "g/x/c/1/0"), 16) },
		"g/x: open":                           func(dir string) error { return os.Remove(filepath.Join(dir, "g/x/c/0/0")) },
		"g/label: c/0":                        func(dir string) error { return os.Truncate(filepath.Join(dir, "g/label/c/0"), 10) },
		"g/flag: zarr.json: unexpected":       func(dir string) error { return os.Truncate(filepath.Join(dir, "g/flag/zarr.json"), 20) },
		"there is no zarr.json":               func(dir string) error { return os.Remove(filepath.Join(dir, "zarr.json")) },
		"g/x: it is compressed":               edit("g/x/zarr.json", `"name": "bytes"`, `"name": "zstd"}, {"name": "bytes"`),
		"g/x: the data type \"float16\"":      edit("g/x/zarr.json", `"float64"`, `"float16"`),
		"g/x: the shape [2 -3] is impossible": edit("g/x/zarr.json", "2,\n  3\n", "2,\n  -3\n"),
	} {
		t.Run(want, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "t.zarr")
			if err := Write(dir, tree(), false); err != nil {
				t.Fatal(err)
			}
			if err := damage(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v", err)
			}
		})
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
