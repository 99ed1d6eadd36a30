package cell

import (
	"cmp"
	"slices"
	"strings"
)

// script is a cell in which commands and Go code are separated.
type script struct {
	text     string   // as typed
	code     string   // the text with blanks in place of commands, so that offsets stay the same
	commands []string // commands for GoNB, each with its continuation lines
	asked    []string // commands for the kernel itself, such as ls and get
	main     int      // where the body of main begins in code; -1 if the cell has no line %%
	exec     *call    // the function that %exec calls; nil if the cell has no %exec
	raw      bool     // GoNB has to read and compile the cell itself
}

// The commands in foreign begin cells that are not Go. The commands in unchanged leave the cell to GoNB, because they
// do not make an ordinary program of it. The commands in asked are for the kernel itself.
var (
	foreign   = []string{"%%writefile", "%%script", "%%bash", "%%sh", "%%gx"}
	unchanged = []string{"test", "wasm"}
	asked     = []string{"ls", "list", "rm", "remove", "reset", "who", "whos", "get", "help"}
)

// read separates the commands of a cell from its code. A command stands at the beginning of a line, outside of raw
// strings and comments.
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
		command, start := strings.TrimRight(line, "\n"), code.Len()
		code.WriteString(blank(lines[i]))
		for strings.HasSuffix(command, `\`) && i+1 < len(lines) {
			i++
			command = strings.TrimSuffix(command, `\`) + " " + strings.TrimRight(uncommented(lines[i]), "\n")
			code.WriteString(blank(lines[i]))
		}
		s.add(command, start, code.Len())
	}
	s.code = code.String()
	return s
}

// add adds a command to those of its kind. start is the offset of its line, and at that of the line behind it.
func (s *script) add(command string, start, at int) {
	words := strings.Fields(command[1:])
	switch {
	case len(words) == 0:
	case command[0] == '!':
		s.commands = append(s.commands, online(command))
	case words[0] == "%" || words[0] == "main":
		s.main = at
		if len(words) > 1 {
			s.commands = append(s.commands, "%args "+strings.Join(words[1:], " "))
		}
	case words[0] == "exec":
		s.readCall(words, start)
		s.commands = append(s.commands, command)
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

// Asked returns the commands of a cell that are for the kernel itself, with their arguments.
func Asked(text string) []string { return read(text).asked }

// uncommented returns a line without the prefix by which GoNB knows commands in files that have to be Go.
func uncommented(line string) string { return strings.TrimPrefix(line, "//gonb:") }

// blank returns a line with a blank in place of each of its bytes, except for the end of the line.
func blank(line string) string {
	body := strings.TrimSuffix(line, "\n")
	return strings.Repeat(" ", len(body)) + line[len(body):]
}

// lexer is the state in which a line begins: in a raw string ('`'), in a comment ('*') or in neither (0).
type lexer byte

// line returns the state behind a line that begins in state l.
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

// commands are those that cells may have, beside those that [foreign] and [asked] list.
var commands = []string{"%", "main", "args", "exec", "test", "wasm", "widgets", "widgets_hb", "env", "cd", "goflags",
	"autoget", "noautoget", "version", "reset", "with_inputs", "with_password", "track", "untrack", "goworkfix",
	"capture"}

// instead says what stands in the place of commands of other kernels.
var instead = map[string]string{
	"pip":        "a cell runs Go: for a module of Go type %get MODULE@VERSION",
	"again":      "run the cell again that defines the variable",
	"time":       "the kernel says how long a cell took; leave the command out",
	"run":        "%%writefile writes a file, and !go run FILE runs it",
	"load":       "open the file, and copy its text into the cell",
	"matplotlib": "a figure of package viz at the end of a cell is shown; leave the command out",
	"cat":        "type !cat FILE", "pwd": "type !pwd", "bash": "a cell of the shell begins with %%bash",
}

// unknown refuses a command that no part of the kernel knows. The cell would run without it.
func (e *entry) unknown() error {
	for _, c := range e.script.commands {
		word, _, _ := strings.Cut(strings.TrimPrefix(c, "%"), " ")
		if c[0] != '%' || slices.Contains(commands, word) || slices.Contains(asked, word) {
			continue
		}
		help := instead[strings.TrimSuffix(strings.TrimPrefix(word, "%"), "it")]
		help = cmp.Or(help, "%help lists all, and a command of the shell begins with !")
		return Problems{e.problem(max(0, strings.Index(e.script.text, "%"+word)), "there is no command %"+word).
			with(help)}
	}
	return nil
}
