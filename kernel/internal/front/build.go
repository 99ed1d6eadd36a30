package front

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// The flags of cells. There is no debug information, which the linker would read even if it were to leave it out, and
// no symbol table (panics keep their line numbers all the same). The linker is Go's own, which handles the C parts of
// the engines as well.
const (
	CompilerFlags = "-dwarf=false"
	LinkerFlags   = "-s -linkmode=internal"
)

// build compiles and links a program by the compiler and the linker alone, and returns the path of what it made. The go
// command takes a quarter of a second of a processor to find out that none of the library's packages has changed, which
// the list of packages tells in milliseconds. build returns "" where the go command has to build the program: because
// it imports what the list lacks, because a cell has changed the module in which cells are compiled, or because
// something failed, which the go command says in its words.
func (x *execution) build(ctx context.Context, source string) string {
	if x.gonb.changed() {
		return ""
	}
	files, info := x.packages.linkable(source)
	if files == nil {
		return ""
	}
	ctx, stop := x.untilInterrupted(ctx)
	defer stop()
	in := func(name string) string { return filepath.Join(x.gonb.dir, name) }
	var list strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(files)) {
		if files[pkg] != "" { // package unsafe has none
			fmt.Fprintf(&list, "packagefile %s=%s\n", pkg, files[pkg])
		}
	}
	tools := x.packages.tools
	compile := exec.CommandContext(ctx, filepath.Join(tools, "compile"), append([]string{"-o", in("cell.a"), "-p",
		"main", "-complete", "-nolocalimports", "-pack", "-importcfg", in("importcfg")},
		append(strings.Fields(CompilerFlags), filepath.Join(x.gonb.work, "main.go"))...)...)
	link := exec.CommandContext(ctx, filepath.Join(tools, "link"), append([]string{"-o", in("cell"), "-buildmode=exe",
		"-importcfg", in("importcfg.link")}, append(strings.Fields(LinkerFlags), in("cell.a"))...)...)
	for path, text := range map[string]string{filepath.Join(x.gonb.work, "main.go"): source,
		in("importcfg"): list.String(), in("importcfg.link"): list.String() + info} {
		if os.WriteFile(path, []byte(text), 0o600) != nil {
			return ""
		}
	}
	for _, cmd := range []*exec.Cmd{compile, link} {
		if cmd.Dir = x.gonb.work; cmd.Run() != nil {
			return ""
		}
	}
	return in("cell")
}

// module returns the text of the files that say with which modules cells are compiled.
func (b *backend) module() string {
	mod, _ := os.ReadFile(filepath.Join(b.work, "go.mod"))
	work, _ := os.ReadFile(filepath.Join(b.work, "go.work"))
	return string(mod) + string(work)
}

// changed reports whether the modules of cells are others than those of the library.
func (b *backend) changed() bool { return b.module() != b.began }

// toolchain asks the go command for the compiler and the linker, and writes down for the linker what the go command
// would tell it of a program's modules: results are stored under the versions of some.
func (p *packages) toolchain(modules map[string]debug.Module) error {
	out, err := goSays(context.Background(), p.checkout, "env", "GOTOOLDIR", "GOEXPERIMENT", "GOAMD64", "GOARM64")
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	values := append(strings.Split(out, "\n"), "", "", "") // the last may be empty
	p.tools = values[0]
	b := debug.BuildInfo{Path: "cell", Main: debug.Module{Path: "cell", Version: "(devel)"}}
	for i, s := range []struct{ key, arch string }{{"GOEXPERIMENT", ""}, {"GOAMD64", "amd64"}, {"GOARM64", "arm64"}} {
		if values[i+1] != "" && (s.arch == "" || s.arch == runtime.GOARCH) {
			b.Settings = append(b.Settings, debug.BuildSetting{Key: s.key, Value: values[i+1]})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		b.Deps = append(b.Deps, &m)
	}
	p.info = fmt.Sprintf("modinfo %q\n", infoStart+b.String()+infoEnd)
	return nil
}

// infoStart and infoEnd stand around the modules in a program: package modload of the go command has them.
const (
	infoStart = "\x30\x77\xaf\x0c\x92\x74\x08\x02\x41\xe1\xc1\x07\xe6\xd6\x18\xe6"
	infoEnd   = "\xf9\x32\x43\x31\x86\x18\x20\x72\x00\x82\x42\x10\x41\x16\xd8\xf2"
)

// linkable returns the files of the packages with which a program can be linked, and what the linker is told of their
// modules; nil if the list lacks one that the program imports.
func (p *packages) linkable(source string) (files map[string]string, info string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ImportsOnly)
	if err != nil {
		return nil, ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err != nil || p.linked[path] == "" && path != "unsafe" {
			return nil, ""
		}
	}
	return p.linked, p.info
}
