package front

import (
	"fmt"
	"strings"

	"github.com/expfam/lab/kernel/internal/cell"
)

// fault is why a cell failed, in the form of an execute_reply.
type fault struct {
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
	quiet     bool     // the reason was shown already
	trace     string   // Go's trace, to be shown folded; "" for none
}

// describe returns the fault of a cell that does not compile.
func describe(problems cell.Problems) *fault {
	f := &fault{Name: "compile error", Value: problems.Error()}
	for _, p := range problems {
		lines := []string{red(p.Text)}
		if p.Line > 0 {
			lines[0] = fmt.Sprintf("cell %d, line %d: %s", p.Cell, p.Line, lines[0])
			mark := strings.Map(func(r rune) rune {
				if r == '\t' {
					return r
				}
				return ' '
			}, p.Source[:min(max(p.Column-1, 0), len(p.Source))])
			lines = append(lines, "    "+p.Source, "    "+mark+"^")
		}
		if p.Help != "" {
			lines = append(lines, p.Help)
		}
		f.Traceback = append(f.Traceback, strings.Join(lines, "\n"))
	}
	return f
}

func red(text string) string { return "\x1b[31m" + text + "\x1b[0m" }
