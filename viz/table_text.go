package viz

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// text returns the table with aligned columns for a terminal. An asterisk stands for bold.
func (t Table) text(cells [][]cell) []byte {
	head := t.head()
	width := make([]int, len(head))
	show := func(c cell) string {
		if c.best {
			return c.text + "*"
		}
		return c.text + " "
	}
	for j := range head {
		width[j] = utf8.RuneCountInString(head[j]) + 1
		for i := range cells {
			width[j] = max(width[j], utf8.RuneCountInString(show(cells[i][j])))
		}
	}
	var b bytes.Buffer
	line := func(texts []string, cells []cell) {
		var l strings.Builder
		for j, s := range texts {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(s))
			if cells[j].number {
				s = pad + s
			} else {
				s += pad
			}
			l.WriteString(s + "  ")
		}
		fmt.Fprintln(&b, strings.TrimRight(l.String(), " "))
	}
	if t.Title != "" {
		fmt.Fprintln(&b, clean(t.Title))
	}
	for j := range head {
		head[j] += " "
	}
	line(head, cells[0])
	from, to := t.gap()
	for i, row := range cells {
		if i == from && from < to {
			fmt.Fprintln(&b, t.left())
		}
		if i >= from && i < to {
			continue
		}
		texts := make([]string, len(row))
		for j, c := range row {
			texts[j] = show(c)
		}
		line(texts, row)
	}
	if n := strings.Replace(t.note(cells), "Bold:", "*:", 1); n != "" {
		fmt.Fprintln(&b, n)
	}
	return b.Bytes()
}
