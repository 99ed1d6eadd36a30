package command

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// tagged is a notebook with a cell of parameters between two others.
func tagged(source string) *ipynb.Notebook {
	return &ipynb.Notebook{Cells: []*ipynb.Cell{
		{Type: ipynb.Code, Source: "const draws = 7"},
		{Type: ipynb.Code, Source: source, Metadata: map[string]any{"tags": []any{parametersTag}}},
		{Type: ipynb.Markdown, Source: "no Go", Metadata: map[string]any{"tags": []any{parametersTag}}},
	}}
}

const declared = `// How long it runs, and on what.
const (
	draws        = 500 // of the posterior
	seed  uint64 = 1
	tol          = 0.5
	low, high    = -1, 1.5
)

var link, fast, half = "exp(x)", false, float32(0.5)
var small int8 = 3
var wide float64 = 2
var when = time.Second`

func TestParameters(t *testing.T) {
	for _, c := range []struct{ set, old, want string }{
		{"draws=100", "500 //", "100 //"},
		{"draws=-3", "500 //", "-3 //"},
		{"draws=0x10", "500 //", "0x10 //"},
		{"seed=18446744073709551615", "uint64 = 1", "uint64 = 18446744073709551615"},
		{"tol=1", "0.5\n\tlow", "1.0\n\tlow"}, // 1 would be an int
		{"tol=1e-3", "0.5\n\tlow", "0.001\n\tlow"},
		{"low=-20", "-1, 1.5", "-20, 1.5"},
		{"high=-0.25", "-1, 1.5", "-1, -0.25"},
		{`link=sigmoid("x")`, `"exp(x)"`, `"sigmoid(\"x\")"`},
		{"link=", `"exp(x)"`, `""`},
		{"fast=true", "false", "true"},
		{"small=-128", "int8 = 3", "int8 = -128"},
		{"wide=1e300", "float64 = 2", "float64 = 1e+300"},
	} {
		t.Run(c.set, func(t *testing.T) {
			nb, s := tagged(declared), settings{}
			must.Do(t, s.Set(c.set))
			must.Do(t, s.apply(nb))
			want := strings.Replace(declared, c.old, c.want, 1)
			must.Be(t, nb.Cells[1].Source == want && want != declared, "the cell is\n%s", nb.Cells[1].Source)
			must.Equal(t, nb.Cells[0].Source, "const draws = 7", "a cell without the tag changed")
		})
	}
	t.Run("many", func(t *testing.T) {
		nb := tagged(declared)
		must.Do(t, (settings{"draws": "10000", "high": "2", "fast": "true", "low": "-100"}).apply(nb))
		want := strings.NewReplacer("500 //", "10000 //", "-1, 1.5", "-100, 2.0", "false", "true").Replace(declared)
		must.Equal(t, nb.Cells[1].Source, want, "the cell")
	})
}

func TestParametersRefuse(t *testing.T) {
	for _, c := range []struct{ name, set, source, want string }{
		{"text for a number", "draws=many", declared, `parameter draws: "many" is no int`},
		{"fraction for an integer", "draws=1.5", declared, `"1.5" is no int`},
		{"negative for a uint64", "seed=-1", declared, `"-1" is no uint64`},
		{"too large", "small=128", declared, `"128" is no int8`},
		{"no number", "tol=NaN", declared, `"NaN" is no float64`},
		{"number for a truth value", "fast=1", declared, `"1" is no bool`},
		{"misspelt", "draw=3", declared, `parameter draw: the notebook has none of this name, but draws = 500 (int), seed = 1 (uint64), tol = 0.5 (float64), low = -1 (int)`},
		{"an expression", "half=1", declared, "none of this name"},
		{"a local variable", "x=1", "const y = 1\n\nfunc f() { const x = 2 }", "none of this name"},
		{"no declarations", "x=1", "%%\nx := 3",
			`cell 2 is tagged "parameters" and must hold Go declarations alone: 1:`},
	} {
		t.Run(c.name, func(t *testing.T) {
			nb, s := tagged(c.source), settings{}
			must.Do(t, s.Set(c.set))
			must.Err(t, s.apply(nb), c.want)
		})
	}
	t.Run("no cell is tagged", func(t *testing.T) {
		nb := tagged(declared)
		nb.Cells[1].Metadata = nil
		must.Err(t, (settings{"draws": "1"}).apply(nb), `tag a cell "parameters"`)
	})
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Var(settings{}, "set", "")
	for _, text := range []string{"draws", "=3", "2x=3", "a-b=3"} {
		must.Err(t, flags.Parse([]string{"-set", text}), "give NAME=VALUE")
	}
}

// The command line comes before the environment.
func TestParametersOfTheEnvironment(t *testing.T) {
	s := settings{"draws": "1"}
	s.addEnv([]string{setEnv + "draws=2", setEnv + "link=a=b", setEnv + "=3", "draws=4"})
	must.Be(t, len(s) == 2 && s["draws"] == "1" && s["link"] == "a=b", "%q", map[string]string(s))
}

