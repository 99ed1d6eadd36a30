// Package keep writes the values of variables into files, and reads them again. Programs of a notebook's cells import
// it: what one cell leaves in a variable is there in the next, which is a program of its own. Nobody else needs it.
//
// A value is kept with all that it leads to, through pointers, interfaces and unexported fields. Pointers to one
// thing inside of one value stay pointers to one thing; two variables are two copies. Functions cannot be kept, nor can
// channels, and values of other packages that stand for something outside of the program, such as files and
// connections. An error of which that is true keeps its text.
package keep

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"github.com/expfam/lab/internal/safefile"
)

// most is how many bytes a value may have in its file.
const most = 64 << 20

// Folder is where the program of a cell keeps values.
type Folder struct {
	path    string
	version string // end of the names of files with values that the program has changed

	mu      sync.Mutex
	types   map[string]reflect.Type
	known   map[string][sha256.Size]byte // hashes of the values that files have, by the name of the file
	watched []variable
	errors  map[string]reflect.Value // those that errors.New made, by their texts: programs compare with them
}

// variable is a variable with the name of its file.
type variable struct {
	file    string
	pointer any
	first   *value // what it had before the program changed it, if no file has that
}

// value is a value as files have it.
type value struct {
	body  []byte
	names []string // as in [Info]
}

// In returns the folder of a path, for the program that changes values into the files of a version. The types are those
// of cells and of other packages that may be behind interfaces.
func In(path, version string, types ...reflect.Type) *Folder {
	f := &Folder{path: path, version: version, types: map[string]reflect.Type{}, known: map[string][sha256.Size]byte{},
		errors: map[string]reflect.Value{}}
	for _, t := range append(types, usual...) {
		f.types[nameOf(t)] = t
	}
	return f
}

// variables reads the arguments of the methods: names of files and pointers to variables by turns.
func variables(pairs []any) (all []variable) {
	for i := 1; i < len(pairs); i += 2 {
		all = append(all, variable{file: pairs[i-1].(string), pointer: pairs[i]})
	}
	return all
}

// Load reads variables from their files. It reports whether all of them were there.
func (f *Folder) Load(pairs ...any) bool { return f.load(pairs) == nil }

func (f *Folder) load(pairs []any) error {
	for _, v := range variables(pairs) {
		data, err := safefile.Read(filepath.Join(f.path, v.file), 2*most)
		if err != nil {
			return errGone
		}
		info, body, err := parse(data)
		if err != nil || info.File != v.file {
			return errDamaged
		}
		if err := f.unpack(body, v.pointer); err != nil {
			return err
		}
		f.mu.Lock()
		f.known[v.file] = sha256.Sum256(body)
		f.mu.Unlock()
	}
	return nil
}

// Need is Load for files that were there a moment ago. It panics if one is gone or of another type.
func (f *Folder) Need(pairs ...any) {
	if err := f.load(pairs); err != nil {
		panic(strings.TrimPrefix(err.Error(), "keep: ") + ": run the cell that defines the variable again")
	}
}

// Save writes variables into their files.
func (f *Folder) Save(pairs ...any) {
	for _, v := range variables(pairs) {
		f.write(v, v.file)
	}
}

// Watch has [Folder.End] write those of the variables that have changed until then.
func (f *Folder) Watch(pairs ...any) {
	for _, v := range variables(pairs) {
		f.mu.Lock()
		if _, known := f.known[v.file]; !known {
			if body, names, err := pack(v.pointer); err == nil {
				f.known[v.file] = sha256.Sum256(body)
				v.first = &value{body, names}
			}
		}
		f.watched = append(f.watched, v)
		f.mu.Unlock()
	}
}

// End writes the watched variables that have changed, each into the file of the program's version, and the values that
// they had before, if no file has these. It is deferred, so that a cell that fails leaves what it did until then, as in
// every notebook.
func (f *Folder) End() {
	f.mu.Lock()
	watched := f.watched
	f.mu.Unlock()
	for _, v := range watched {
		f.write(v, Version(v.file, f.version))
	}
}

// Version returns the name of the file with the value that a version has given a variable.
func Version(file, version string) string {
	base, _, _ := strings.Cut(file, "~")
	return base + "~" + version
}

// write writes a variable into a file, unless its value is the one that its file has. Where the value cannot be kept, a
// file of the same name and the ending .why says why.
func (f *Folder) write(v variable, file string) {
	body, names, err := pack(v.pointer)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		os.WriteFile(filepath.Join(f.path, file+".why"), []byte(err.Error()), 0o600)
		return
	}
	sum := sha256.Sum256(body)
	if known, is := f.known[v.file]; is && known == sum {
		return
	}
	f.known[v.file] = sum
	if v.first != nil {
		f.put(v, v.file, *v.first, "")
	}
	f.put(v, file, value{body, names}, words(reflect.ValueOf(v.pointer).Elem()))
}

// put writes a value of a variable into a file.
func (f *Folder) put(v variable, file string, of value, words string) {
	t := reflect.TypeOf(v.pointer).Elem()
	info := Info{File: file, Type: strings.ReplaceAll(t.String(), "main.", ""), Bytes: len(of.body), Names: of.names,
		Words: words}
	var out bytes.Buffer
	info.write(&out)
	out.Write(of.body)
	temporary := filepath.Join(f.path, fmt.Sprintf(".%s.%d", filepath.Base(file), os.Getpid()))
	if os.WriteFile(temporary, out.Bytes(), 0o600) == nil {
		os.Rename(temporary, filepath.Join(f.path, file))
	}
}
