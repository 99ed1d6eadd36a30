package cell

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/expfam/lab/kernel/keep"
)

// since has a definition that is computed again use the values that the variables of other cells had when its cell ran.
// Where such a value is not there any more, since returns the variable, and what changed it. A function that the
// definition makes uses the variables themselves, as always in Go.
func (k *checked) since(c *chunk) (name, by string) {
	uses := k.computedFrom(c)
	for _, use := range slices.Sorted(maps.Keys(uses)) {
		d, _ := k.s.lookup(use, k.entry)
		if d == nil || d.kind != variable {
			continue
		}
		serial := versionOf(d.file(k.s, use, ""))
		if serial <= c.entry.serial {
			continue
		}
		value, is := k.formerly(d, use, c.entry.serial)
		if !is {
			name, by = use, "a later cell"
			for _, e := range k.s.entries {
				if e.serial == serial {
					by = fmt.Sprintf("cell %d", e.number)
				}
			}
			continue
		}
		prefix := fmt.Sprintf("main_at%d_", c.entry.serial)
		k.former[prefix+use] = value
		for _, id := range uses[use] {
			c.edits = append(c.edits, edit{at: k.offset(id.Pos()) - c.start, text: prefix})
		}
	}
	return name, by
}

// computedFrom returns where a definition uses variables outside of main, by name, but for functions that it makes and
// does not call on the spot.
func (k *checked) computedFrom(c *chunk) map[string][]*ast.Ident {
	from, to := c.bounds()
	called, uses := map[*ast.FuncLit]bool{}, map[string][]*ast.Ident{}
	ast.Inspect(k.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if lit, is := ast.Unparen(n.Fun).(*ast.FuncLit); is {
				called[lit] = true
			}
		case *ast.FuncLit:
			return called[n] || k.offset(n.Pos()) < from
		case *ast.Ident:
			at, obj := k.offset(n.Pos()), k.info.Uses[n]
			if from <= at && at < to && obj != nil && obj == k.pkg.Scope().Lookup(n.Name) {
				uses[n.Name] = append(uses[n.Name], n)
			}
		}
		return true
	})
	return uses
}

// formerly returns the expression of the value that a variable had after an execution; false if the value is not there.
func (k *checked) formerly(d *def, name string, serial int) (text string, is bool) {
	files := append([]string{d.first[name]}, d.versions[name]...)
	for _, file := range slices.Backward(files) {
		if file == "" || versionOf(file) > serial {
			continue
		}
		if _, err := keep.Look(k.s.Values, file); err == nil {
			maps.Copy(k.formerPaths, d.paths)
			return fmt.Sprintf("func() (main_r %s) { main_kept.Need(%q, &main_r); return "+
				"}()", d.types[name], file), true
		}
	}
	return "", false
}

// versionOf returns the number of the execution that wrote a file; 0 if that is the one that defines the variable.
func versionOf(file string) int {
	_, version, _ := strings.Cut(file, "~")
	n, _ := strconv.Atoi(version)
	return n
}
