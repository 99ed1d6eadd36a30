package raster

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
)

// lines is a reader of a table that tells the lines above the table, and notes the numbers of empty lines, which
// encoding/csv leaves out, because in a table of one column an empty line is an empty cell.
type lines struct {
	from  *bufio.Reader
	rest  []byte // of the present line
	line  int    // number of the present line, from 1
	pad   bool   // several spaces are as one, and spaces at the ends of lines are none
	empty []int  // numbers of the empty lines so far that are not taken yet
}

// errorValue is an error value of a spreadsheet in any language, such as #N/A, #NV, #DIV/0! and #NAME?, at the begin
// of a line and before a separator.
var errorValue = regexp.MustCompile(`^#(N/[AD]|NV|[\pL/0]+[!?])[ \t]*([,;\t|\r\n]|$)`)

// next reads a line into rest. It is empty at the end.
func (l *lines) next() error {
	line, err := l.from.ReadBytes('\n')
	if len(line) == 0 {
		return err
	}
	l.line++
	if len(bytes.TrimRight(line, "\r\n")) == 0 {
		l.empty = append(l.empty, l.line)
	}
	if l.rest = line; l.pad {
		l.rest = append(bytes.Join(bytes.Fields(line), []byte(" ")), '\n')
	}
	return nil
}

// comments returns the lines above the table that begin with #, by their numbers, and leaves the reader at the table.
func (l *lines) comments() (at []int, text []string, err error) {
	for {
		if err := l.next(); err == io.EOF {
			return at, text, nil
		} else if err != nil {
			return nil, nil, err
		}
		line := bytes.TrimSpace(l.rest)
		switch {
		case len(line) == 0:
		case line[0] == '#' && !errorValue.Match(line):
			at, text = append(at, l.line), append(text, string(line))
		default:
			return at, text, nil
		}
		l.rest = nil
	}
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		if err := l.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// take returns the numbers of the empty lines after line a and before line b, and forgets all before b.
func (l *lines) take(a, b int) (between []int) {
	for len(l.empty) > 0 && l.empty[0] < b {
		if l.empty[0] > a {
			between = append(between, l.empty[0])
		}
		l.empty = l.empty[1:]
	}
	return between
}

var _ io.Reader = (*lines)(nil)
