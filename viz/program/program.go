// Package program holds the programs that figures bring into a page. A figure's
// HTML calls one of them with data that is JSON, so that a page can tell the
// programs of figures from any other script.
package program

import (
	_ "embed"
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

// All lists the programs.
func All() []string { return []string{Chart, Maps, Panel, Table, Sketch} }

// Call is the script element that calls a program with data, which is JSON with
// "<" escaped, as encoding/json writes it.
func Call(code, data string) string {
	return "<script>" + code + "(" + data + ");</script>"
}

var comment = regexp.MustCompile(`(?m)^\s*//.*\n|^\s+`)

// compact drops comment lines and indentation, which every figure of a notebook
// would repeat.
func compact(js string) string { return strings.TrimSpace(comment.ReplaceAllString(with(js), "")) }
