// Package program holds the JavaScript programs that figures bring into a page. The HTML of a figure calls one of them
// with data in JSON, so that a page can tell the programs of figures from any other script.
package program

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed chart.js
var chart string

//go:embed maps.js
var maps string

//go:embed areas.js
var areas string

//go:embed influence.js
var influence string

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

// theme, save and play are parts that several programs share.
//
//go:embed theme.js
var theme string

//go:embed play.js
var play string

//go:embed save.js
var save string

// shared inserts the shared parts into a program, at the lines that name them.
var shared = strings.NewReplacer("  // THEME\n", theme, "  // SAVE\n", save, "  // PLAY\n", play)

// The programs. Chart makes an image of lines and points interactive, and Maps an image of gridded data. Areas is Maps
// with what maps of regions need. Influence lists what moved a cell of a map. Panel makes the slider of a live figure,
// and Table the button that saves a table. Sketch gives a preliminary figure the colours of its page.
var (
	Chart     = compact(chart)
	Maps      = compact(maps)
	Areas     = compact(strings.Replace(maps, "  // AREAS\n", areas, 1))
	Influence = compact(influence)
	Panel     = compact(panel)
	Table     = compact(table)
	Sketch    = compact(sketch)
)

// Controls is no program of a figure. It is an expression for front ends, whose value is the controls of live panels
// and their side of the messages to a program.
var Controls = func() string {
	sheet, err := json.Marshal(ControlsCSS)
	if err != nil {
		panic(err)
	}
	return strings.Replace(compact(controls), `"controls.css"`, string(sheet), 1)
}()

// Program is a program with its name.
type Program struct{ Name, Code string }

// NamePanel is the name of Panel.
const NamePanel = "panel"

// All lists the programs.
func All() []Program {
	return []Program{{"chart", Chart}, {"maps", Maps}, {"areas", Areas}, {"influence", Influence}, {NamePanel, Panel},
		{"table", Table},
		{"sketch", Sketch}}
}

// Call returns the script element that calls a program with data. The data are JSON in which "<" is escaped, as
// encoding/json writes it.
func Call(code, data string) string { return "<script>" + code + "(" + data + ");</script>" }

// marks are the fields of the data that tell which program they are for. The first field that the data have decides.
// The data of Sketch have only an id.
var marks = []struct{ field, name string }{{"specs", NamePanel}, {"effects", "influence"}, {"areas", "areas"},
	{"maps", "maps"},
	{"panels", "chart"}, {"csv", "table"}, {"id", "sketch"}}

// Called returns the name of the program that a script calls, and the data of the call. It returns "" if the script is
// not such a call. The script may come from an earlier version of this package. Called looks only at the data. Whoever
// runs the program of that name on them therefore runs no code from the script.
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

// Block returns an element that runs nothing: it holds the data of a figure, and the name of its program in the
// attribute data-program.
func Block(name, data string) string {
	var text bytes.Buffer
	json.HTMLEscape(&text, []byte(data))
	return `<script type="application/json" data-program="` + name + `">` + text.String() + "</script>"
}

// Blocks replaces the calls of programs in HTML. What keep returns for the name of a program and its data takes the
// place of the call.
func Blocks(html string, keep func(name, data string) string) string {
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
		b.WriteString(keep(name, data))
		html = after
	}
}

// compact removes comment lines, indentation, and line breaks after {, (, comma and semicolon, where JavaScript inserts
// no semicolon. Every figure of a notebook would repeat them, and nbformat quotes each line.
func compact(js string) string {
	var b strings.Builder
	for line := range strings.Lines(shared.Replace(js)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		b.WriteString(line)
		if strings.Contains(line, "//") || !strings.ContainsAny(line[len(line)-1:], "{(,;") {
			b.WriteByte('\n')
		}
	}
	return strings.TrimSpace(b.String())
}
