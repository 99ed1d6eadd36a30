package front

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/expfam/lab/kernel/internal/cell"
)

// ask executes the commands that are for the kernel itself: those that list or forget definitions, that fetch a module,
// and help.
func (x *execution) ask(ctx context.Context, commands []string) *fault {
	for _, command := range commands {
		words := strings.Fields(command)
		switch words[0] {
		case "get":
			if err := x.get(ctx, words[1:]); err != nil {
				return failed(err)
			}
		case "help":
			x.help(words[1:])
		default:
			x.about(words)
		}
	}
	return nil
}

// about executes a command that is about the session.
func (x *execution) about(words []string) {
	x.sessions.Lock()
	defer x.sessions.Unlock()
	switch words[0] {
	case "who", "whos":
		x.print(who(x.session.Variables()))
	case "ls", "list":
		x.print(x.session.List())
	case "rm", "remove":
		x.print(forget(x.session, words[1:]))
	case "reset":
		x.session.Reset()
	}
}

// forget removes names from the session, and says which of them it had and which it had not.
func forget(session *cell.Session, names []string) string {
	if len(names) == 0 {
		return "%rm needs the names to remove; %ls lists them\n"
	}
	removed := session.Remove(names)
	slices.Sort(removed) // a name of two cells is removed from both
	removed = slices.Compact(removed)
	unknown := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.Contains(removed, strings.Replace(name, "~", ".", 1))
	})
	var text string
	if len(removed) > 0 {
		text = "removed: " + strings.Join(removed, ", ") + "\n"
	}
	if len(unknown) > 0 {
		text += "not defined: " + strings.Join(unknown, ", ") + "; %ls lists what is\n"
	}
	return text
}

// who lists variables, one a line.
func who(all []cell.Variable) string {
	if len(all) == 0 {
		return "no cell has defined a variable\n"
	}
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "name\ttype\tbytes\tcell\tvalue")
	for _, v := range all {
		size := ""
		if v.Bytes > 0 {
			size = fmt.Sprint(v.Bytes)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", v.Name, v.Type, size, v.Cell, v.Words)
	}
	table.Flush()
	return b.String()
}
