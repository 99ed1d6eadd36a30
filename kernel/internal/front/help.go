package front

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/kernel/internal/cell"
)

// commandsHelp lists the commands of cells.
const commandsHelp = `| command | does |
|---|---|
| ` + "`%who`" + ` | lists the variables, with type, size, cell and the beginning of the value |
| ` + "`%ls`" + `, ` + "`%rm NAME`" + `, ` + "`%reset`" + ` | lists all definitions, forgets one, forgets all |
| ` + "`%get MODULE@VERSION`" + ` | adds a module of others, for imports |
| ` + "`%help`" + `, ` + "`%help NAME`" + ` | shows this page, or the documentation of a package, function, type, field or method |
| ` + "`!COMMAND`" + `, ` + "`%%bash`" + ` | runs a command of the shell, or the whole cell in it |
| ` + "`%%writefile FILE`" + ` | writes the cell into a file |
| ` + "`%cd DIR`" + `, ` + "`%env NAME VALUE`" + `, ` + "`%args A B`" + ` | sets the folder, the environment and os.Args of cells |
| ` + "`%test`" + `, ` + "`%exec f A B`" + ` | runs the tests of the cell, or the function f with os.Args |
| ` + "`%%`" + ` | what follows is the body of main, whose variables stay in the cell |
`

// help shows the page about cells, or the documentation of a name.
func (x *execution) help(names []string) {
	if len(names) == 0 {
		page, _ := os.ReadFile(filepath.Join(x.packages.checkout, "docs", "cells.md"))
		text := strings.TrimSpace(string(page)+"\n\n## Commands\n\n"+commandsHelp) + "\n"
		x.publish(x.request, "display_data", map[string]any{"metadata": map[string]any{},
			"data": map[string]string{"text/markdown": text, "text/plain": text}})
		return
	}
	for _, name := range names {
		x.sessions.Lock()
		d, ok := described(x.session, name)
		x.sessions.Unlock()
		if !ok {
			x.print(fmt.Sprintf("nothing here is called %s; Tab behind its first letters lists what is\n", name))
			continue
		}
		text := d.Text + "\n"
		if d.Doc != nil {
			text += "\n" + x.doc(d.Doc) + "\n"
		}
		x.print(text)
	}
}

// described describes a name: as cells mean it, or, if they have taken the name of a package, as the package has it.
func described(session *cell.Session, name string) (d cell.Described, ok bool) {
	for _, s := range []*cell.Session{session, {Packages: session.Packages}} {
		if d, ok = s.Describe(cell.Cell{Source: name}, len(name)); ok {
			return d, true
		}
		if dot := strings.LastIndexByte(name, '.'); dot > 0 { // a field or a method of a type
			source := "new(" + name[:dot] + ")" + name[dot:]
			if d, ok = s.Describe(cell.Cell{Source: source}, len(source)); ok {
				return d, true
			}
		}
	}
	return d, false
}
