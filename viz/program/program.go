// Package program holds the programs that figures bring into a page. A figure's
// HTML calls one of them with data that is JSON, so that a page can tell the
// programs of figures from any other script.
package program

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"
)

//go:embed chart.js
var chart string

//go:embed maps.js
var maps string

//go:embed panel.js
var panel string

//go:embed sketch.js
var sketch string

//go:embed table.js
var table string

//go:embed controls.js
var controls string

// ControlsCSS is the style sheet of the controls.
//
//go:embed controls.css
var ControlsCSS string

// What several programs share.
//
//go:embed theme.js
var theme string

//go:embed save.js
var save string

// with puts in what a program shares with others, at lines that name it.
func with(js string) string {
	return strings.NewReplacer("  // THEME\n", theme, "  // SAVE\n", save).Replace(js)
}

// The programs. Chart makes an image of lines and points interactive, Maps one
// of gridded data, Panel makes the slider of a live figure, Table the button that saves a table, and Sketch gives a figure
// that grows the colours of its page.
var (
	Chart  = compact(chart)
	Maps   = compact(maps)
	Panel  = compact(panel)
	Table  = compact(table)
	Sketch = compact(sketch)
)

// Controls is no program of a figure: an expression whose value are the controls
// of live panels and their side of the messages to a program, for front ends.
var Controls = func() string {
	sheet, err := json.Marshal(ControlsCSS)
	if err != nil {
		panic(err)
	}
	return strings.Replace(compact(controls), `"controls.css"`, string(sheet), 1)
}()

// Program is one of the programs under a name.
type Program struct{ Name, Code string }

// All lists the programs.
func All() []Program {
	return []Program{{"chart", Chart}, {"maps", Maps}, {"panel", Panel}, {"table", Table}, {"sketch", Sketch}}
}

// Call is the script element that calls a program with data, which is JSON with
// "<" escaped, as encoding/json writes it.
func Call(code, data string) string {
	return "<script>" + code + "(" + data + ");</script>"
}

// marks are fields by which the data of programs are known, the first that is there. Those of Sketch have nothing but an id.
var marks = []struct{ field, name string }{{"specs", "panel"}, {"maps", "maps"}, {"panels", "chart"}, {"csv", "table"}, {"id", "sketch"}}

// Called is the program that a script calls, which may be of an earlier version
// of this package, and the data; "" if the script is no such call. Only the data
// of the script count: whoever lets the program of that name run on them runs
// nothing that the script brings.
func Called(script string) (name, data string) {
	script, ok := strings.CutSuffix(strings.TrimSpace(script), ");")
	at := strings.Index(script, "})({")
	if !ok || at < 0 || !strings.HasPrefix(script, "(function (") {
		return "", ""
	}
	data = script[at+len("})("):]
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(data), &fields) != nil {
		return "", ""
	}
	for _, m := range marks {
		if _, has := fields[m.field]; has {
			return m.name, data
		}
	}
	return "", ""
}

// Blocks takes the calls of programs out of HTML. In the place of each stands
// what keep makes of an element that holds the name of the program, in the
// attribute data-program, and the data, but runs nothing.
func Blocks(html string, keep func(block string) string) string {
	const begin, end = "<script>", "</script>"
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(html, begin)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		script, after, closed := strings.Cut(rest, end)
		name, data := Called(script)
		if !closed || name == "" {
			b.WriteString(begin)
			html = rest
			continue
		}
		var text bytes.Buffer
		json.HTMLEscape(&text, []byte(data))
		b.WriteString(keep(`<script type="application/json" data-program="` + name + `">` + text.String() + "</script>"))
		html = after
	}
}

var comment = regexp.MustCompile(`(?m)^\s*//.*\n|^\s+`)

// compact drops comment lines and indentation, which every figure of a notebook
// would repeat.
func compact(js string) string { return strings.TrimSpace(comment.ReplaceAllString(with(js), "")) }
