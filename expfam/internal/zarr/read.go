package zarr

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/expfam/lab/internal/safefile"
)

// maxNode is the largest zarr.json that is read, in bytes. The root's repeats all others, some hundreds of bytes each.
const maxNode = 4 << 20

// reader reads the files of a tree, and compares them with its sumsFile.
type reader struct {
	dir  string
	sums sums // nil if the tree has no sumsFile
}

// Read reads a tree that [Write] wrote. With its sumsFile, it reads the tree to the bit or not at all. Without it, as
// other programs write trees, it verifies the checksums of the codec crc32c where arrays have it. What a zarr.json
// claims takes no memory before the files with the values are found to have that size.
func Read(dir string) (*Tree, error) {
	s, err := readSums(dir)
	if err != nil {
		return nil, err
	}
	r := &reader{dir, s}
	root, err := r.node("")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("there is no zarr.json; it is no Zarr 3 folder")
	}
	if err != nil {
		return nil, err
	}
	t := &Tree{Attributes: root.Attributes}
	groups, err := r.folders("")
	if err != nil {
		return nil, err
	}
	for _, name := range groups {
		g, err := r.group(name)
		if err != nil {
			return nil, err
		}
		t.Groups = append(t.Groups, g)
	}
	return t, r.sums.rest()
}

// group reads a group with its arrays.
func (r *reader) group(name string) (Group, error) {
	n, err := r.node(name)
	if err != nil {
		return Group{}, fmt.Errorf("group %s: %w", name, err)
	}
	g := Group{Name: name, Attributes: n.Attributes}
	arrays, err := r.folders(name)
	if err != nil {
		return g, fmt.Errorf("group %s: %w", name, err)
	}
	for _, array := range arrays {
		a, err := r.array(filepath.Join(name, array))
		if err != nil {
			return g, fmt.Errorf("array %s/%s: %w", name, array, err)
		}
		a.Name = array
		g.Arrays = append(g.Arrays, a)
	}
	return g, nil
}

// folders returns the names of the folders in a folder of the tree. A link to a folder counts as one. Hidden folders,
// which file managers and Jupyter make, are left out.
func (r *reader) folders(path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(r.dir, path))
	if err != nil {
		return nil, cause(err)
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		is := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(r.dir, path, e.Name()))
			if err != nil {
				return nil, fmt.Errorf("%s is a link, and what it leads to cannot be read: %w", e.Name(), cause(err))
			}
			is = info.IsDir()
		}
		if is {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// file reads a file of the tree of at most max bytes.
func (r *reader) file(path string, max int64) ([]byte, error) {
	raw, err := safefile.Read(filepath.Join(r.dir, path), max)
	if err != nil {
		return nil, cause(err)
	}
	return raw, r.sums.check(filepath.ToSlash(path), raw)
}

// node reads the zarr.json of a folder.
func (r *reader) node(path string) (n node, err error) {
	raw, err := r.file(filepath.Join(path, "zarr.json"), maxNode)
	if errors.Is(err, fs.ErrNotExist) {
		return n, fmt.Errorf("there is no zarr.json: %w", err)
	}
	if err != nil {
		return n, fmt.Errorf("zarr.json: %w", err)
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return n, fmt.Errorf("zarr.json: %w", err)
	}
	if n.Format != 3 {
		return n, fmt.Errorf("zarr.json: the format is %d, and Zarr 3 is read", n.Format)
	}
	return n, nil
}

// maxValues is the largest number of values of an array, which keeps sizes in bytes below 2^63.
const maxValues = 1 << 40

// array reads an array with all its values.
func (r *reader) array(path string) (Array, error) {
	n, err := r.node(path)
	if err != nil {
		return Array{}, err
	}
	a := Array{Dims: n.Dimensions, Shape: n.Shape, Attributes: n.Attributes}
	count := 1
	for _, s := range n.Shape {
		if s < 1 || s > maxValues/count {
			return a, fmt.Errorf("the shape %s is impossible", brief(n.Shape))
		}
		count *= s
	}
	if n.Type != "array" || len(n.Dimensions) != len(n.Shape) || len(n.Shape) > 32 {
		return a, errors.New("it is not an array as expfam writes them; open it in Python")
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
	sealed, err := n.sealed()
	if err != nil {
		return a, err
	}
	if a.Split, err = n.split(); err != nil {
		return a, err
	}
	return a, r.values(path, &a, count, sealed)
}

// values reads the files of an array with count values.
func (r *reader) values(path string, a *Array, count int, sealed bool) error {
	files := 1
	for _, n := range a.Shape[:a.Split] {
		files *= n
	}
	if len(a.Shape) > 0 {
		first := 1
		if a.Split > 0 {
			first = a.Shape[0]
		}
		// Chunks beyond those that the shape claims would be passed over.
		if there, _ := os.ReadDir(filepath.Join(r.dir, path, "c")); len(there) > first {
			return fmt.Errorf("there are chunks from %s to %s, and the shape %s claims %d", there[0].Name(),
				there[len(there)-1].Name(), brief(a.Shape), first)
		}
	}
	kind, _, _ := a.kind()
	each, extra := count/files, 0
	if sealed {
		extra = crc32.Size
	}
	for i := range files {
		name := a.file(i)
		raw, err := r.file(filepath.Join(path, name), length(kind, each)+int64(extra))
		if err == nil && sealed {
			raw, err = unseal(raw)
		}
		if err == nil {
			err = a.decode(raw, each)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the file %s is missing, and the shape %s claims %d", filepath.ToSlash(name),
				brief(a.Shape), files)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.ToSlash(name), err)
		}
	}
	return nil
}

// brief returns a shape as text, of which it leaves out the end if it is long.
func brief[T any](shape []T) string {
	if len(shape) > 8 {
		return fmt.Sprintf("%v and %d more", slices.Clone(shape[:8]), len(shape)-8)
	}
	return fmt.Sprint(shape)
}
