package tabular

import (
	"bufio"
	"bytes"
	"fmt"
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
	most  int    // bytes of a record
	left  int    // bytes that the present record may still take
	done  bool   // the last line is read
}

// ErrEndless is the error of a record that is longer than a reader allows, as after a quote that is never closed.
type ErrEndless struct{ Bytes int }

func (e ErrEndless) Error() string {
	return fmt.Sprintf("a row goes on for more than %d bytes: close its quote, or end its line", e.Bytes)
}

// errorValue is an error value of a spreadsheet in any language, such as #N/A, #NV, #DIV/0! and #NAME?, at the begin
// of a line and before a separator.
var errorValue = regexp.MustCompile(`^#(N/[AD]|NV|[\pL/0]+[!?])[ \t]*([,;\t|\r\n]|$)`)

// next reads a line into rest. It is empty at the end.
func (l *lines) next() error {
	var line []byte
	for {
		part, err := l.from.ReadSlice('\n')
		if l.left -= len(part); l.left < 0 {
			return ErrEndless{l.most}
		}
		line = append(line, part...)
		if err == nil {
			break
		}
		if err != bufio.ErrBufferFull {
			if l.done = err == io.EOF; len(line) == 0 || err != io.EOF {
				return err
			}
			break
		}
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
		l.left = l.most
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
