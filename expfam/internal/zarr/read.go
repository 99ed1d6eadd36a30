package zarr

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Read reads a tree that [Write] wrote.
func Read(dir string) (*Tree, error) {
	root, err := readNode(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("there is no zarr.json; it is no Zarr 3 folder")
	}
	if err != nil {
		return nil, err
	}
	t := &Tree{Attributes: root.Attributes}
	groups, err := folders(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range groups {
		n, err := readNode(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("group %s: %w", name, err)
		}
		g := Group{Name: name, Attributes: n.Attributes}
		arrays, err := folders(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for _, array := range arrays {
			a, err := readArray(filepath.Join(dir, name, array))
			if err != nil {
				return nil, fmt.Errorf("array %s/%s: %w", name, array, err)
			}
			a.Name = array
			g.Arrays = append(g.Arrays, a)
		}
		t.Groups = append(t.Groups, g)
	}
	return t, nil
}

// folders returns the names of the folders in a folder.
func folders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// readNode reads the zarr.json of a folder.
func readNode(dir string) (n node, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, "zarr.json"))
	if err != nil {
		return n, err
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return n, fmt.Errorf("zarr.json: %w", err)
	}
	return n, nil
}

// readArray reads an array with all its values.
func readArray(dir string) (Array, error) {
	n, err := readNode(dir)
	if err != nil {
		return Array{}, err
	}
	a := Array{Dims: n.Dimensions, Shape: n.Shape, Attributes: n.Attributes}
	count := 1
	for _, s := range n.Shape {
		if s < 1 || s > 1<<40/count {
			return a, fmt.Errorf("the shape %v is impossible", n.Shape)
		}
		count *= s
	}
	if len(n.Codecs) != 1 || n.Type != "array" || len(n.Dimensions) != len(n.Shape) {
		return a, errors.New("it is compressed, or not an array as expfam writes them; open it in Python")
	}
	var chunk []int
	if n.ChunkGrid != nil {
		raw, _ := n.ChunkGrid.Configuration["chunk_shape"].([]any)
		for _, v := range raw {
			f, _ := v.(float64)
			chunk = append(chunk, int(f))
		}
	}
	for a.Split < len(chunk) && a.Split < len(n.Shape) && chunk[a.Split] == 1 && n.Shape[a.Split] > 1 {
		a.Split++
	}
	switch n.DataType {
	case float:
		a.Data = []float64(nil)
	case whole:
		a.Data = []int64(nil)
	case truth:
		a.Data = []bool(nil)
	case text:
		a.Data = []string(nil)
	default:
		return a, fmt.Errorf("the data type %q is not one that expfam writes", n.DataType)
	}
	if !slices.Equal(chunk, a.chunk()) {
		return a, fmt.Errorf("chunks of shape %v of an array of shape %v are not as expfam writes them; open it in Python", chunk, n.Shape)
	}
	files := a.chunks()
	for _, f := range files {
		raw, err := os.ReadFile(filepath.Join(dir, f.file))
		if err != nil {
			return a, err
		}
		if err := a.decode(raw, count/len(files)); err != nil {
			return a, fmt.Errorf("%s: %w", f.file, err)
		}
	}
	return a, nil
}

// decode appends the values of a file, whose number is count, to Data.
func (a *Array) decode(raw []byte, count int) error {
	wrong := fmt.Errorf("%d bytes for %d values; the file is cut off or of another array", len(raw), count)
	switch v := a.Data.(type) {
	case []float64:
		if len(raw) != 8*count {
			return wrong
		}
		v = slices.Grow(v, count)
		for i := range count {
			v = append(v, math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:])))
		}
		a.Data = v
	case []int64:
		if len(raw) != 8*count {
			return wrong
		}
		for i := range count {
			v = append(v, int64(binary.LittleEndian.Uint64(raw[8*i:])))
		}
		a.Data = v
	case []bool:
		if len(raw) != count {
			return wrong
		}
		for _, b := range raw {
			v = append(v, b != 0)
		}
		a.Data = v
	case []string:
		if len(raw) < 4 || int(binary.LittleEndian.Uint32(raw)) != count {
			return wrong
		}
		raw = raw[4:]
		for range count {
			if len(raw) < 4 || len(raw)-4 < int(binary.LittleEndian.Uint32(raw)) {
				return wrong
			}
			n := int(binary.LittleEndian.Uint32(raw))
			v, raw = append(v, string(raw[4:4+n])), raw[4+n:]
		}
		a.Data = v
	}
	return nil
}
