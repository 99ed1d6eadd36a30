package ipynb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// MaxStream is how much text (bytes) one stream output keeps; a runaway loop must not make a notebook that no editor
// opens.
const MaxStream = 1 << 20

// Recorder turns the messages of a running kernel into the outputs of the cells that caused them. It lives as long as
// the kernel, because a message may update a display that an earlier cell made.
//
// Pieces of a stream are merged if no display stands between them. Text that a carriage return overwrites is dropped,
// so that a progress bar leaves its last state. Standard output goes before standard error: they come on two ways, and
// which comes first is chance. Nothing volatile (message ids, times, display ids) is kept.
type Recorder struct {
	displays map[string][]*Output // by display_id
	streams  map[*Output]*streamText
	clear    map[*Cell]bool // cells to clear when their next output comes
}

// NewRecorder returns a recorder for a freshly started kernel.
func NewRecorder() *Recorder {
	return &Recorder{displays: map[string][]*Output{}, streams: map[*Output]*streamText{}, clear: map[*Cell]bool{}}
}

// streamText is the text of a stream output that still grows.
type streamText struct {
	text    []byte
	line    int // where its last line begins
	dropped int // bytes left out because the text was long enough
}

// content holds the fields of every message that makes an output.
type content struct {
	Name      string
	Text      string
	Data      map[string]any
	Metadata  map[string]any
	Transient struct {
		DisplayID string `json:"display_id"`
	}
	ExecutionCount *int `json:"execution_count"`
	EName          string
	EValue         string
	Traceback      []string
	Wait           bool
}

// Record adds a message of the given type, with its content as JSON, to the cell's outputs. Messages that aren't
// outputs (status, execute_input, comm_msg and so on) are ignored.
func (r *Recorder) Record(cell *Cell, msgType string, body []byte) error {
	switch msgType {
	case "stream", "display_data", "update_display_data", "execute_result", "error", "clear_output":
	default:
		return nil
	}
	var m content
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.UseNumber()
	if err := dec.Decode(&m); err != nil {
		return fmt.Errorf("ipynb: %s message: %w", msgType, err)
	}
	switch msgType {
	case "clear_output":
		if r.clear[cell] = m.Wait; !m.Wait {
			cell.Outputs = nil
		}
		return nil
	case "update_display_data":
		for _, out := range r.displays[m.Transient.DisplayID] {
			out.Data, out.Metadata = joined(m.Data), m.Metadata
			out.emptied = blank(out.Data)
		}
		return nil
	}
	if r.clear[cell] {
		cell.Outputs = nil
		delete(r.clear, cell)
	}
	switch msgType {
	case "stream":
		r.stream(cell, m.Name, m.Text)
	case "error":
		cell.Outputs = append(cell.Outputs, &Output{Type: Error, EName: m.EName, EValue: m.EValue,
			Traceback: m.Traceback})
	default:
		out := &Output{Type: OutputType(msgType), Data: joined(m.Data), Metadata: m.Metadata,
			ExecutionCount: m.ExecutionCount}
		cell.Outputs = append(cell.Outputs, out)
		if id := m.Transient.DisplayID; id != "" {
			r.displays[id] = append(r.displays[id], out)
		}
	}
	return nil
}

// blank reports whether a bundle shows nothing. With such a bundle the kernel takes a display back.
func blank(bundle map[string]any) bool {
	for _, v := range bundle {
		if s, ok := v.(string); !ok || s != "" {
			return false
		}
	}
	return true
}

func (r *Recorder) stream(cell *Cell, name, text string) {
	at := len(cell.Outputs)
	var out *Output
	for i := at - 1; i >= 0 && cell.Outputs[i].Type == Stream; i-- {
		if cell.Outputs[i].Name == name {
			out = cell.Outputs[i]
		} else if name == "stdout" {
			at = i
		}
	}
	if out == nil {
		out = &Output{Type: Stream, Name: name}
		cell.Outputs = slices.Insert(cell.Outputs, at, out)
	}
	t := r.streams[out]
	if t == nil {
		t = &streamText{}
		r.streams[out] = t
	}
	if t.dropped > 0 {
		t.dropped += len(text)
		return
	}
	// Only the unfinished last line can change by what follows it.
	t.text = append(t.text[:t.line], Overwrite(string(t.text[t.line:])+text)...)
	if over := len(t.text) - MaxStream; over > 0 {
		t.text, t.dropped = bytes.ToValidUTF8(t.text[:MaxStream], nil), over
	}
	t.line = bytes.LastIndexByte(t.text, '\n') + 1
}

// Flush puts the text of the streams into the outputs, as far as it has come. Call it before reading or writing them.
func (r *Recorder) Flush() {
	for out, t := range r.streams {
		out.Text = string(t.text)
		if t.dropped > 0 {
			out.Text += fmt.Sprintf("\n… %d bytes left out\n", t.dropped)
		}
	}
}

// Overwrite drops from every line what a carriage return inside it overwrote, as a terminal that clears the line would.
// A carriage return at the end of the text is kept: what comes next decides.
func Overwrite(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		body, end := line, ""
		if trimmed := strings.TrimRight(line, "\r\n"); trimmed != line {
			body, end = trimmed, line[len(trimmed):]
			if strings.HasSuffix(end, "\n") {
				end = "\n"
			}
		}
		b.WriteString(body[strings.LastIndexByte(body, '\r')+1:])
		b.WriteString(end)
	}
	return b.String()
}
