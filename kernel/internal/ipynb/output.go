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
	out := &Output{}
	typ, err := o.takeString("output_type")
	if err != nil {
		return nil, err
	}
	switch out.Type = OutputType(typ); out.Type {
	case Stream:
		if out.Name, err = o.takeString("name"); err != nil {
			return nil, err
		}
		if out.Text, err = o.takeText("text"); err != nil {
			return nil, err
		}
	case DisplayData, ExecuteResult:
		if out.Data, err = o.takeObject("data"); err != nil {
			return nil, err
		}
		out.Data = joined(out.Data)
		if out.Metadata, err = o.takeObject("metadata"); err != nil {
			return nil, err
		}
		if out.Type == ExecuteResult {
			if out.ExecutionCount, err = o.takeInt("execution_count"); err != nil {
				return nil, err
			}
		}
	case Error:
		if out.EName, err = o.takeString("ename"); err != nil {
			return nil, err
		}
		if out.EValue, err = o.takeString("evalue"); err != nil {
			return nil, err
		}
		list, err := o.takeList("traceback")
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			out.Traceback = append(out.Traceback, text(v))
		}
	default:
		return nil, fmt.Errorf("output_type %q is unknown: use stream, display_data, execute_result or error", typ)
	}
	out.extra = o
	return out, nil
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
