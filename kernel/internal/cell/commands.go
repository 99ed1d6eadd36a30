package cell

import (
	"slices"
	"strings"
)

// script is a cell whose commands are told from its Go.
type script struct {
	text     string   // as typed
	code     string   // the same with blanks in the place of commands, so that places are the same
	commands []string // for GoNB, with their continuation lines
	asked    []string // for the session: list, rm and reset
	main     int      // where the body of main begins in code; -1 if the cell has no line %%
	exec     string   // the function that %exec calls
	raw      bool     // GoNB has to compile it
}

// foreign begin cells that are not Go, unchanged those whose program is not an ordinary one.
var (
	foreign   = []string{"%%writefile", "%%script", "%%bash", "%%sh", "%%gx"}
	unchanged = []string{"test", "wasm"}
	asked     = []string{"ls", "list", "rm", "remove", "reset"}
)

// read finds the commands of a cell. They stand at the beginning of a line, not inside of a raw string or a comment.
func read(text string) script {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	s := script{text: text, main: -1}
	lines := strings.SplitAfter(text, "\n")
	if first, _, _ := strings.Cut(uncommented(lines[0]), " "); slices.Contains(foreign, strings.TrimSpace(first)) {
		s.raw = true
		return s
	}
	var code strings.Builder
	var state lexer
	for i := 0; i < len(lines); i++ {
		line := uncommented(lines[i])
		if state != 0 || len(line) < 2 || line[0] != '%' && line[0] != '!' {
			state = state.line(lines[i])
			code.WriteString(lines[i])
			continue
		}
		command := strings.TrimRight(line, "\n")
		code.WriteString(blank(lines[i]))
		for strings.HasSuffix(command, `\`) && i+1 < len(lines) {
			i++
			command = strings.TrimSuffix(command, `\`) + " " + strings.TrimRight(uncommented(lines[i]), "\n")
			code.WriteString(blank(lines[i]))
		}
		s.add(command, code.Len())
	}
	s.code = code.String()
	return s
}

// add sorts a command; at is where the line behind it begins.
func (s *script) add(command string, at int) {
	words := strings.Fields(command[1:])
	switch {
	case len(words) == 0:
	case command[0] == '!':
		s.commands = append(s.commands, command)
	case words[0] == "%" || words[0] == "main":
		s.main = at
		if len(words) > 1 {
			s.commands = append(s.commands, "%args "+strings.Join(words[1:], " "))
		}
	case words[0] == "exec" && len(words) > 1:
		s.exec, s.commands = words[1], append(s.commands, command)
	case slices.Contains(asked, words[0]) && !slices.Equal(words, []string{"reset", "go.mod"}):
		s.asked = append(s.asked, strings.Join(words, " "))
		if words[0] == "reset" {
			s.commands = append(s.commands, command)
		}
	default:
		s.raw = s.raw || slices.Contains(unchanged, words[0])
		s.commands = append(s.commands, command)
	}
}

// Asked are the commands of a cell that are about the session: list, rm and reset, with their arguments.
func Asked(text string) []string { return read(text).asked }

// uncommented is a line without the prefix by which GoNB knows commands in files that have to be Go.
func uncommented(line string) string { return strings.TrimPrefix(line, "//gonb:") }

// blank is as many blanks as the line has bytes, and its end.
func blank(line string) string {
	body := strings.TrimSuffix(line, "\n")
	return strings.Repeat(" ", len(body)) + line[len(body):]
}

// lexer knows whether a line begins in a raw string ('`'), in a comment ('*') or in neither (0).
type lexer byte

func (l lexer) line(line string) lexer {
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case l == '`':
			if c == '`' {
				l = 0
			}
		case l == '*':
			if c == '*' && strings.HasPrefix(line[i:], "*/") {
				l, i = 0, i+1
			}
		case c == '`':
			l = '`'
		case strings.HasPrefix(line[i:], "/*"):
			l, i = '*', i+1
		case strings.HasPrefix(line[i:], "//"):
			return l
		case c == '"' || c == '\'':
			for i++; i < len(line) && line[i] != c && line[i] != '\n'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
		}
	}
	return l
}
