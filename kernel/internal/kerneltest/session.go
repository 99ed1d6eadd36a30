// Package kerneltest has sessions in a notebook for tests, what somebody types and what has to come of it, and what a
// peer without the key may send to a kernel.
package kerneltest

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
)

// Cell is a cell with the outcome that it must have. Want is its output as it stands. Fails is a regular expression for
// its error, in which N is the cell's number.
type Cell struct{ Name, Source, Want, Fails string }

// Compare returns an error that says how the output and the error of the cell, which has the number, differ from those
// wanted.
func (c Cell) Compare(number int, shown, failed string) error {
	if shown != c.Want {
		return fmt.Errorf("cell %d shows %q, want %q", number, shown, c.Want)
	}
	pattern := strings.ReplaceAll(c.Fails, "N", fmt.Sprint(number))
	if (pattern == "") != (failed == "") || !regexp.MustCompile(pattern).MatchString(failed) {
		return fmt.Errorf("cell %d fails with\n%s\nwant\n%s", number, failed, pattern)
	}
	return nil
}

//go:embed *.txt
var files embed.FS

var (
	// Session is a first hour with Go in a notebook, and everything that can go wrong in it.
	Session = read("session.txt")
	// AfterRestart are cells of the same session, run when the kernel was started anew.
	AfterRestart = read("restarted.txt")
)

// read returns the cells in a file of this package.
func read(file string) []Cell {
	text, err := files.ReadFile(file)
	if err != nil {
		panic(err)
	}
	return Read(string(text))
}

// Read returns the cells in a text. A line with == and the name of a cell is above its source, and the lines == shows
// and == fails are above its output and its error.
func Read(text string) (cells []Cell) {
	var at *string
	for line := range strings.Lines(text) {
		name, head := strings.CutPrefix(line, "== ")
		switch name = strings.TrimSuffix(name, "\n"); {
		case !head:
			*at += line
		case name == "shows":
			at = &cells[len(cells)-1].Want
		case name == "fails":
			at = &cells[len(cells)-1].Fails
		default:
			cells = append(cells, Cell{Name: name})
			at = &cells[len(cells)-1].Source
		}
	}
	for i, c := range cells {
		cells[i].Source, cells[i].Fails = strings.TrimSuffix(c.Source, "\n"), strings.TrimSuffix(c.Fails, "\n")
	}
	return cells
}
