package cell

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// literal is a function literal of a definition that uses no variables but those of cells. Another program has the same
// function from the same text, so a value may hold it.
type literal struct {
	name     string // by which package keep knows it: the file that the line comment before it names
	from, to int    // offsets in the text of the definition
}

// mark finds the function literals of the cell that other programs can have, and makes definitions of them.
func (k *checked) mark() {
	if k.s.Values == "" {
		return
	}
	if k.s.literals == nil {
		k.s.literals = map[string]*def{}
	}
	for _, c := range k.chunks {
		if !c.own {
			continue
		}
		for _, n := range k.nodesOf(c) {
			ast.Inspect(n, func(n ast.Node) bool {
				if lit, is := n.(*ast.FuncLit); is {
					k.markOne(c, lit)
				}
				return true
			})
		}
	}
}

// markOne notes a literal. One that is not free has the cell as its file, so that it is not taken for one around it.
func (k *checked) markOne(c *chunk, lit *ast.FuncLit) {
	from, to, free := k.offset(lit.Pos())-c.start, k.offset(lit.End())-c.start, k.free(lit)
	file := fmt.Sprintf("cell %d", k.entry.number)
	if free {
		k.marked++
		file += fmt.Sprintf("/%d.%d", k.entry.serial, k.marked)
	}
	for _, l := range c.literals {
		if around := k.s.literals[l.name]; around != nil && l.from < from && to <= l.to { // it is around this one
			around.literals = append(around.literals, literal{file, from - l.from + 1, to - l.from + 1})
		}
	}
	c.literals = append(c.literals, literal{file, from, to})
	if !free {
		return
	}
	text := c.text[from:to]
	d := &def{entry: k.entry, literal: true, part: part{span: span{kind: variable, from: c.from + from - 1,
		to: c.from + to}, text: "=" + text, names: []name{{fmt.Sprintf("main_f%d_%d", k.entry.serial, k.marked), 0}},
		rhs: 1, uses: idents(text)}}
	d.literals = []literal{{file, 1, 1 + len(text)}}
	k.s.literals[file] = d
}

// free reports whether a function literal uses no variables, types and constants of a function around it, except for
// variables of the cell, which are variables in every program.
func (k *checked) free(lit *ast.FuncLit) bool {
	is := true
	ast.Inspect(lit, func(n ast.Node) bool {
		id, named := n.(*ast.Ident)
		if !named || !is {
			return is
		}
		obj := k.info.Uses[id]
		if obj == nil || obj.Pkg() != k.pkg || obj.Parent() == nil || obj.Parent() == k.pkg.Scope() ||
			lit.Pos() <= obj.Pos() && obj.Pos() < lit.End() {
			return true
		}
		switch obj := obj.(type) {
		case *types.PkgName:
		case *types.Var:
			is = obj.IsField() || k.ofCell(obj)
		default:
			is = false
		}
		return is
	})
	return is
}

// ofCell reports whether a variable inside of main is one that the cell defines for others.
func (k *checked) ofCell(v *types.Var) bool {
	c := k.chunkAt(k.offset(v.Pos()))
	if c == nil || !c.own || !c.local || k.legacy || c.kind != variable {
		return false
	}
	for _, n := range c.names {
		if n.string == v.Name() && k.object(c, n) == v && !ofGo(n.string) {
			return true
		}
	}
	return false
}

// marks returns the edits of a definition's text by which its literals come from files of their own.
func (p *program) marks(c *chunk) (all []edit) {
	if p.bare || !p.keeps {
		return nil
	}
	place := func(name string, at int) string {
		return strings.Replace(p.place(c, at), fmt.Sprintf("cell %d:", c.entry.number), name+":", 1)
	}
	for _, l := range c.literals {
		around, size := fmt.Sprintf("cell %d", c.entry.number), len(c.text)+1
		for _, other := range c.literals {
			if other.from < l.from && l.to <= other.to && other.to-other.from < size {
				around, size = other.name, other.to-other.from
			}
		}
		all = append(all, edit{at: l.from, text: place(l.name, l.from)}, edit{at: l.to, text: place(around, l.to)})
	}
	return all
}
