package cell

import (
	"cmp"
	"slices"
	"strings"
)

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
