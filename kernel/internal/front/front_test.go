package front

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

func TestHeld(t *testing.T) {
	for _, c := range []struct {
		name        string
		pieces      []string
		shown, kept string
	}{
		{"plain text", []string{"a\n", "b"}, "a\nb", ""},
		{"a crash", []string{"log\npanic: oh", " no\n\ngoroutine 1 [running]:\n"}, "log\n",
			"panic: oh no\n\ngoroutine 1 [running]:\n"},
		{"in pieces", []string{"log\npa", "nic: x"}, "log\n", "panic: x"},
		{"that were no crash", []string{"pa", "per\n"}, "paper\n", ""},
		{"in the middle of a line", []string{"don't panic: x\n"}, "don't panic: x\n", ""},
		{"the end of a line that may begin one", []string{"a\nf"}, "a\n", "f"},
	} {
		var h held
		shown := ""
		for _, p := range c.pieces {
			shown += h.add(p)
		}
		if shown != c.shown || h.rest() != c.kept {
			t.Errorf("%s: showed %q and kept %q, want %q and %q", c.name, shown, h.rest(), c.shown, c.kept)
		}
	}
}

func TestParseCrash(t *testing.T) {
	const must = `panic: open nope: no such file or directory

goroutine 1 [running]:
github.com/expfam/lab/expfam.Must[...](...)
	/checkout/expfam/must.go:9
main.load(0x1)
	/tmp/gonb_1/cell 3:2 +0x1d
main.main()
	/tmp/gonb_1/cell 4:7 +0x1d
`
	const memory = `panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4]

goroutine 18 [running]:
main.(*tree).walk.func1()
	cell 5:3 +0x2
created by main.main in goroutine 1
	cell 6:1 +0x2

goroutine 1 [select]:
main.main()
	cell 6:2 +0x3
`
	const library = `panic: mat: index out of range

goroutine 1 [running]:
gonum.org/v1/gonum/mat.(*Dense).at(...)
	/mod/gonum/mat/dense.go:12
gonum.org/v1/gonum/mat.(*Dense).At(0x1, 0x2)
	/mod/gonum/mat/dense.go:10 +0x1
main.main()
	/tmp/gonb_1/cell 4:7 +0x1d
`
	const panel = `panic: a map of 0 rows; give at least 1

goroutine 1 [running]:
github.com/expfam/lab/viz/live.Panel.Show(...)
	/lab/viz/live/panel.go:37
github.com/expfam/lab/viz/live.Show(0x1, {0x2, 0x1, 0x1})
	/lab/viz/live/panel.go:32 +0x1
main.main()
	/tmp/gonb_1/cell 4:7 +0x1d
`
	const call = `panic: bad

goroutine 1 [running]:
main.main_fail(...)
	/tmp/gonb_1/cell 4:9
main.main()
	/tmp/gonb_1/cell 5:1 +0x87
`
	for _, c := range []struct{ name, text, fault, value string }{
		{"the error of a call at the end, behind a function of cell 4", call, "bad\ncell 5, line 1",
			"bad (cell 5, line 1)"},
		{"the error of a panel's first figure", panel, "a map of 0 rows; give at least 1\ncell 4, line 7",
			"a map of 0 rows; give at least 1 (cell 4, line 7)"},
		{"a fault in a library", library, "panic: mat: index out of range\nin mat.Dense.at, dense.go:12\ncalled " +
			"from cell 4, line 7",
			"mat: index out of range (cell 4, line 7)"},
		{"an error that Must reports", must, "open nope: no such file or directory\ncell 3, line 2, in " +
			"load\ncalled from cell 4, line 7",
			"open nope: no such file or directory (cell 3, line 2, in load)"},
		{"a fault in another goroutine", memory,
			"panic: runtime error: invalid memory address or nil pointer dereference\ncell 5, line 3, in tree.walk",
			"runtime error: invalid memory address or nil pointer dereference (cell 5, line 3, in tree.walk)"},
	} {
		crash, ok := parseCrash(c.text)
		f := crash.fault()
		text := strings.ReplaceAll(strings.ReplaceAll(strings.Join(f.Traceback, "\n"), "\x1b[31m", ""), "\x1b[0m", "")
		if strings.Contains(f.trace, "/tmp/") || strings.Contains(f.trace, "+0x") ||
			strings.Contains(f.trace, "panic: ") || !strings.HasPrefix(f.trace, "goroutine ") ||
			!strings.Contains(f.trace, "\tcell ") {
			t.Errorf("%s: trace %q", c.name, f.trace)
		}
		if !ok || text != c.fault || f.Value != c.value {
			t.Errorf("%s: %v\n%s\nwant\n%s\nvalue %q", c.name, ok, text, c.fault, f.Value)
		}
	}
	for _, text := range []string{"", "panic: said a program\n", "nothing of the kind"} {
		if c, ok := parseCrash(text); ok {
			t.Errorf("%q is %+v", text, c)
		}
	}
}

