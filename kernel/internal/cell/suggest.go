package cell

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// here stands in a program for the name that is being typed.
const here = "main_here"

// Suggest returns the names that could stand at an offset of a cell, and the offset at which the name begins that is
// being typed.
func (s *Session) Suggest(c Cell, at int) (found []string, from int) {
	code := read(c.Source).code
	if at > len(code) {
		return nil, at
	}
	if found, from, is := files(code, at); is {
		return found, from
	}
	from = wordStart(code, at)
	prefix := code[from:at]
	if prefix != "" && unicode.IsDigit(rune(prefix[0])) {
		return nil, from
	}
	k, path := s.lookAt(c, code[:from]+here, from)
	if path == nil {
		return nil, from
	}
	first, others := k.candidates(path, prefix != "")
	matching := func(names []string) []string {
		names = slices.DeleteFunc(names, func(n string) bool {
			return n == "_" || n == "main" || strings.HasPrefix(n, "main_") || len(n) < len(prefix) ||
				!strings.EqualFold(n[:len(prefix)], prefix)
		})
		slices.SortFunc(names, func(a, b string) int { // names with the letters as typed come first
			if x, y := strings.HasPrefix(a, prefix), strings.HasPrefix(b, prefix); x != y {
				return map[bool]int{true: -1, false: 1}[x]
			}
			return cmp.Compare(a, b)
		})
		return slices.Compact(names)
	}
	found = matching(first)
	for _, some := range others {
		for _, n := range matching(some) {
			if !slices.Contains(found, n) {
				found = append(found, n)
			}
		}
	}
	return found, from
}

// candidates returns the names that can stand at the end of a path. The names in first belong there in particular, as
// the fields of a struct in its literal. As long as no letter is typed, Go's own names and the names of packages are
// left out, because they would be too many. The others come in the order in which people mean them: names of cells, of
// the place, of packages that everybody knows, the rest.
func (k *checked) candidates(path []ast.Node, typed bool) (first []string, others [][]string) {
	id := path[len(path)-1].(*ast.Ident)
	if len(path) > 1 {
		switch parent := path[len(path)-2].(type) {
		case *ast.SelectorExpr:
			if parent.Sel == id {
				return k.selectable(parent.X), nil
			}
		case *ast.CompositeLit:
			first = fieldsOf(k.info.TypeOf(parent))
		case *ast.KeyValueExpr:
			if lit, is := path[max(0, len(path)-3)].(*ast.CompositeLit); is && parent.Key == id {
				return fieldsOf(k.info.TypeOf(lit)), nil
			}
		}
	}
	var own, scoped, packages, rest []string
	for scope := k.pkg.Scope().Innermost(id.Pos()); scope != nil; scope = scope.Parent() {
		if scope == types.Universe && !typed {
			break
		}
		for _, n := range scope.Names() {
			if obj := scope.Lookup(n); scope == types.Universe || obj.Parent() == k.pkg.Scope() ||
				obj.Pos() < id.Pos() {
				scoped = append(scoped, n)
			}
		}
	}
	for _, e := range k.s.entries {
		for _, d := range e.defs {
			if d.recv == "" {
				own = append(own, d.kept()...)
			}
		}
	}
	if typed {
		for _, n := range k.s.Packages.Names() {
			if k.s.known(n) {
				packages = append(packages, n)
			} else if !strings.HasPrefix(n, "liberation") { // fonts, each a package
				rest = append(rest, n)
			}
		}
	}
	return first, [][]string{own, scoped, packages, rest}
}

// selectable returns the names that can stand behind an expression and a dot.
func (k *checked) selectable(x ast.Expr) []string {
	if id, is := x.(*ast.Ident); is {
		if pkg, is := k.info.Uses[id].(*types.PkgName); is {
			return slices.DeleteFunc(pkg.Imported().Scope().Names(),
				func(n string) bool { return !token.IsExported(n) })
		}
	}
	return selectable(k.info.TypeOf(x))
}

// selectable returns the names that can stand behind a variable of a type and a dot.
func selectable(t types.Type) []string {
	if t == nil {
		return nil
	}
	if _, is := t.Underlying().(*types.Pointer); !is && !types.IsInterface(t) {
		return members(types.NewPointer(t))
	}
	return members(t)
}

// fieldsOf returns the fields of a struct that a composite literal can set.
func fieldsOf(t types.Type) (all []string) {
	if t == nil {
		return nil
	}
	s, is := t.Underlying().(*types.Struct)
	if p, pointer := t.Underlying().(*types.Pointer); pointer {
		s, is = p.Elem().Underlying().(*types.Struct) // &T{} in a slice of pointers may leave out the type
	}
	if !is {
		return nil
	}
	for f := range s.Fields() {
		if f.Exported() || f.Pkg() != nil && f.Pkg().Path() == "main" {
			all = append(all, f.Name())
		}
	}
	return all
}

// habits are lines as people write them in other languages, with what Go or the kernel has in their place.
var habits = []struct {
	line *regexp.Regexp
	help string
}{
	{regexp.MustCompile(`^\s*(\?+[\w.]+|[\w.]+\?+)\s*$`), "the documentation of a name is shown by %help NAME"},
	{regexp.MustCompile(`\?[^"]*:`), "Go has no ?: for values; use if and else"},
	{regexp.MustCompile(`^\s*for\s+\(?\w+(\s*,\s*\w+)?\s+(in|of)\b`),
		"a loop over values is: for i, v := range values { … }"},
	{regexp.MustCompile(`=\s*\{`), `a list is written with its type, as []string{"a", "b"}`},
	{regexp.MustCompile(`^\s*(def|fn|function)\s`), "a function is: func name(x float64) float64 { return … }"},
	{regexp.MustCompile(`^\s*(while\b)`), "a loop with a condition is: for n < 10 { … }"},
	{regexp.MustCompile(`^\s*(try|throw|raise)\b`),
		"Go returns errors as values: v, err := f(), then if err != nil { … }"},
	{regexp.MustCompile(`^\s*(let|auto|val)\s+\w+\s*=`), "a variable is defined by x := …"},
}

// hintForOtherLanguage returns what stands in the place of a line that does not parse; "" if nothing is known.
func hintForOtherLanguage(line string) string {
	for _, h := range habits {
		if h.line.MatchString(line) {
			return h.help
		}
	}
	return ""
}

// familiar returns the function of a package that a lower-case name may mean, such as stat.Mean for mean; "" for none.
func (k *checked) familiar(name string) string {
	member := strings.ToUpper(name[:1]) + name[1:]
	for _, pkg := range []string{"stat", "floats", "math", "slices", "sort", "strings", "fmt"} {
		path := k.s.Packages.Find(pkg, []string{member})
		if path == "" {
			continue
		}
		if p, err := k.s.Packages.Import(path); err == nil && p.Scope().Lookup(member) != nil {
			return fmt.Sprintf("did you mean %s.%s?", pkg, member)
		}
	}
	return ""
}

// twoValues finds the assignment of a call's values to too few variables.
var twoValues = regexp.MustCompile(`^assignment mismatch: 1 variable but (.+) returns 2 values$`)

// defines reports whether a line assigns to a name alone, as one that defines it would in other languages.
func defines(line, name string) bool {
	rest, is := strings.CutPrefix(strings.TrimSpace(line), name)
	rest = strings.TrimSpace(rest)
	return is && strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==")
}
