// Package cell makes Go programs of what people type into the cells of a notebook. A cell is declarations, statements or both, in any
// order. What a cell declares, and the variables that it defines once and never changes, later cells may use: a [Session] holds these
// definitions as source, and composes for each cell a program of those that the cell needs. So the value of a variable is computed
// again where a cell needs it, by the formula that defines it.
//
// Cells with a line %% are those of GoNB: what follows the line is the body of a main function, whose variables stay inside.
// Lines that begin with % or ! are commands, which GoNB executes before the program.
package cell

import (
	"fmt"
	"strings"
)

// Cell is one execution of a cell.
type Cell struct {
	ID     string // by which the front end knows the cell; "" if it does not say
	Number int    // by which people know it
	Source string
}

// Program is what a cell comes to.
type Program struct {
	// Raw is the cell as GoNB shall have it: one that is no Go, or with a command that changes how GoNB compiles.
	Raw string
	// Commands are the lines for GoNB to execute first.
	Commands []string
	// Source is the text of a Go program; "" if the cell has nothing to run.
	Source string
	// Notes tell a person what the cell changes for other cells, one sentence each.
	Notes []string

	// Again are the variables of the cell whose values cannot be kept: where a cell needs them, they are computed again.
	Again []string

	entry *entry
	noted []string
}

// Defines are the names of the variables that later cells may use.
func (p *Program) Defines() []string {
	var names []string
	if p.entry == nil {
		return nil
	}
	for _, d := range p.entry.defs {
		if d.kind == variable {
			names = append(names, d.kept()...)
		}
	}
	return names
}

// Problem is one thing that keeps a cell from running.
type Problem struct {
	Cell, Line, Column int    // from 1; line 0 means the whole cell
	Source             string // the line as typed
	Text               string // what is wrong
	Help               string // what to do; may be empty
}

func (p Problem) String() string {
	text := fmt.Sprintf("cell %d: %s", p.Cell, p.Text)
	if p.Line > 0 {
		text = fmt.Sprintf("cell %d, line %d: %s", p.Cell, p.Line, p.Text)
	}
	if p.Help != "" {
		text += ": " + p.Help
	}
	return text
}

// Problems is an error of one or more.
type Problems []Problem

func (all Problems) Error() string {
	lines := make([]string, len(all))
	for i, p := range all {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// position is the line and the column, in bytes from 1, of a place in a text.
func position(text string, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	return strings.Count(before, "\n") + 1, len(before) - strings.LastIndexByte(before, '\n')
}

// lineOf is the text of a line, counted from 1.
func lineOf(text string, line int) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}