func TestHistory(t *testing.T) {
	f := &front{inputs: []string{"a := 1", "b := 2", "a"}}
	for request, want := range map[string][]string{
		`{"hist_access_type":"tail","n":2}`:                  {"b := 2", "a"},
		`{"hist_access_type":"range","start":2,"stop":3}`:    {"b := 2"},
		`{"hist_access_type":"search","pattern":"a*","n":9}`: {"a := 1", "a"},
		`{"hist_access_type":"tail","n":0}`:                  {"a := 1", "b := 2", "a"},
	} {
		answer := must.Get(json.Marshal(f.history(jupyter.Message{Content: json.RawMessage(request)})))(t)
		var found struct{ History [][3]any }
		must.Do(t, json.Unmarshal(answer, &found))
		var inputs []string
		for _, h := range found.History {
			inputs = append(inputs, h[2].(string))
		}
		must.Equal(t, inputs, want, request)
	}
}

// GoNB does not say which comms are open, and a front end waits for the answer.
func TestCommInfo(t *testing.T) {
	f := &front{comms: map[string]string{}}
	say := func(kind, content string) jupyter.Message {
		return jupyter.Message{Header: jupyter.Header{Type: kind}, Content: json.RawMessage(content)}
	}
	f.commOf(say("comm_open", `{"comm_id":"a","target_name":"gonb_comm","data":{}}`))
	f.commOf(say("comm_open", `{"comm_id":"b","target_name":"gonb_comm"}`))
	f.commOf(say("comm_msg", `{"comm_id":"b"}`))
	f.commOf(say("comm_close", `{"comm_id":"b"}`))
	for request, want := range map[string]string{
		`{}`:                               `{"comms":{"a":{"target_name":"gonb_comm"}},"status":"ok"}`,
		`{"target_name":"gonb_comm"}`:      `{"comms":{"a":{"target_name":"gonb_comm"}},"status":"ok"}`,
		`{"target_name":"jupyter.widget"}`: `{"comms":{},"status":"ok"}`,
	} {
		must.Equal(t, string(must.Get(json.Marshal(f.commInfo(say("comm_info_request", request))))(t)), want, request)
	}
}

func TestNameOf(t *testing.T) {
	for pkg, want := range map[string]string{"fmt": "fmt", "math/rand/v2": "rand", "encoding/json": "json"} {
		must.Equal(t, nameOf(pkg), want, pkg)
	}
	all := []string{"github.com/other/plot", "crypto/rand", "math/rand/v2", "github.com/expfam/lab/viz"}
	slices.SortFunc(all, func(a, b string) int { return rank(a) - rank(b) })
	if want := []string{"github.com/expfam/lab/viz", "math/rand/v2", "crypto/rand",
		"github.com/other/plot"}; !slices.Equal(all, want) {
		t.Errorf("order %q", all)
	}
}

// What a cell has shown is there for a page that is opened later; of many cells the newest are.
func TestShown(t *testing.T) {
	f := &front{}
	of := func(id string) request { return request{Message: jupyter.Message{Header: jupyter.Header{ID: id}}} }
	f.begin(of("a"), "first", 3)
	f.record(of("a"), "stream", stream{"stdout", "one\n"})
	f.record(of("b"), "stream", stream{"stdout", "of another\n"})
	f.record(of("a"), "stream", stream{"stdout", "two\n"})
	f.record(of("a"), "status", map[string]string{"execution_state": "busy"})
	f.begin(of("silent"), "", 4)
	answer := func() string { return string(must.Get(json.Marshal(f.outputs(jupyter.Message{})["executions"]))(t)) }
	must.Equal(t, answer(), `[{"cell":"first","count":3,"id":"a","outputs":[{"name":"stdout","output_type":"stream",`+
		`"text":"one\ntwo\n"}]}]`)
	f.over(of("a"))
	must.Be(t, strings.Contains(answer(), `"ended"`), "it has not ended: %s", answer())
	for range 2 * mostShowings {
		f.begin(of("many"), "many", 1)
	}
	must.Be(t, len(f.shown) <= mostShowings+1 && !strings.Contains(answer(), "first"), "%d are kept", len(f.shown))
	f.record(of("many"), "stream", stream{"stdout", strings.Repeat("x", mostShowingBytes)})
	f.begin(of("next"), "next", 1)
	f.begin(of("next"), "next", 2)
	must.Be(t, len(f.shown) <= 3, "%d are kept beside a large one", len(f.shown))
}
