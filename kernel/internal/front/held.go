package front

import "strings"

// held keeps back the end of what a program writes on standard error: the account of Go's runtime, from its first words
// on.
type held struct {
	line string // a line that has not ended and may become those words
	text strings.Builder
}

// lastWords begin the account that Go's runtime gives of the end of a program.
var lastWords = []string{"panic: ", "fatal error: ", "runtime: ", "SIGQUIT: "}

// add takes a piece of text and returns what may be shown now.
func (h *held) add(text string) string {
	if h.text.Len() > 0 {
		h.text.WriteString(text)
		return ""
	}
	text, h.line = h.line+text, ""
	for at := 0; at < len(text); {
		line := text[at:]
		end := strings.IndexByte(line, '\n') + 1
		for _, words := range lastWords {
			if strings.HasPrefix(line, words) {
				h.text.WriteString(line)
				return text[:at]
			}
			if end == 0 && strings.HasPrefix(words, line) {
				h.line = line
				return text[:at]
			}
		}
		if end == 0 {
			break
		}
		at += end
	}
	return text
}

// rest returns what was kept back.
func (h *held) rest() string { return h.text.String() + h.line }
