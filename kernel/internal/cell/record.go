package cell

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// record says how the values of a definition are kept for the cells that need them: in files, one for each variable,
// which exist as long as the kernel runs. To load a value is faster than to compute it again, a random number stays
// what it was, and what acts does so once.
type record struct {
	names []string     // names of its variables; _ for a variable that no other cell can use, or that this one does not
	files []string     // names of their files
	of    []types.Type // types of the variables; nil for _
	types []string     // these types as Go source; "" where the type is not written
	watch []bool       // whether the variable may have changed when the program ends
	anew  bool         // they are computed although they are kept
}

// before returns the code in front of the expressions of a definition, in the program of another cell than the one that
// computed it. The code loads the values from their files, and computes them only if that fails.
func (r *record) before() string {
	left, results, inner := r.results()
	load := fmt.Sprintf("if main_kept.Load(%s) { return }; ", r.arguments("main_r", nil))
	if r.anew {
		load = ""
	}
	return fmt.Sprintf("var %s = func() (%s) { %s%s = ", strings.Join(left, ", "), strings.Join(results, ", "), load,
		strings.Join(inner, ", "))
}

// loaded returns the whole definition, if its values were found to be kept.
func (r *record) loaded() string {
	left, results, _ := r.results()
	return fmt.Sprintf("var %s = func() (%s) { main_kept.Need(%s); return }()", strings.Join(left, ", "),
		strings.Join(results, ", "), r.arguments("main_r", nil))
}

// results returns the variables of the definition, results of a function with their types, and their names, with _ for
// variables that are not there.
func (r *record) results() (left, results, inner []string) {
	for i, name := range r.names {
		if name == "_" {
			inner = append(inner, "_")
			continue
		}
		result := fmt.Sprintf("main_r%d", i)
		left, results, inner = append(left, name), append(results, result+" "+r.types[i]), append(inner, result)
	}
	return left, results, inner
}

// after returns the code behind the expressions of a definition, which saves the values.
func (r *record) after(c *chunk) string {
	switch {
	case !c.own:
		return fmt.Sprintf("; main_kept.Save(%s); return }()", r.arguments("main_r", nil))
	case c.local || c.declared != "":
		text := fmt.Sprintf("; main_kept.Save(%s)", r.arguments("", nil))
		if watched := r.arguments("", r.watch); watched != "" {
			text += fmt.Sprintf("; main_kept.Watch(%s)", watched)
		}
		return text
	}
	return fmt.Sprintf("\nfunc init() { main_kept.Save(%s) }", r.arguments("", nil))
}

// arguments returns the arguments of Load, Save and Watch of package keep: for each variable, or each of some, the name
// of its file and a pointer to it. With a prefix, the pointers are to the results that have the prefix and a number as
// names.
func (r *record) arguments(prefix string, some []bool) string {
	var all []string
	for i, name := range r.names {
		if !token.IsIdentifier(name) || name == "_" || some != nil && !some[i] {
			continue
		}
		variable := name
		if prefix != "" {
			variable = fmt.Sprintf("%s%d", prefix, i)
		}
		all = append(all, fmt.Sprintf("%q, &%s", r.files[i], variable))
	}
	return strings.Join(all, ", ")
}

// keeper returns the declaration of main_kept, by which a program keeps values.
func (p *program) keeper() string {
	var former strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.former)) {
		fmt.Fprintf(&former, "var %s = %s\n", name, p.former[name])
	}
	arguments := append([]string{strconv.Quote(p.s.Values), strconv.Quote(fmt.Sprint(p.entry.serial))}, p.kinds...)
	return fmt.Sprintf("var main_kept = main_keep.In(%s)\n\n", strings.Join(arguments, ", ")) + former.String()
}

// watches returns the statements at the beginning of main by which the program saves at its end what it has changed.
func (p *program) watches(chunks []*chunk) string {
	var b strings.Builder
	some := false
	for _, c := range chunks {
		if c.record == nil {
			continue
		}
		watched := c.record.arguments("", c.record.watch)
		some = some || watched != ""
		if watched != "" && !c.local && c.declared == "" {
			fmt.Fprintf(&b, "\tmain_kept.Watch(%s)\n", watched)
		}
	}
	if !some {
		return ""
	}
	return "\tdefer main_kept.End()\n" + b.String()
}