// What would overwrite a notebook is refused before anything is installed or run.
func TestParametersNeedAPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.ipynb")
	must.Do(t, tagged(declared).Write(path))
	before := read(t, path)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{path, "-set", "draws=3"}, "give -out FILE"},
		{[]string{path, path, "-out", path}, "-out takes one notebook, not 2"},
		{[]string{path, "-check", "-set", "draw=3"}, path + ": parameter draw"},
	} {
		must.Err(t, run(t.Context(), c.args), c.want)
	}
	must.Equal(t, string(read(t, path)), string(before), "the notebook changed")
}

// A notebook in another language is refused before its outputs are replaced.
func TestOtherLanguages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.ipynb")
	nb := tagged(declared)
	nb.Metadata = map[string]any{"language_info": map[string]any{"name": "python"}}
	must.Do(t, nb.Write(path))
	before := read(t, path)
	const want = "its cells are in python, and this kernel executes Go"
	must.Err(t, run(t.Context(), []string{path}), path+": "+want)
	must.Refuse((submission{notebook: path, shares: 1, over: "draws"}).job())(t, want)
	must.Equal(t, string(read(t, path)), string(before), "the notebook changed")
	for _, nb := range []*ipynb.Notebook{tagged(declared),
		{Metadata: map[string]any{"kernelspec": map[string]any{"language": "Go"}}}} {
		must.Do(t, nb.Write(path))
		must.Get(readGo(path))(t)
	}
}

// The environment of submit sets parameters of both notebooks. Nodes inherit it, and a share must not be refused for a
// parameter that only the merge declares.
func TestSubmitHidesTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"sbatch": "#!/bin/sh\nenv >>\"$FAKE/env\"\necho 7\n",
		"squeue": "#!/bin/sh\n"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("FAKE", dir)
	t.Setenv(setEnv+"title", "All")
	t.Setenv(setEnv+"draws", "50")
	share, merge := filepath.Join(dir, "share.ipynb"), filepath.Join(dir, "merge.ipynb")
	for path, source := range map[string]string{share: "const share, draws = 0, 500", merge: "const title = \"None\""} {
		must.Do(t, tagged(source).Write(path))
	}
	s := must.Get(parseSubmission([]string{share, "-shares", "2", "-out", filepath.Join(dir, "job"), "-merge", merge,
		"-wait=false", "-timeout", "1h"}))(t)
	job := must.Get(s.job())(t)
	got := strings.Join(append(job.Share.Flags, job.Merge.Flags...), " ")
	must.Be(t, got == "-set=draws=50 -set=title=All", "flags %s", got)
	must.Do(t, s.run(t.Context(), job, s.scheduler(), "kernel"))
	env := string(read(t, filepath.Join(dir, "env")))
	must.Be(t, strings.Contains(env, "FAKE=") && !strings.Contains(env, setEnv), "the shares get\n%s", env)
	must.Refuse(parseSubmission([]string{share, "-shares", "2", "-out", filepath.Join(dir, "here"), "-on", "local",
		"-wait=false"}))(t, "the shares end with this program")
}

// testParameters runs a notebook with parameters on real GoNB.
func testParameters(t *testing.T, g gonb) {
	path := g.notebook(t, "given", "const (\n\tdraws = 500\n\tname  = \"old\"\n)", "%%\nfmt.Println(2*draws, name)")
	nb, err := ipynb.Read(path)
	must.Do(t, err)
	nb.Cells[0].Metadata = map[string]any{"tags": []any{parametersTag}}
	must.Do(t, nb.Write(path))
	before, result := read(t, path), filepath.Join(g.home, "result.ipynb")
	cmd := g.kernel("run", "-set", "draws=21", path, "-out", result)
	cmd.Env = append(cmd.Env, setEnv+"name=new", setEnv+"draws=22")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if nb, err = ipynb.Read(result); err != nil {
		t.Fatal(err)
	}
	if out := nb.Cells[1].Outputs; len(out) != 1 || out[0].Text != "42 new\n" {
		t.Errorf("outputs %+v", out)
	}
	if _, err := os.Stat(filepath.Join(g.home, "result.html")); err != nil || string(read(t, path)) != string(before) {
		t.Errorf("page: %v; the notebook itself may have changed", err)
	}
	// A pipe gets the notebook and nothing else.
	out, err := g.kernel("run", "-set", "draws=21", path, "-out", "/dev/stdout").Output()
	if err == nil {
		nb, err = ipynb.Parse(out)
	}
	must.Be(t, err == nil && len(nb.Cells[1].Outputs) == 1 && nb.Cells[1].Outputs[0].Text == "42 old\n",
		"in a pipe: %v\n%s", err, out)
}

