package ipynb

import (
	"fmt"
	"maps"
)

// OutputType says what an output holds.
type OutputType string

// The four types of outputs in nbformat 4.
const (
	Stream        OutputType = "stream"
	DisplayData   OutputType = "display_data"
	ExecuteResult OutputType = "execute_result"
	Error         OutputType = "error"
)

// Output is one output of a code cell. Which fields count depends on the type.
type Output struct {
	Type OutputType

	Name string // Stream: stdout or stderr
	Text string // Stream

	Data           map[string]any // DisplayData, ExecuteResult: media type to content
	Metadata       map[string]any // DisplayData, ExecuteResult
	ExecutionCount *int           // ExecuteResult

	EName, EValue string   // Error
	Traceback     []string // Error, with ANSI colours

	extra   map[string]any
	emptied bool // an update has emptied it, as the bar of short work that is done; then it is not written
}

func parseOutput(o object) (*Output, error) {
	f := &fields{left: o}
	out := &Output{Type: OutputType(f.string("output_type")), extra: o}
	switch out.Type {
	case Stream:
		out.Name, out.Text = f.string("name"), f.text("text")
	case DisplayData, ExecuteResult:
		out.Data, out.Metadata = joined(f.object("data")), f.object("metadata")
		if out.Type == ExecuteResult {
			out.ExecutionCount = f.number("execution_count")
		}
	case Error:
		out.EName, out.EValue = f.string("ename"), f.string("evalue")
		for _, v := range f.list("traceback") {
			out.Traceback = append(out.Traceback, text(v))
		}
	default:
		f.fail(fmt.Errorf("output_type %q is unknown: use stream, display_data, execute_result or error", out.Type))
	}
	return out, f.err
}

func (out *Output) object() (object, error) {
	o := object{"output_type": string(out.Type)}
	switch out.Type {
	case Stream:
		o["name"], o["text"] = out.Name, lines(out.Text)
	case DisplayData, ExecuteResult:
		o["data"], o["metadata"] = split(out.Data), orEmpty(out.Metadata)
		if out.Type == ExecuteResult {
			o["execution_count"] = orNull(out.ExecutionCount)
		}
	case Error:
		traceback := make([]any, len(out.Traceback))
		for i, s := range out.Traceback {
			traceback[i] = s
		}
		o["ename"], o["evalue"], o["traceback"] = out.EName, out.EValue, traceback
	default:
		return nil, fmt.Errorf("output_type %q is unknown", out.Type)
	}
	maps.Copy(o, out.extra)
	return o, nil
}

// Content returns the text (or base64) that the bundle holds for a media type; "" if it holds none.
func (out *Output) Content(mime string) string { return text(out.Data[mime]) }
