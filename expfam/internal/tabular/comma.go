package tabular

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
)

const beginning = 1 << 16 // bytes by which a table is recognised

// fit returns the separator with which a header fits best: that of the first record, or of the last comment above it.
func fit(head []byte, whole bool, how func(header []string) int) (comma rune, err error) {
	most := -1
	for _, c := range Commas {
		rest := head
		for {
			line, after, more := bytes.Cut(rest, []byte("\n"))
			text := bytes.TrimSpace(line)
			comment := len(text) > 0 && text[0] == '#' && !errorValue.Match(text)
			if comment {
				in := csv.NewReader(bytes.NewReader(bytes.TrimLeft(text, "# ")))
				in.Comma, in.LazyQuotes = c, true
				if cells, err := in.Read(); err == nil {
					if n := how(cells); n > most {
						comma, most = c, n
					}
				}
			}
			if !more || len(text) > 0 && !comment {
				break
			}
			rest = after
		}
		in := csv.NewReader(bytes.NewReader(rest))
		in.Comma, in.LazyQuotes, in.FieldsPerRecord = c, true, -1
		cells, err := in.Read()
		switch {
		case err == io.EOF:
			return 0, ErrEmpty
		case err != nil:
			return 0, fmt.Errorf("line 1: %w", err)
		case int(in.InputOffset()) == len(rest) && !whole:
			return 0, fmt.Errorf("line 1 is longer than %d bytes; a table begins with a line that names its columns",
				len(rest))
		}
		if n := how(cells); n > most {
			comma, most = c, n
		}
	}
	return comma, nil
}
