// Package zarr writes and reads trees of arrays in the format Zarr 3
// (zarr-specs.readthedocs.io, version 3.1). A tree is a folder with a zarr.json for each group
// and array. The values are in files of raw little-endian numbers with a checksum at the end. The package has what
// xarray's open_datatree needs, and no compression. No Go library of the format is mature.
package zarr

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tree is the root group, which holds the other groups.
type Tree struct {
	Attributes map[string]any
	Groups     []Group
}

// Group is a set of arrays. Dimensions with the same name are shared between arrays.
type Group struct {
	Name       string
	Attributes map[string]any
	Arrays     []Array
}

// Array is an array in row-major order. An array with a single dimension of the same name as the array holds the
// coordinates of that dimension.
type Array struct {
	Name       string
	Dims       []string // one name for each axis
	Shape      []int
	Attributes map[string]any
	Data       any // []float64, []int64, []bool or []string
	// Split is the number of leading axes along which the array is cut into files of length 1. With 1 and chains
	// as the first axis, each chain has its own file. With 0 the array is one file.
	Split int
}

// Group returns the group with this name, and whether there is one.
func (t *Tree) Group(name string) (Group, bool) {
	i := slices.IndexFunc(t.Groups, func(g Group) bool { return g.Name == name })
	if i < 0 {
		return Group{}, false
	}
	return t.Groups[i], true
}

// Array returns the array with this name, and whether there is one.
func (g Group) Array(name string) (Array, bool) {
	i := slices.IndexFunc(g.Arrays, func(a Array) bool { return a.Name == name })
	if i < 0 {
		return Array{}, false
	}
	return g.Arrays[i], true
}

// Floats returns the values of an array of float64, or nil if the array has another type.
func (a Array) Floats() []float64 {
	v, _ := a.Data.([]float64)
	return v
}

// The data types, as the format names them.
const (
	float = "float64"
	whole = "int64"
	truth = "bool"
	text  = "string"
)

// kind returns the data type and the number of values.
func (a Array) kind() (name string, length int, err error) {
	switch v := a.Data.(type) {
	case []float64:
		return float, len(v), nil
	case []int64:
		return whole, len(v), nil
	case []bool:
		return truth, len(v), nil
	case []string:
		return text, len(v), nil
	}
	return "", 0, fmt.Errorf("array %s holds %T", a.Name, a.Data)
}

// check refuses a tree that xarray could not open.
func (t *Tree) check() error {
	seen := map[string]bool{}
	for _, g := range t.Groups {
		if err := CheckName(g.Name); err != nil {
			return fmt.Errorf("group %q: %w", g.Name, err)
		}
		if seen[g.Name] {
			return fmt.Errorf("group %q: it is there twice", g.Name)
		}
		seen[g.Name] = true
		lengths, names := map[string]int{}, map[string]bool{}
		for _, a := range g.Arrays {
			if err := CheckName(a.Name); err != nil {
				return fmt.Errorf("array %s/%q: %w", g.Name, a.Name, err)
			}
			if names[a.Name] {
				return fmt.Errorf("array %s/%q: it is there twice", g.Name, a.Name)
			}
			names[a.Name] = true
			_, length, err := a.kind()
			if err != nil {
				return err
			}
			size := 1
			for i, n := range a.Shape {
				size *= n
				if i < len(a.Dims) && lengths[a.Dims[i]] != 0 && lengths[a.Dims[i]] != n {
					return fmt.Errorf("array %s/%s: the dimension %s has %d entries, elsewhere %d", g.Name, a.Name,
						a.Dims[i], n, lengths[a.Dims[i]])
				}
				if i < len(a.Dims) {
					lengths[a.Dims[i]] = n
				}
			}
			if len(a.Dims) != len(a.Shape) || size != length || size == 0 || a.Split > len(a.Shape) {
				return fmt.Errorf("array %s/%s: %d values of shape %v with dimensions %v", g.Name, a.Name, length,
					a.Shape, a.Dims)
			}
		}
	}
	return nil
}

// CheckName refuses names that cannot be the name of a folder beside the files of the format.
func CheckName(name string) error {
	wrong := func(why string) error { return fmt.Errorf("the name %q cannot be a folder: %s", name, why) }
	switch {
	case name == "":
		return wrong("it is empty")
	case name == "c" || name == "zarr.json" || name == sumsFile:
		return wrong("Zarr has files of this name")
	case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "__"):
		return wrong("it begins with a dot or with __")
	case strings.ContainsAny(name, `/\`):
		return wrong("it has a slash in it")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return wrong("it has letters that cannot be printed")
	case len(name) > 200:
		return wrong(fmt.Sprintf("it has %d bytes, and at most 200 are possible", len(name)))
	}
	return nil
}
