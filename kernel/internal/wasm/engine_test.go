package wasm

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// The changes fit the engine that go.mod has.
func TestEngineChanges(t *testing.T) {
	checkout := must.Get(filepath.Abs("../../.."))(t)
	must.Get(engine(t.Context(), checkout, t.TempDir()))(t)
}

// products.wasm is what wat2wasm makes of products.wat.
func TestProductsAreOfTheirSource(t *testing.T) {
	tool, err := exec.LookPath("wat2wasm")
	if err != nil {
		t.Skip("there is no wat2wasm, of wabt")
	}
	path := filepath.Join(t.TempDir(), "products.wasm")
	out, err := exec.Command(tool, "products.wat", "-o", path).CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, out)
	if made, err := os.ReadFile(path); err != nil || string(made) != string(products) {
		t.Errorf("%v: `go generate ./kernel/internal/wasm` makes another products.wasm", err)
	}
}

// A batch of products: lhs is (Batch, M, K), rhs (Batch, K, N).
type product struct {
	Batch, M, N, K int
	Lhs, Rhs       []float32
}

// sums are the products in the order of GoMLX's nosimd_small.go. The conversions keep Go from joining a product and a
// sum.
func (p product) sums() (out []float32) {
	for b := range p.Batch {
		lhs, rhs := p.Lhs[b*p.M*p.K:], p.Rhs[b*p.K*p.N:]
		for row := range p.M {
			for col := range p.N {
				at := func(k int) float32 { return float32(lhs[row*p.K+k] * rhs[k*p.N+col]) }
				sum, k := float32(0), 0
				for fours := row >= p.M/3*3; fours && k+4 <= p.K; k += 4 {
					sum += at(k) + at(k+1) + at(k+2) + at(k+3)
				}
				for ; k < p.K; k++ {
					sum += at(k)
				}
				out = append(out, sum)
			}
		}
	}
	return out
}

const productsRunner = `const memory = new WebAssembly.Memory({ initial: 16 });
const { products } = new WebAssembly.Instance(new WebAssembly.Module(require("fs").readFileSync("products.wasm")), { go: { mem: memory } }).exports;
console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0)).map(p => {
  const put = (at, list) => new Float32Array(memory.buffer, at, list.length).set(list);
  put(64, p.Lhs);
  put(400000, p.Rhs);
  products(64, 400000, 800000, p.Batch, p.M, p.N, p.K);
  return Array.from(new Float32Array(memory.buffer, 800000, p.Batch * p.M * p.N));
})));`

// Products by vector instructions have the bits of the engine's own.
func TestProducts(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js to run WebAssembly with")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var all []product
	for _, s := range [][4]int{{1, 1, 1, 1}, {1, 2, 3, 3}, {1, 3, 8, 1}, {2, 4, 9, 5}, {1, 5, 16, 4}, {3, 32, 30, 30},
		{1, 32, 96, 30}, {1, 7, 7, 97}} {
		p := product{Batch: s[0], M: s[1], N: s[2], K: s[3]}
		for range p.Batch * p.M * p.K {
			p.Lhs = append(p.Lhs, float32(rng.NormFloat64()))
		}
		for range p.Batch * p.K * p.N {
			p.Rhs = append(p.Rhs, float32(rng.NormFloat64()))
		}
		all = append(all, p)
	}
	data := must.Get(json.Marshal(all))(t)
	cmd := exec.Command(node, "-e", productsRunner)
	in := must.Get(cmd.StdinPipe())(t)
	go func() {
		defer in.Close()
		_, err := in.Write(data)
		must.Be(t, err == nil, "%v", err)
	}()
	out := must.Get(cmd.Output())(t)
	var got [][]float32
	err = json.Unmarshal(out, &got)
	must.Need(t, err == nil && len(got) == len(all), "%v: %d results", err, len(got))
	for i, p := range all {
		for k, want := range p.sums() {
			if got[i][k] != want {
				t.Errorf("%d×(%d, %d)·(%d, %d): number %d is %v, want %v", p.Batch, p.M, p.K, p.K, p.N, k, got[i][k],
					want)
				break
			}
		}
	}
}
