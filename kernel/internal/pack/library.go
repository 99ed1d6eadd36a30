package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Folders of what [Library] writes: the library, and beside it the modules that it imports.
const (
	SourceFolder  = "source"
	modulesFolder = "modules"
)

// others are the folders of a clone from which cells import nothing. Of the kernel they need two packages.
var others = []string{"benchmarks", "deploy", "docker", "docs", "kernel"}

var ofKernel = []string{"kernel/keep", "kernel/input"}

// browser is the system of pages, for which cells are compiled on all others. There is neither cgo nor an engine but
// pure Go in it.
const browser = "js/wasm"

// Library calls add with each file from which cells are compiled on a system such as linux/amd64 and for browsers: the
// library, and the modules that it imports, without their tests, documents, examples and files for other systems. The
// library's go.mod replaces each module by the folder beside it, so the go command needs neither a network nor a cache
// of modules, and no hashes. What the modules themselves require is left out of their go.mod: the library's lists all
// that is imported.
func Library(ctx context.Context, clone, system string, add func(name string, data []byte)) error {
	folders, err := addLibrary(ctx, clone, add)
	if err != nil {
		return err
	}
	modules, err := imported(ctx, clone, system, folders)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(clone, "go.mod"))
	if err != nil {
		return err
	}
	old, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return err
	}
	mod := new(modfile.File)
	if err := errors.Join(mod.AddModuleStmt(old.Module.Mod.Path), mod.AddGoStmt(old.Go.Version)); err != nil {
		return err
	}
	for _, m := range modules {
		folder := path.Join(modulesFolder, m.Path+"@"+m.Version)
		if err := m.addTo(folder, system, add); err != nil {
			return fmt.Errorf("module %s: %w", m.Path, err)
		}
		if err := errors.Join(mod.AddRequire(m.Path, m.Version),
			mod.AddReplace(m.Path, m.Version, "../"+folder, "")); err != nil {
			return err
		}
	}
	mod.Cleanup()
	if data, err = mod.Format(); err != nil {
		return err
	}
	add(SourceFolder+"/go.mod", data)
	add(SourceFolder+"/go.sum", nil)
	return nil
}

// addLibrary adds what git lists of the clone's packages for cells, as it is in the clone, and returns their folders.
func addLibrary(ctx context.Context, clone string, add func(name string, data []byte)) ([]string, error) {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z")
	cmd.Dir = clone
	list, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files in %s: %w: the library is taken from a clone", clone, err)
	}
	folders := slices.Clone(ofKernel)
	for _, name := range strings.Split(strings.TrimRight(string(list), "\x00"), "\x00") {
		if !ofLibrary(name) {
			continue
		}
		if top, _, below := strings.Cut(name, "/"); below && !slices.Contains(append(others, folders...), top) {
			folders = append(folders, top)
		}
		data, err := os.ReadFile(filepath.Join(clone, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		add(SourceFolder+"/"+name, data)
	}
	return folders, nil
}

// ofLibrary reports whether cells need a file of the clone. Lessons and their images are for reading.
func ofLibrary(name string) bool {
	if slices.Contains([]string{"LICENSE", "NOTICE", "docs/cells.md"}, name) { // %help shows the last
		return true
	}
	if dir := path.Dir(name); dir == "notebooks" || strings.HasPrefix(dir, "notebooks/img") {
		return false
	}
	top, _, below := strings.Cut(name, "/")
	return below && !strings.HasPrefix(top, ".") && !tests.MatchString(name) &&
		(!slices.Contains(others, top) || slices.Contains(ofKernel, path.Dir(name)))
}

// module is what the go command says about a module.
type module struct{ Path, Version, Dir string }

// imported returns the modules that packages in folders of the clone import on a system or in browsers, in order of
// their paths.
func imported(ctx context.Context, clone, system string, folders []string) ([]module, error) {
	list := []string{"list", "-deps", "-json=Module"}
	for _, folder := range folders {
		list = append(list, "./"+folder+"/...")
	}
	found := map[string]module{}
	for _, system := range []string{system, browser} {
		goos, arch, _ := strings.Cut(system, "/")
		cmd := exec.CommandContext(ctx, "go", list...)
		cmd.Dir = clone
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=1")
		if system == browser {
			cmd.Env = append(cmd.Env, "CGO_ENABLED=0", "GOFLAGS=-tags=noonnx,noxla,minimal")
		}
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for packages := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p struct{ Module *module }
			if err := packages.Decode(&p); err == io.EOF {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module != nil && p.Module.Version != "" {
				found[p.Module.Path] = *p.Module
			}
		}
	}
	modules := slices.SortedFunc(maps.Values(found), func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return modules, nil
}

var (
	// tests matches what only tests of a package read.
	tests = regexp.MustCompile(`_test\.go$|(^|/)testdata/`)
	// unread matches what no compiler reads: documents, examples, pictures, and folders that the go command ignores.
	unread = regexp.MustCompile(`(?i)^(docs?|examples?)/|(^|/)[._][^/]*/|\.(png|jpg|gif|svg|mp4|pdf|md|html|ipynb)$`)
	// licence matches what must go where the module goes.
	licence = regexp.MustCompile(`(?i)(^|/)(licen[cs]e|copying|notice|patents|authors)[^/]*$`)
)

// addTo adds the files of a module from which packages are compiled on a system or for browsers, and its licences.
func (m module) addTo(folder, system string, add func(name string, data []byte)) error {
	requires := fmt.Sprintf("module %s\n", m.Path)
	if data, err := os.ReadFile(filepath.Join(m.Dir, "go.mod")); err == nil {
		mod, err := modfile.ParseLax("go.mod", data, nil)
		if err != nil {
			return err
		}
		if mod.Go != nil {
			requires += "\ngo " + mod.Go.Version + "\n"
		}
	}
	add(folder+"/go.mod", []byte(requires))
	return walk(os.DirFS(m.Dir), func(name string, data []byte) {
		if name != "go.mod" && name != "go.sum" && !tests.MatchString(name) &&
			(!unread.MatchString(name) || licence.MatchString(name)) &&
			(forSystem(system, name, data) || forSystem(browser, name, data)) {
			add(folder+"/"+name, data)
		}
	})
}

// walk calls see for every regular file.
func walk(files fs.FS, see func(name string, data []byte)) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err == nil {
			see(name, data)
		}
		return err
	})
}
