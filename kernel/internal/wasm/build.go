package wasm

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/internal/safefile"
)

// Program is what a page needs to run live cells.
type Program struct {
	Cells []string // ids of the cells
	// Code is WebAssembly, compressed by gzip. Runtime is the script wasm_exec.js of the Go that compiled the code,
	// with the function expfamConnect, which takes the program's instance before it runs.
	Code, Runtime []byte
	Files         map[string][]byte // files that the cells read, by path from the notebook's folder, compressed by gzip
}

// Size returns how many bytes a page fetches to make its cells live.
func (p *Program) Size() int {
	n := len(p.Code)
	for _, data := range p.Files {
		n += len(data)
	}
	return n
}

// folder is where in the checkout the compiler finds the program, which exists only in an overlay.
const folder = "livecells"

// Build compiles the cells of a notebook in the folder dir for browsers, with the Go and the modules of the checkout.
// The same cells give the same bytes.
func Build(ctx context.Context, checkout, dir string, cells []Cell) (*Program, error) {
	work, remove, err := safefile.Folder("", "expfam-live-")
	if err != nil {
		return nil, err
	}
	defer remove()
	p := &Program{}
	for _, c := range cells {
		p.Cells = append(p.Cells, c.ID)
	}
	overlay, err := sources(ctx, checkout, work, cells)
	if err != nil {
		return nil, err
	}
	code, err := compile(ctx, checkout, work, overlay)
	if err != nil {
		return nil, err
	}
	if p.Code, err = compressed(code); err != nil {
		return nil, err
	}
	if p.Files, err = Files(dir, cells); err != nil {
		return nil, err
	}
	for path, data := range p.Files {
		if p.Files[path], err = compressed(data); err != nil {
			return nil, err
		}
	}
	goroot, err := output(ctx, checkout, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	runtime, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
	p.Runtime = append(runtime, connect()...)
	return p, err
}

// sources writes the program of cells into the folder work, and an overlay by which the compiler finds the program in
// the checkout. It returns the path of the overlay.
func sources(ctx context.Context, checkout, work string, cells []Cell) (overlay string, err error) {
	root, err := output(ctx, checkout, "list", "-m")
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	put := func(name, text string) error {
		at := filepath.Join(work, fmt.Sprintf("%d.go", len(replace)))
		replace[filepath.Join(checkout, folder, filepath.FromSlash(name))] = at
		return os.WriteFile(at, []byte(text), 0o600)
	}
	for i, c := range cells {
		source, err := asPackage(c.Source, fmt.Sprintf("c%d", i))
		if err != nil {
			return "", err
		}
		if err := put(fmt.Sprintf("c%d/cell.go", i), source); err != nil {
			return "", err
		}
	}
	if err := put("main.go", dispatcher(root+"/"+folder, cells)); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(work, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o600)
}

// compile makes WebAssembly of the sources.
func compile(ctx context.Context, checkout, work, overlay string) ([]byte, error) {
	modfile, err := modules(ctx, checkout, work)
	if err != nil {
		return nil, err
	}
	// Graphs are built once and evaluated often, by another module, so what builds them may be small and slow: without
	// inlining, programs of lessons with networks are 1% smaller.
	const small = "-gcflags=github.com/gomlx/gomlx/...=-l"
	binary := filepath.Join(work, "live.wasm")
	_, err = output(ctx, checkout, "build", "-modfile", modfile, "-overlay", overlay, "-tags", "noonnx,noxla,minimal",
		"-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", small, "-o", binary, "./"+folder)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(binary)
}

// output runs the go command for browsers in the checkout, and returns what it prints.
func output(ctx context.Context, checkout string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = checkout
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=satconv,signext", "CGO_ENABLED=0", "GOWORK=off")
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("wasm: go %s: %w", args[0], errors.Join(err, errors.New(strings.TrimSpace(wrong.String()))))
	}
	return strings.TrimSpace(string(out)), err
}

func compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}