// TestPapermill: parameters in papermill's form are those of -set, and the second notebook is the result.
func TestPapermill(t *testing.T) {
	for line, want := range map[string]string{
		"a.ipynb b.ipynb -p draws 100":              "a.ipynb -out b.ipynb -set draws=100",
		"-p draws -3 a.ipynb b.ipynb -r link x":     "-set draws=-3 a.ipynb -out b.ipynb -set link=x",
		"--parameters draws 1 -out b.ipynb a.ipynb": "-set draws=1 -out b.ipynb a.ipynb",
		"a.ipynb b.ipynb":                           "a.ipynb b.ipynb",
		"-check a.ipynb -p draws 100":               "-check a.ipynb -set draws=100",
		// A value may be a notebook. Only files that are no values are taken for the input and the result.
		"-p from x.ipynb a.ipynb b.ipynb":      "-set from=x.ipynb a.ipynb -out b.ipynb",
		"a.ipynb -p from x.ipynb b.ipynb":      "a.ipynb -set from=x.ipynb -out b.ipynb",
		"-p from x.ipynb -out b.ipynb a.ipynb": "-set from=x.ipynb -out b.ipynb a.ipynb",
		"-p n 1 -out=c.ipynb a.ipynb b.ipynb":  "-set n=1 -out=c.ipynb a.ipynb b.ipynb",
		"a.ipynb -p n 1 b.ipynb":               "a.ipynb -set n=1 -out b.ipynb",
	} {
		got := must.Get(papermill(strings.Fields(line)))(t)
		must.Equal(t, strings.Join(got, " "), want, line)
	}
}

// stubbed is a program of Python that takes papermill.py on its input, with what it imports of papermill in place: it
// inspects a cell and prints the cell that papermill adds for values in JSON.
const stubbed = `
import json, sys, types
class Failed(Exception): pass
class Register:
    def register(self, *_): pass
for name, has in {"papermill": {}, "papermill.engines": {"NBClientEngine": object}, "papermill.translators":
        {"Translator": object, "papermill_translators": Register()}, "papermill.exceptions":
        {"PapermillException": Failed}, "papermill.models": {"Parameter": lambda *a: a}}.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(has)
own = {}
exec(sys.stdin.read(), own)
own["GoTranslator"].inspect(types.SimpleNamespace(source=sys.argv[1]))
try:
    print(own["GoTranslator"].codify(json.loads(sys.argv[2])), end="")
except Failed as e:
    print(e)
`

// TestPapermillModule: values of papermill's -p are declared as the notebook declares them.
func TestPapermillModule(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	const cell = "const draws = 100 // of each chain\nvar name, share, quick = \"a,b\", 0.5, false\nvar (\n" +
		"\tlevels = []float64{0.5, 0.9}\n\twide float64 = 1\n)\nconst (\n\tyear = \"2024\"\n)\nseed := 3\n" +
		"var wait = 5 * time.Second"
	for values, want := range map[string]string{
		`{"draws": 7}`:          "const draws = 7",
		`{"name": "say \"é\""}`: `var name = "say \"é\""`,
		`{"share": 1}`:          "var share = 1.0",
		`{"share": 1e-3}`:       "var share = 0.001",
		`{"quick": true}`:       "var quick = true",
		`{"wide": 3}`:           "var wide float64 = 3",
		`{"levels": [0.25, 1]}`: "var levels = []float64{0.25, 1}",
		`{"year": 2023}`:        `const year = "2023"`,
		`{"seed": 4}`:           "var seed = 4",
		`{"other": ["a", "b"]}`: `var other = []string{"a", "b"}`,
		`{"other": [1, 2.5]}`:   "var other = []float64{1, 2.5}",
		`{"draws": "many"}`:     "parameter draws is 100 and 'many' is a text: give a value of its kind",
		`{"wait": "10s"}`:       "parameter wait is 5 * time.Second and '10s' is a text: give a value of its kind",
		`{"other": {"a": 1}}`:   "takes numbers, texts, truth values and lists of one of them, not {'a': 1}",
		`{"other": null}`:       "takes numbers, texts, truth values and lists of one of them, not None",
	} {
		c := exec.Command(python, "-c", stubbed, cell, values)
		c.Stdin = bytes.NewReader(papermillModule)
		out, err := c.CombinedOutput()
		must.Be(t, err == nil && strings.HasSuffix(strings.TrimSpace(string(out)), want), "%s: %v\n%s\nwant %s", values,
			err, out, want)
	}
}

// TestSetAgain: a value that -set has written can be set again.
func TestSetAgain(t *testing.T) {
	nb := tagged("const draws = 500")
	for _, value := range []string{"+7", "-7", "0x1F"} {
		must.Do(t, settings{"draws": value}.apply(nb))
		must.Equal(t, nb.Cells[1].Source, "const draws = "+strings.TrimPrefix(value, "+"), value)
	}
}
