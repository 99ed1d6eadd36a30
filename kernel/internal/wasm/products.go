package wasm

import (
	"context"
	_ "embed"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
)

//go:generate wat2wasm products.wat -o products.wasm

//go:embed products.wasm
var products []byte

// engineModule holds the pure-Go engine. Go compiles its products of matrices without vector instructions, and they take most of the time
// of a learned prior.
const engineModule = "github.com/gomlx/compute"

// routerSource goes into that module: it hands products of matrices of float32 to products.wat, which gives the same bits. Where the page
// has no vector instructions, and for products of a size for which the engine sums in blocks, the engine's own function remains.
const routerSource = `package matmul

import (
	"syscall/js"
	"unsafe"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/internal/gobackend"
	"github.com/gomlx/compute/internal/gobackend/dot"
)

var products = js.Global().Get("expfamProducts")

func init() {
	if products.Truthy() {
		dot.RegisterImplementation("page", dot.LayoutNonTransposed, dtypes.Float32, dtypes.Float32, inPage, PriorityNoSIMD+1, false)
	}
}

func inPage(backend *gobackend.Backend, layout dot.Layout, lhs, rhs []float32, batch, m, n, k int, output []float32) {
	flops := batch * m * n * k
	if flops == 0 || flops >= noSIMDSmallMatMulSizeThreshold || len(lhs) < batch*m*k || len(rhs) < batch*k*n || len(output) < batch*m*n {
		noSIMDRouter(backend, layout, lhs, rhs, batch, m, n, k, output)
		return
	}
	at := func(s []float32) float64 { return float64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }
	products.Invoke(at(lhs), at(rhs), at(output), batch, m, n, k)
}
`

// connect is the script that gives a program, before it runs, the products of matrices in its memory.
func connect() string {
	return `
globalThis.expfamConnect = instance => {
  const code = Uint8Array.from(atob("` + base64.StdEncoding.EncodeToString(products) + `"), c => c.charCodeAt(0));
  if (WebAssembly.validate(code)) // vector instructions are known
    globalThis.expfamProducts = new WebAssembly.Instance(new WebAssembly.Module(code), { go: instance.exports }).exports.products;
};
`
}

// engine writes, below work, that module with its new file, and gives what go.mod has to say of it.
func engine(ctx context.Context, checkout, work string) (replace string, err error) {
	from, err := output(ctx, checkout, "list", "-m", "-f", "{{.Dir}}", engineModule)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(work, "engine")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return "", err
	}
	at := filepath.Join(dir, "internal", "gobackend", "dot", "matmul", "page.go")
	return "\nreplace " + engineModule + " => " + dir + "\n", os.WriteFile(at, []byte(routerSource), 0o600)
}

// modules writes a go.mod and a go.sum of the checkout, below work, that take changed modules in the place of others.
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
