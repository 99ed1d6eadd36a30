package page

import (
	"encoding/json"

	"github.com/expfam/lab/viz/program"
)

// mostFrames bounds the HTML of the settings of one panel, in bytes.
const mostFrames = 256 << 20

var elementName = folded(name)

// figureBlock returns the element with the data of a figure's program. Ids in the data are those that content has in
// the page, so no program gets hold of another element, and the HTML of a panel's settings is sanitised like an output.
// It returns "" for data that no figure has.
func figureBlock(called, data string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(data), &fields) != nil {
		return ""
	}
	for key, prefix := range map[string]string{"id": idPrefix, "panel": ""} {
		raw, has := fields[key]
		var id string
		if !has {
			continue
		}
		if json.Unmarshal(raw, &id) != nil || !elementName.MatchString(id) {
			return ""
		}
		fields[key] = compactJSON(prefix + id)
	}
	if raw, has := fields["frames"]; has && called == program.NamePanel {
		fields["frames"] = sanitisedFrames(raw)
	}
	return program.Block(called, string(compactJSON(fields)))
}

// compactJSON returns the JSON of texts, and of fields that are JSON.
func compactJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// sanitisedFrames returns the settings of a panel that were drawn beforehand, with sanitised HTML; null if there are
// none or if they can't be read.
func sanitisedFrames(raw json.RawMessage) json.RawMessage {
	none := json.RawMessage("null")
	var fields map[string]json.RawMessage
	var packed string
	if json.Unmarshal(raw, &fields) != nil || fields == nil || json.Unmarshal(fields["html"], &packed) != nil {
		return none
	}
	texts, err := program.Unpack(packed, mostFrames)
	if err != nil {
		return none
	}
	for i, text := range texts {
		texts[i] = sanitised(unmarked(text))
	}
	fields["html"] = compactJSON(program.Pack(texts))
	return compactJSON(fields)
}
