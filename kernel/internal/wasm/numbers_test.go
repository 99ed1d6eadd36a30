package wasm

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// numbers prints draws of posteriors: of an exact Gaussian process, and of the network of the lessons.
const numbers = `package main

import (
	"encoding/json"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/problem"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/learn"
)

func main() {
	var all [][]float64
	for _, prior := range []expfam.Prior{gp.RBF{}, expfam.Must(learn.Load("weights/gp-experts-score.safetensors"))} {
		d := expfam.Must(problem.PoissonLow.Simulate(4))
		live := &diffusion.Live{Prior: prior, Sampler: diffusion.Sampler{Seed: 1, Draws: 8}}
		post := expfam.Must(live.Sample(d.Case.Likelihood, d.Obs))
		all = append(all, post.X.RawMatrix().Data)
	}
	fmt.Println(string(expfam.Must(json.Marshal(all))))
}
`

// runner runs, in Node.js, a program as the worker of a page does.
const runner = `globalThis.fs = require("fs"); globalThis.path = require("path"); globalThis.require = require;
require("./runtime.js");
(async () => {
  const go = new Go();
  go.argv = ["x", process.argv[2]];
  go.env = process.env;
  const { instance } = await WebAssembly.instantiate(fs.readFileSync(path.join(__dirname, "x.wasm")), go.importObject);
  expfamConnect(instance);
  if (!globalThis.expfamProducts) throw new Error("no vector instructions");
  await go.run(instance);
})();
`

// The draws of a page are those of the native program on the pure-Go engine. Both compute in float32, with sums in
// another order where the native engine has instructions of its processor: a draw is many evaluations behind each
// other, each of which rounds.
func TestNumbersAgree(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("compiles a program for browsers: -full")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js to run WebAssembly with")
	}
	checkout := must.Get(filepath.Abs("../../.."))(t)
	notebooks := filepath.Join(checkout, "notebooks")
	p := must.Get(Build(t.Context(), checkout, notebooks, []Cell{{"x", numbers}}))(t)
	dir := t.TempDir()
	z := must.Get(gzip.NewReader(bytes.NewReader(p.Code)))(t)
	code := must.Get(io.ReadAll(z))(t)
	run, native := filepath.Join(dir, "run.js"), filepath.Join(dir, "main.go")
	for path, data := range map[string][]byte{filepath.Join(dir, "x.wasm"): code, native: []byte(numbers),
		filepath.Join(dir, "runtime.js"): p.Runtime, run: []byte(runner)} {
		must.Do(t, os.WriteFile(path, data, 0o600))
	}
	binary := filepath.Join(dir, "native")
	build := exec.Command("go", "build", "-tags", "noonnx,noxla", "-o", binary, native)
	build.Dir = checkout
	out, err := build.CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, out)
	draws := func(name string, args ...string) (all [][]float64) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = notebooks, append(os.Environ(), "GOMLX_BACKEND=go", "EXPFAM_STORE="+dir)
		out, err := cmd.Output()
		must.Need(t, err == nil, "%s: %v\n%s", name, err, out)
		must.Do(t, json.Unmarshal(out, &all))
		return all
	}
	page := draws(node, "--stack-size=8192", run, "x")
	want := draws(binary)
	for i, name := range []string{"exact prior", "learned prior"} {
		worst := 0.0
		for k, v := range page[i] {
			worst = max(worst, math.Abs(v-want[i][k])/(1+math.Abs(want[i][k])))
		}
		if len(page[i]) != 8*30 || len(want[i]) != len(page[i]) || !(worst < 1e-4) {
			// some hundred roundings of float32, 6e-8 each
			t.Errorf("%s: %d numbers, the worst is off by %.2g", name, len(page[i]), worst)
		}
		t.Logf("%s: %d numbers agree to %.2g", name, len(page[i]), worst)
	}
}
