package cell

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// most is the largest number of problems that are reported of a cell.
const most = 6

// problems returns the errors of Go in the words of a notebook.
func (k *checked) problems() Problems {
	var all Problems
	for _, err := range k.errors {
		if strings.HasPrefix(err.Msg, "\t") && len(all) > 0 {
			continue // more on the error before
		}
		at := k.files.Position(err.Pos)
		p := Problem{Cell: k.entry.number, Line: at.Line, Column: at.Column, Text: err.Msg}
		owner := k.entry
		if n, err := strconv.Atoi(strings.TrimPrefix(at.Filename, "cell ")); err != nil {
			p.Line, p.Column = 0, 0 // in the text around the cells
		} else if n != owner.number {
			p.Cell = n
			for _, e := range k.s.entries {
				if e.number == n {
					owner = e
				}
			}
		}
		p.Source = lineOf(owner.script.text, p.Line)
		k.help(&p, err)
		member := ""
		if found := noMember.FindStringSubmatch(err.Msg); found != nil {
			member = found[1]
		}
		if text := k.hidden(err.Pos, member); text != "" && (p.Help == "" || member != "") {
			p.Help = text
		}
		if !slices.ContainsFunc(all, func(q Problem) bool {
			return q.Text == p.Text && q.Line == p.Line && q.Cell == p.Cell
		}) {
			all = append(all, p)
		}
		if len(all) == most {
			break
		}
	}
	return all
}

var (
	undefined    = regexp.MustCompile(`^undefined: (\S+?)(?:\.(\S+))?$`)
	noMember     = regexp.MustCompile(`^\S+ undefined \(.* has no field or method (\w+)`)
	unknownField = regexp.MustCompile(`^unknown field (\w+) in struct literal`)
)

// help adds to a problem what to do about its error, if the error is one of those known here.
func (k *checked) help(p *Problem, err types.Error) {
	if found := undefined.FindStringSubmatch(err.Msg); found != nil {
		if found[2] != "" {
			k.helpMember(p, found[1], found[2])
		} else {
			k.helpName(p, found[1])
		}
		return
	}
	if twoValues.MatchString(err.Msg) {
		p.Help = "take both, as in v, err := f(), or give a call whose last value is an error to expfam.Must"
	}
	if found := unknownField.FindStringSubmatch(err.Msg); found != nil {
		p.Help = guess(found[1], fieldsOf(k.ownerAt(err.Pos)))
	} else if found := noMember.FindStringSubmatch(err.Msg); found != nil &&
		!strings.Contains(err.Msg, "but does have") {
		owner := k.ownerAt(err.Pos)
		if p.Help = guess(found[1], selectable(owner)); p.Help == "" && owner != nil && k.s.Unrun != nil {
			if named := namedOf(owner); named != nil && named.Obj().Pkg() == k.pkg {
				p.Help = k.s.Unrun(named.Obj().Name() + "." + found[1])
			}
		}
	}
}

// helpName adds help about a name that nothing defines.
func (k *checked) helpName(p *Problem, name string) {
	if why, is := k.stays[name]; is {
		p.Text = fmt.Sprintf("%s %s, so it stays in that cell", name, why.why)
		p.Help = why.help
		return
	}
	if c := k.own[name]; c != nil {
		line, _ := position(k.entry.script.text, c.from)
		p.Help = fmt.Sprintf("it is defined further down, in line %d", line)
		return
	}
	if k.s.Unrun != nil {
		if p.Help = k.s.Unrun(name); p.Help != "" {
			return
		}
	}
	known := map[string]bool{}
	for _, e := range k.s.entries {
		for _, d := range e.defs {
			if d.recv == "" {
				for _, n := range d.kept() {
					known[n] = true
				}
			}
		}
	}
	for n := range k.own {
		known[n] = true
	}
	for _, n := range types.Universe.Names() {
		known[n] = true
	}
	if len(k.foreign[name]) > 0 && k.foreign[name][0] != "" {
		for _, n := range k.s.Packages.Names() {
			known[n] = known[n] || k.s.known(n)
		}
		maps.DeleteFunc(known, func(_ string, is bool) bool { return !is })
	}
	switch p.Help = guess(name, slices.Sorted(maps.Keys(known))); {
	case p.Help != "":
	case defines(p.Source, name):
		p.Help = fmt.Sprintf("to define it, write %s := …", name)
	case k.familiar(name) != "":
		p.Help = k.familiar(name)
	case len(k.foreign[name]) > 0:
		p.Help = fmt.Sprintf("if it is a package, import it: import %q", "path/of/"+name)
	default:
		p.Help = "no cell that ran defines it"
	}
}

// helpMember adds help about a name that a package does not have.
func (k *checked) helpMember(p *Problem, pkg, member string) {
	imported, err := k.s.Packages.Import(k.paths[pkg])
	if err != nil {
		return
	}
	if p.Help = k.hiddenPackage(pkg, member); p.Help != "" {
		return
	}
	exported := slices.DeleteFunc(imported.Scope().Names(), func(name string) bool { return !token.IsExported(name) })
	if near := nearest(member, exported); near != "" {
		p.Help = fmt.Sprintf("did you mean %s.%s?", pkg, near)
	}
}

// ownerAt returns the type whose field or method is named at a position; nil if there is none.
func (k *checked) ownerAt(pos token.Pos) (owner types.Type) {
	for _, n := range nodesAt(k.file, pos) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if n.Sel.Pos() <= pos {
				owner = k.info.TypeOf(n.X)
			}
		case *ast.CompositeLit:
			owner = k.info.TypeOf(n)
		}
	}
	return owner
}

// members returns the names of a type's fields and methods: of all that are exported, and of the unexported ones that
// cells declare.
func members(t types.Type) (all []string) {
	if t == nil {
		return nil
	}
	add := func(o types.Object) {
		if o.Exported() || o.Pkg() != nil && o.Pkg().Path() == "main" {
			all = append(all, o.Name())
		}
	}
	methods := types.NewMethodSet(t)
	for m := range methods.Methods() {
		add(m.Obj())
	}
	if p, is := t.Underlying().(*types.Pointer); is {
		t = p.Elem()
	}
	if s, is := t.Underlying().(*types.Struct); is {
		for f := range s.Fields() {
			add(f)
		}
	}
	return all
}

func guess(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return ""
}

// nearest returns the known name that is the fewest changes of letters away, at most about a third of the letters; ""
// if there is none.
func nearest(name string, known []string) string {
	best, least := "", (len(name)+1)/3+1
	for _, other := range known {
		d := distance(strings.ToLower(name), strings.ToLower(other))
		if d < least {
			best, least = other, d
		}
	}
	return best
}

// distance returns the least number of changes that make b of a. A change inserts, removes or replaces a letter, or
// exchanges it with the next one.
func distance(a, b string) int {
	var before, last []int // rows of the letters before the last, and of the last
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
