package ipynb

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// event is a message for the cell with the given number.
type event struct {
	cell int
	typ  string
	body string
}

func stream(name, text string) event {
	body, _ := json.Marshal(map[string]string{"name": name, "text": text})
	return event{0, "stream", string(body)}
}

// want holds each cell's outputs as the notebook file has them, on one line.
func TestRecorder(t *testing.T) {
	const plain = `{"data":{"text/plain":["%s"]},"metadata":{},"output_type":"display_data"}`
	shown := func(s string) string { return strings.Replace(plain, "%s", s, 1) }
	for _, c := range []struct {
		name   string
		events []event
		want   []string
	}{
		{"pieces of a stream are merged", []event{stream("stdout", "a"), stream("stdout", "b\nc")},
			[]string{`{"name":"stdout","output_type":"stream","text":["ab\n","c"]}`}},
		{"standard output goes first whatever comes first", []event{stream("stderr", "e1\n"), stream("stdout", "o1\n"),
			stream("stderr", "e2\n"), stream("stdout", "o2\n")},
			[]string{`{"name":"stdout","output_type":"stream","text":["o1\n","o2\n"]},{"name":"stderr","output_type":"stream","text":["e1\n","e2\n"]}`}},
		{"a display parts a stream", []event{stream("stdout", "a"),
			{0, "display_data", `{"data":{"text/plain":"x"},"metadata":{}}`}, stream("stdout", "b")},
			[]string{`{"name":"stdout","output_type":"stream","text":["a"]},` + shown("x") +
				`,{"name":"stdout","output_type":"stream","text":["b"]}`}},
		{"a progress bar leaves its last state", []event{stream("stdout", "start\n 1%"), stream("stdout", "\r 50%\r"),
			stream("stdout", "100%\r\nend\n")},
			[]string{`{"name":"stdout","output_type":"stream","text":["start\n","100%\n","end\n"]}`}},
		{"an update changes the display of an earlier cell", []event{
			{0, "display_data", `{"data":{"text/plain":"old"},"metadata":{},"transient":{"display_id":"d"}}`},
			{1, "display_data", `{"data":{"text/plain":"other"},"metadata":{},"transient":{"display_id":"e"}}`},
			{1, "update_display_data", `{"data":{"text/plain":"new"},"metadata":{},"transient":{"display_id":"d"}}`}},
			[]string{shown("new"), shown("other")}},
		{"an update of an unknown display is dropped",
			[]event{{0, "update_display_data", `{"data":{"text/plain":"x"},"transient":{"display_id":"?"}}`}},
			[]string{""}},
		{"one display id shown twice is updated twice", []event{
			{0, "display_data", `{"data":{"text/plain":"1"},"metadata":{},"transient":{"display_id":"d"}}`},
			{1, "display_data", `{"data":{"text/plain":"2"},"metadata":{},"transient":{"display_id":"d"}}`},
			{0, "update_display_data", `{"data":{"text/plain":"3"},"metadata":{},"transient":{"display_id":"d"}}`}},
			[]string{shown("3"), shown("3")}},
		{"a display that is emptied is not written", []event{
			{0, "display_data", `{"data":{"text/plain":"1 of 2"},"metadata":{},"transient":{"display_id":"d"}}`},
			stream("stdout", "a"),
			{0, "update_display_data", `{"data":{"text/html":"","text/plain":""},"metadata":{},"transient":{"display_id":"d"}}`}},
			[]string{`{"name":"stdout","output_type":"stream","text":["a"]}`}},
		{"nor is one lost that is filled again", []event{
			{0, "display_data", `{"data":{"text/plain":"1"},"metadata":{},"transient":{"display_id":"d"}}`},
			{0, "update_display_data", `{"data":{"text/plain":""},"metadata":{},"transient":{"display_id":"d"}}`},
			{0, "update_display_data", `{"data":{"text/plain":"2"},"metadata":{},"transient":{"display_id":"d"}}`}},
			[]string{shown("2")}},
		{"clear_output", []event{stream("stdout", "a"), {0, "clear_output", `{"wait":false}`}, stream("stdout", "b")},
			[]string{`{"name":"stdout","output_type":"stream","text":["b"]}`}},
		{"clear_output that waits keeps the old until there is new",
			[]event{stream("stdout", "a"), {0, "clear_output", `{"wait":true}`}},
			[]string{`{"name":"stdout","output_type":"stream","text":["a"]}`}},
		{"clear_output that waits, then new", []event{stream("stdout", "a"), {0, "clear_output", `{"wait":true}`},
			stream("stdout", "b")},
			[]string{`{"name":"stdout","output_type":"stream","text":["b"]}`}},
		{"an error", []event{{0, "error", `{"ename":"E","evalue":"v","traceback":["t1","t2"]}`}},
			[]string{`{"ename":"E","evalue":"v","output_type":"error","traceback":["t1","t2"]}`}},
		{"a result has its count and no display id",
			[]event{{0, "execute_result", `{"execution_count":7,"data":{"text/plain":"x"},"metadata":{},"transient":{"display_id":"d"}}`}},
			[]string{`{"data":{"text/plain":["x"]},"execution_count":7,"metadata":{},"output_type":"execute_result"}`}},
		{"numbers in JSON stay as they are", []event{{0, "display_data",
			`{"data":{"application/json":{"n":12345678901234567890,"x":1.0}},"metadata":{}}`}},
			[]string{`{"data":{"application/json":{"n":12345678901234567890,"x":1.0}},"metadata":{},"output_type":"display_data"}`}},
		{"other messages are no outputs", []event{{0, "status", `{"execution_state":"busy"}`}, {0, "comm_msg", `[]`}},
			[]string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, cells := NewRecorder(), []*Cell{{Type: Code}, {Type: Code}}
			for _, e := range c.events {
				must.Do(t, r.Record(cells[e.cell], e.typ, []byte(e.body)))
			}
			r.Flush()
			for i, want := range c.want {
				var parts []string
				written := must.Get(cells[i].object())(t)
				for _, o := range written["outputs"].([]any) {
					data := must.Get(json.Marshal(o))(t)
					parts = append(parts, string(data))
				}
				must.Equal(t, strings.Join(parts, ","), want, "cell", i)
			}
		})
	}
}

func TestRecorderCutsRunawayStreams(t *testing.T) {
	r, cell := NewRecorder(), &Cell{Type: Code}
	piece := strings.Repeat("0123456789abcde\n", 4096) // 64 KiB
	const pieces = 40
	for range pieces {
		e := stream("stdout", piece)
		must.Do(t, r.Record(cell, e.typ, []byte(e.body)))
	}
	r.Flush()
	text := cell.Outputs[0].Text
	must.Need(t, len(cell.Outputs) == 1 && len(text) <= MaxStream+100,
		"%d outputs, the first of %d bytes", len(cell.Outputs), len(text))
	// 40 pieces of 64 KiB, of which the first 1 MiB is kept.
	if want := "… 1572864 bytes left out\n"; !strings.HasSuffix(text, want) {
		t.Errorf("ends in %q, want %q", text[len(text)-60:], want)
	}
}

func TestRecorderRefusesDamagedMessages(t *testing.T) {
	must.Err(t, NewRecorder().Record(&Cell{}, "stream", []byte(`{"text":`)))
}

func BenchmarkRecorder100000Lines(b *testing.B) {
	e := stream("stdout", "a line as programs print them\n")
	for b.Loop() {
		r, cell := NewRecorder(), &Cell{Type: Code}
		for range 100000 {
			must.Do(b, r.Record(cell, e.typ, []byte(e.body)))
		}
		r.Flush()
	}
}
