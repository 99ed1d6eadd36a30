package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

const libraryPath = "github.com/expfam/lab/"

// programs are the packages of the library that programs of cells import. The last three have no name in a cell: what
// reports are made of is imported by its path, and the others are for the kernel's own lines.
var programs = []string{"./expfam/...", "./viz/...", "./report", "./kernel/keep", "./kernel/input"}

// packages are the packages that cells can import: those that the go command lists, with types from the export data
// that the compiler has written.
type packages struct {
	checkout string
	work     func() string // returns the folder in which GoNB compiles
	kept     string        // file of the list, see [keptList]; "" for none

	mu     sync.Mutex
	key    string              // of the list; see [packages.state]
	files  map[string]string   // what the compiler has written, by path of the package
	linked map[string]string   // those of files that belong to the library, with which programs are linked
	names  map[string][]string // paths by name, the library's first, then Go's, then others
	tools  string              // folder of the compiler and the linker
	info   string              // what the linker is told of the modules
	types  types.Importer
}

// load lists the library and all that it depends on, unless the list of an earlier kernel still holds.
func (p *packages) load() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key = p.state() // before the list is made, so that an edit in the meantime gives another key
	list, ok := recall(p.kept, p.key)
	if !ok {
		defer alone(p.kept)()
		list, ok = recall(p.kept, p.key)
	}
	if ok {
		p.files, p.names, p.tools, p.info = list.Files, list.Names, list.Tools, list.Info
		p.linked = maps.Clone(p.files)
	} else {
		p.files, p.names = map[string]string{}, map[string][]string{}
	}
	p.types = importer.ForCompiler(token.NewFileSet(), "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(p.files[path]) })
	if len(p.files) > 0 {
		return nil
	}
	modules, err := p.library()
	p.linked = maps.Clone(p.files)
	errTools := p.toolchain(modules)
	std, errStd := goSays(context.Background(), p.checkout, "list", "std")
	for _, pkg := range strings.Fields(std) {
		if name := nameOf(pkg); importable(pkg) && !slices.Contains(p.names[name], pkg) {
			p.names[name] = append(p.names[name], pkg)
		}
	}
	for _, paths := range p.names {
		slices.SortStableFunc(paths, func(a, b string) int { return rank(a) - rank(b) })
	}
	if err = cmp.Or(err, errTools, errStd); err == nil {
		keptList{p.key, p.files, p.names, p.tools, p.info}.write(p.kept)
	}
	return err
}

// Large are packages of the library that are compiled when a cell imports them and not before, because they take long.
var Large = []string{libraryPath + "expfam/geopackage", libraryPath + "expfam/geoparquet"}

// library lists the library, and of large packages nothing but their names. It returns the modules.
func (p *packages) library() (map[string]debug.Module, error) {
	out, err := goSays(context.Background(), p.checkout, append([]string{"list", "-e", "-find"}, programs...)...)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(strings.Fields(out), func(pkg string) bool { return slices.Contains(Large, pkg) })
	modules, err := p.list(p.checkout, all...)
	for _, pkg := range Large {
		p.names[nameOf(pkg)] = append(p.names[nameOf(pkg)], pkg)
	}
	return modules, err
}

// list asks the go command about packages and their dependencies, and returns the modules that these are of.
func (p *packages) list(dir string, patterns ...string) (modules map[string]debug.Module, err error) {
	cmd := exec.Command("go", append([]string{"list", "-e", "-export", "-deps",
		"-f", "{{.ImportPath}}\t{{.Name}}\t{{.Export}}\t{{.Dir}}\t{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Sum}}" +
			"{{else}}\t\t{{end}}\t{{with .Error}}{{.Err}}{{end}}"}, patterns...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	modules = map[string]debug.Module{}
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 8)
		if len(f) < 8 {
			continue
		}
		if f[7] != "" && f[2] == "" {
			if err = fmt.Errorf("%s", f[7]); f[3] == "" && f[0] == patterns[0] {
				return nil, fmt.Errorf("%w: %w", errNotThere, err)
			}
			continue
		}
		if f[4] != "" {
			modules[f[4]] = debug.Module{Path: f[4], Version: cmp.Or(f[5], "(devel)"), Sum: f[6]}
		}
		p.files[f[0]] = f[2]
		if importable(f[0]) && f[1] != "main" && !slices.Contains(p.names[f[1]], f[0]) {
			p.names[f[1]] = append(p.names[f[1]], f[0])
		}
	}
	return modules, err
}

var errNotThere = errors.New("no folder on this machine has the package")

// absent is the error of a package that is not there, with what to type.
func absent(pkg string) error {
	first, _, _ := strings.Cut(pkg, "/")
	bare, _, versioned := strings.Cut(pkg, "@")
	switch {
	case strings.HasPrefix(pkg+"/", libraryPath):
		return fmt.Errorf("package %s: the library has none of this path", pkg)
	case versioned:
		return fmt.Errorf("package %s: an import has no version; type %%get %s, and import %q", pkg, pkg, bare)
	case strings.HasPrefix(pkg, ".") || strings.HasPrefix(pkg, "/"):
		return fmt.Errorf("package %s: an import is a path and no folder; type !*go mod edit -replace NAME=FOLDER "+
			"and !*go get NAME, and import NAME", pkg)
	case !strings.Contains(first, "."):
		return fmt.Errorf("package %s: Go's library has none of this path, and the path of a module begins with a "+
			"site, as in github.com/name/%s", pkg, pkg)
	}
	return fmt.Errorf("package %s is not there: type %%get %s@latest in a cell, and run this cell again", pkg, pkg)
}

// Import returns the types of a package.
func (p *packages) Import(pkg string) (*types.Package, error) {
	if pkg == "unsafe" {
		return types.Unsafe, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.types == nil {
		return nil, fmt.Errorf("package %s: the library is not ready", pkg)
	}
	if p.files[pkg] == "" {
		switch _, err := p.list(p.work(), pkg); {
		case errors.Is(err, errNotThere):
			return nil, absent(pkg)
		case err != nil:
			return nil, fmt.Errorf("package %s: %s", pkg, strings.TrimSpace(err.Error()))
		}
	}
	if p.files[pkg] == "" {
		return nil, fmt.Errorf("package %s does not compile: `go vet %s` says why", pkg, pkg)
	}
	return p.types.Import(pkg)
}

// stale reports whether the library was changed since its packages were listed.
func (p *packages) stale() bool {
	now := p.state()
	p.mu.Lock()
	defer p.mu.Unlock()
	return now != p.key
}

// sources calls see for the Go files of the library and of the packages in the checkout that it uses, without tests.
// Each cell waits for this walk.
func (p *packages) sources(see func(path string, info fs.FileInfo)) {
	for _, dir := range []string{"expfam", "viz", "report", "internal", "kernel/keep", "kernel/input"} {
		filepath.WalkDir(filepath.Join(p.checkout, dir), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				if info, err := entry.Info(); err == nil {
					see(path, info)
				}
			}
			return nil
		})
	}
}
