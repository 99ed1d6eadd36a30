// Package cell makes Go programs of what people type into the cells of a notebook. A cell contains declarations,
// statements or both, in any order. Later cells may use what a cell declares, and the variables that it defines once
// and never changes. A [Session] holds these definitions as source. For each cell it composes a program of the cell and
// of the definitions that the cell needs. The value of another cell's variable is loaded from a file in
// [Session.Values] if its type allows that. Otherwise the program computes it again, by the expression that defines it.
//
// Cells with a line %% are in GoNB's own style: what follows the line is the body of a main function, whose variables
// stay inside. Lines that begin with % or ! are commands, which GoNB executes before the program.
package cell

import (
	"fmt"
	"strings"
)

// Cell is one execution of a cell.
type Cell struct {
	ID     string // id that the front end gives the cell; "" if it gives none
	Number int    // number of the cell in what people read
	Source string
}

// Program is what GoNB has to execute for a cell.
type Program struct {
	// Raw is the text that GoNB gets instead of Commands and Source, for a cell that is not Go or that has a command
	// which changes how GoNB compiles; "" for every other cell.
	Raw string
	// Commands are the cell's command lines, which GoNB executes before the program.
	Commands []string
	// Source is the text of a Go program; "" if the cell has nothing to run.
	Source string
	// Notes tell a person what the cell changes for other cells, one sentence each.
	Notes []string

	// Again lists the variables of the cell whose values cannot be kept and may take long to compute. Each cell that
	// needs one of them computes it again.
	Again []string

	entry   *entry
	noted   []string
	watched []watched
	altered []alteration
}

// Defines returns the names of the cell's variables that later cells may use.
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

// Changes returns the names of the variables of other cells that the program may change and keep.
func (p *Program) Changes() (names []string) {
	for _, a := range p.altered {
		names = append(names, a.name)
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

// Problems is the error of a cell that cannot run. It has one problem or more.
type Problems []Problem

func (all Problems) Error() string {
	lines := make([]string, len(all))
	for i, p := range all {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// position returns the line and the column, both from 1, of an offset in a text. The column counts bytes.
func position(text string, offset int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	return strings.Count(before, "\n") + 1, len(before) - strings.LastIndexByte(before, '\n')
}

// lineOf returns the text of a line, counted from 1; "" if there is no such line.
func lineOf(text string, line int) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return lines[line-1]
}
