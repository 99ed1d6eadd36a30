// Package cell makes Go programs of what people type into the cells of a notebook. A cell contains declarations,
// statements or both, in any order. Later cells may use what a cell declares. A [Session] holds these definitions as
// source. For each cell it composes a program of the cell and of the definitions that the cell needs. The variables of
// other cells that the program mentions have the values that the last program left in the image of memory (package
// keep), and the program writes them back at its end.
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

	entry    *entry
	noted    []string
	keeps    bool     // the program keeps the values of variables
	mentions []string // variables of other cells
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

// Mentions returns the names of the variables of other cells that the program loads, and keeps at its end.
func (p *Program) Mentions() []string { return p.mentions }

// Keeps returns the number of the program by which the image of memory says that it has kept its variables; 0 if it
// keeps none.
func (p *Program) Keeps() int {
	if !p.keeps {
		return 0
	}
	return p.entry.serial
}

// Keys returns what the cell's variables are called in the image of memory, by their names.
func (p *Program) Keys() map[string]string {
	keys := map[string]string{}
	for _, d := range p.entry.defs {
		if d.kind == variable {
			for _, name := range d.kept() {
				keys[name] = d.key(name)
			}
		}
	}
	return keys
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
