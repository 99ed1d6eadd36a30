package wasm

import (
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:generate wat2wasm products.wat -o products.wasm

//go:embed products.wasm
var products []byte

// engineModule is the module of the pure-Go engine. A copy of it changes what is slow in pages: Go compiles its
// products of matrices without vector instructions, and where operands repeat along an axis, each number costs it a
// walk over all axes.
const engineModule = "github.com/gomlx/compute"

// routerSource is a file of that copy. It hands products of float32 matrices to products.wat, which gives the same
// bits. The engine's own function remains where the page has no vector instructions, and for products of a size for
// which the engine sums in blocks.
//
//go:embed page.go.txt
var routerSource string

// engineWalk begins the engine's iteration over two operands.
const engineWalk = "func (zi *ZipIterator) IterFlatIndices() iter.Seq[ZippedIndices] {"

// pageWalk takes its place, and walks over the axes once for each row. Both go through the same numbers in the same
// order.
//
//go:embed walk.go.txt
var pageWalk string

// connect returns the script that gives a program, before it runs, the products of matrices in its memory.
func connect() string {
	return `
globalThis.expfamConnect = instance => {
  const code = Uint8Array.from(atob("` + base64.StdEncoding.EncodeToString(products) + `"), c => c.charCodeAt(0));
  if (WebAssembly.validate(code)) // vector instructions are known
    globalThis.expfamProducts = new WebAssembly.Instance(new WebAssembly.Module(code), { go: instance.exports }).exports.products;
};
`
}

// engine writes a copy of engineModule with the changes below work, and returns the text that go.mod needs for it.
func engine(ctx context.Context, checkout, work string) (replace string, err error) {
	from, err := output(ctx, checkout, "list", "-m", "-f", "{{.Dir}}", engineModule)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(work, "engine")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return "", err
	}
	backend := filepath.Join(dir, "internal", "gobackend")
	walk := filepath.Join(backend, "broadcast.go")
	text, err := os.ReadFile(walk)
	if err != nil {
		return "", err
	}
	before, after, found := strings.Cut(string(text), engineWalk)
	if !found {
		return "", fmt.Errorf("wasm: %s has changed: compare its ZipIterator with pageWalk", engineModule)
	}
	changed := before + pageWalk + strings.Replace(engineWalk, "IterFlatIndices", "everyAxis", 1) + after
	for path, text := range map[string]string{walk: changed,
		filepath.Join(backend, "dot", "matmul", "page.go"): routerSource} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) { // the files of modules are read-only
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return "\nreplace " + engineModule + " => " + dir + "\n", nil
}

// modules writes copies of the checkout's go.mod and go.sum below work, in which changed modules replace the original
// ones. It returns the path of the go.mod.
func modules(ctx context.Context, checkout, work string) (modfile string, err error) {
	var text strings.Builder
	mod, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	text.Write(mod)
	for _, change := range []func(context.Context, string, string) (string, error){fonts, engine} {
		if err == nil {
			var replace string
			replace, err = change(ctx, checkout, work)
			text.WriteString(replace)
		}
	}
	sum, errSum := os.ReadFile(filepath.Join(checkout, "go.sum"))
	modfile = filepath.Join(work, "go.mod")
	for _, e := range []error{err, errSum} {
		if e != nil {
			return "", e
		}
	}
	if err := os.WriteFile(modfile, []byte(text.String()), 0o600); err != nil {
		return "", err
	}
	return modfile, os.WriteFile(filepath.Join(work, "go.sum"), sum, 0o600)
}
