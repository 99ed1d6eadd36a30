package cell

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// placeInitializers decides where the values of variables are computed that left main because a function uses them. A
// variable outside of main is assigned in main, at its place, if that is possible. It is not possible if the program
// needs the value before main begins, for a variable of another cell, if the value is written down, so that functions
// may use it earlier, or if Go cannot write its type. Then the value is computed before main begins, so a cell in which
// it depends on a variable that main assigns is refused.
func (k *checked) placeInitializers(reached map[*chunk]bool, used map[string]string) error {
	var early []*chunk
	for _, c := range k.chunks {
		if c.kind == variable && !c.own && !c.stored && reached[c] {
			early = append(early, c)
		}
		for _, n := range c.names {
			if first := k.own[n.string]; c.own && c.local && c.kind == variable && first != nil && first.moved {
				return Problems{k.entry.problem(c.from+n.at,
					fmt.Sprintf("%s is defined twice in this cell, and a function uses it", n.string)).
					with("give one of them another name")}
			}
		}
	}
	before, _ := k.from(early, k.defined())
	for _, c := range k.chunks {
		if !c.moved {
			continue
		}
		able := c.rhs > 0 && !before[c] && !k.plain(c)
		objects := map[string]types.Object{}
		for _, n := range c.names {
			if obj := k.object(c, n); n.string != "_" && obj != nil {
				objects[n.string] = obj
				able = able && nameable(obj.Type(), map[types.Type]bool{})
			}
		}
		if able {
			var text strings.Builder
			for _, name := range slices.Sorted(maps.Keys(objects)) {
				of := types.TypeString(objects[name].Type(),
					func(pkg *types.Package) string { return k.qualifier(pkg, used) })
				fmt.Fprintf(&text, "var %s %s\n", name, of)
			}
			c.declared = text.String()
			continue
		}
		needs, _ := k.from([]*chunk{c}, k.defined())
		for _, other := range k.chunks {
			if other != c && other.moved && needs[other] && !k.plain(other) {
				return Problems{k.entry.problem(c.from, fmt.Sprintf("%s is needed before this cell begins, and "+
					"computed from %s, which the cell computes", c.names[0].string, other.names[0].string)).with(
					"compute it in another cell, or hand it to the function that uses it")}
			}
		}
	}
	return k.definedFirst()
}

// fromFormer refuses a variable that left main and is computed from the former variable of its name, as in n := n + 1:
// outside of main, both are the new one.
func (k *checked) fromFormer() error {
	for _, c := range k.chunks {
		for _, id := range k.in(c) {
			own := slices.ContainsFunc(c.names, func(n name) bool { return n.string == id.Name })
			if !c.moved || !own || k.info.Uses[id] != k.pkg.Scope().Lookup(id.Name) {
				continue
			}
			text, help := "undefined: "+id.Name, "declare it in a line above"
			if d, _ := k.s.lookup(id.Name, k.entry); d != nil {
				text = fmt.Sprintf("%s is computed from an earlier %s, and a function uses it", id.Name, id.Name)
				help = "give it another name"
			}
			return Problems{k.entry.problem(c.from+k.offset(id.Pos())-c.start, text).with(help)}
		}
	}
	return nil
}

// definedFirst refuses a statement that needs a variable which left main, itself or through functions, and stands above
// the variable's definition: the variable would be zero there. One whose value is written down has it everywhere, so it
// is refused only where the statement may mean the variable of another cell.
func (k *checked) definedFirst() error {
	defined := k.defined()
	for _, c := range k.chunks {
		anew := func() bool { d, _ := k.s.lookup(c.names[0].string, k.entry); return d != nil }
		for _, above := range k.chunks {
			if !c.moved || above.from >= c.from || !above.local && !above.moved || c.declared == "" && !anew() {
				continue
			}
			for _, id := range k.runsAt(above) {
				other := defined[k.info.Uses[id]]
				if other == nil || c.declared == "" && other != c {
					continue
				}
				if needs, _ := k.from([]*chunk{other}, defined); needs[c] {
					return Problems{k.tooEarly(c, id)}
				}
			}
		}
	}
	return nil
}

// tooEarly says that a name above the definition of c needs its value.
func (k *checked) tooEarly(c *chunk, id *ast.Ident) Problem {
	line, _ := position(k.entry.script.text, c.from)
	at, name := k.files.Position(id.Pos()), c.names[0].string
	text, help := fmt.Sprintf("%s has no value before line %d", name, line), "put that line above this one"
	switch {
	case c.declared == "":
		text = fmt.Sprintf("%s is defined anew in line %d, and a function uses it", name, line)
		help = "give it another name there"
	case k.own[id.Name] != c:
		text = fmt.Sprintf("%s uses %s, which has no value before line %d", id.Name, name, line)
	}
	return Problem{k.entry.number, at.Line, at.Column, lineOf(k.entry.script.text, at.Line), text, help}
}

// runsAt returns the identifiers of a chunk, without those in function literals that it only assigns.
func (k *checked) runsAt(c *chunk) (all []*ast.Ident) {
	later := map[ast.Node]bool{}
	for _, n := range k.nodesOf(c) {
		ast.Inspect(n, func(n ast.Node) bool {
			var values []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				values = n.Rhs
			case *ast.ValueSpec:
				values = n.Values
			case *ast.CompositeLit:
				values = n.Elts
			case *ast.KeyValueExpr:
				values = []ast.Expr{n.Value}
			case *ast.Ident:
				all = append(all, n)
			}
			for _, v := range values {
				if lit, is := v.(*ast.FuncLit); is {
					later[lit] = true
				}
			}
			return !later[n]
		})
	}
	return all
}

// with returns the problem with a text that helps.
func (p Problem) with(help string) Problem {
	p.Help = help
	return p
}
