package grid

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
)

// lines is a reader of a table that keeps two kinds of lines, which encoding/csv leaves out, from being lost: lines that
// begin with an error value of a spreadsheet, such as #N/A, are quoted, because they are no comments, and the numbers
// of empty lines are noted, because in a table of one column an empty line is an empty cell.
type lines struct {
	from  *bufio.Reader
	rest  []byte // of the present line
	line  int    // number of the present line, from 1
	empty []int  // numbers of the empty lines so far that are not taken yet
}

// errorValue is an error value of a spreadsheet in any language, such as #N/A, #NV, #DIV/0! and #NAME?, at the begin
// of a line and before a separator.
var errorValue = regexp.MustCompile(`^#(N/[AD]|NV|[\pL/0]+[!?])[ \t]*([,;\t|\r\n]|$)`)

func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		line, err := l.from.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err
		}
		l.line++
		if text := bytes.TrimRight(line, "\r\n"); len(text) == 0 {
			l.empty = append(l.empty, l.line)
		} else if at := errorValue.FindSubmatchIndex(line); at != nil {
			line = append([]byte(`"`+string(line[:at[3]])+`"`), line[at[4]:]...)
		}
		l.rest = line
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
