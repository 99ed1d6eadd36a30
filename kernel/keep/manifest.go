package keep

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/expfam/lab/internal/safefile"
)

// Manifest says what an image has. It is the file index in the folder of the image.
type Manifest struct {
	Program int               // number of the program that wrote it
	Next    uint64            // number of the next new block
	Names   []string          // references of types, which blocks have by their places here
	Roots   map[string]Root   // variables by their keys
	Groups  map[string]*Group // by the names of their files
}

// Root is a variable.
type Root struct {
	Block uint64 // number of the block that has the variable
	Type  string
	Bytes int    // size of the groups that it leads to
	Words string // the beginning of the value, for a person
	Why   string `json:",omitempty"` // why the value could not be kept; there is no block then
}

// Group is a file of blocks that are reached from the same variables.
type Group struct {
	Roots   []string          // the keys of these variables
	Types   []string          // references of types that a program which reads the group has to give to [Memory.Types]
	Codes   []string          // names of functions for [Memory.Functions]
	Layouts map[string]layout // of types of cells
	Large   []string          // files of single blocks
	Shared  []string          `json:",omitempty"` // variables of packages that point to its blocks
	Bytes   int               // size of all its files

	numbers []uint64 // of its blocks; known to the program that read or wrote it
}

const indexFile = "index"

// Read returns the manifest of a folder. That of an empty folder is empty.
func Read(folder string) (*Manifest, error) {
	m := &Manifest{Next: 1, Roots: map[string]Root{}, Groups: map[string]*Group{}}
	path := filepath.Join(folder, indexFile)
	if about, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return m, nil
	} else if err != nil || !about.Mode().IsRegular() {
		return m, errors.New("keep: the index of the image is no file")
	}
	data, err := safefile.Read(path, 1<<30)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, m); err != nil {
		return m, errors.New("keep: the index of the image is damaged")
	}
	return m, nil
}

func (m *Manifest) write(folder string) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return put(folder, indexFile, data)
}

// put writes a file under another name and then renames it.
func put(folder, name string, parts ...[]byte) error {
	f, err := os.CreateTemp(folder, ".new-*")
	if err != nil {
		return err
	}
	for _, data := range parts {
		if _, err = f.Write(data); err != nil {
			break
		}
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(folder, name))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Of returns the groups that some variables lead to.
func (m *Manifest) Of(keys ...string) (all []*Group) {
	for _, g := range m.Groups {
		if slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(g.Roots, key) }) {
			all = append(all, g)
		}
	}
	return all
}

// Sweep forgets the variables for which keep is false, and removes the files that no variable leads to.
func Sweep(folder string, keep func(key string) bool) error {
	m, err := Read(folder)
	if err != nil {
		return err
	}
	changed := false
	for key := range m.Roots {
		if !keep(key) {
			delete(m.Roots, key)
			changed = true
		}
	}
	files := map[string]bool{indexFile: true}
	for name, g := range m.Groups {
		left := slices.DeleteFunc(slices.Clone(g.Roots), func(key string) bool { return m.Roots[key].Block == 0 })
		if len(left) == 0 {
			delete(m.Groups, name)
			changed = true
			continue
		}
		g.Roots = left
		files[name] = true
		for _, large := range g.Large {
			files[large] = true
		}
	}
	if changed {
		if err := m.write(folder); err != nil {
			return err
		}
	}
	all, err := os.ReadDir(folder)
	for _, f := range all {
		if !files[f.Name()] && (f.Type().IsRegular() || strings.HasPrefix(f.Name(), ".new-")) {
			os.Remove(filepath.Join(folder, f.Name()))
		}
	}
	return err
}
