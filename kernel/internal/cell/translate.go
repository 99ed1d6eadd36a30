package cell

import (
	"errors"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"strings"
)

// Translate makes a program of a cell. Its errors are of type [Problems]. Only [Session.Commit] changes the definitions
// of the session.
func (s *Session) Translate(c Cell) (*Program, error) {
	s.serial++
	e := &entry{id: c.ID, serial: s.serial, number: c.Number, script: read(c.Source), stays: map[string]stay{}}
	if e.script.raw && e.script.code == "" {
		return &Program{Raw: c.Source}, nil
	}
	parts, err := s.parts(e)
	if err != nil {
		return nil, err
	}
	p := s.compose(e, parts, e.script.main >= 0)
	if err := p.outsideMain(); err != nil {
		return nil, err
	}
	if err := p.callsByName(); err != nil {
		return nil, err
	}
	if err := p.namesOfGo(); err != nil {
		return nil, err
	}
	p.find()
	p.pull()
	k, err := p.check()
	if err != nil {
		return nil, Problems{e.problem(0, err.Error())}
	}
	if len(k.errors) > 0 && k.reachable() {
		if k, err = p.check(); err != nil {
			return nil, Problems{e.problem(0, err.Error())}
		}
	}
	chunk, last := k.last()
	k.mend(last)
	if e.script.raw {
		return s.raw(k, c.Source)
	}
	if err := k.callsWithout(); err != nil {
		return nil, err
	}
	if err := k.fromFormer(); err != nil {
		return nil, err
	}
	if len(k.errors) > 0 {
		return nil, k.problems()
	}
	prog := &Program{Commands: e.script.commands, entry: e}
	var assigned map[types.Object]token.Pos
	if s.Values == "" {
		assigned = k.assigned()
		if err := k.elsewhere(); err != nil {
			return nil, err
		}
	}
	k.define(assigned)
	k.mark()
	s.notes(e, prog)
	k.settings(prog)
	reached, used := k.reach()
	if err := k.placeInitializers(reached, used); err != nil {
		return nil, err
	}
	if err := k.remember(reached, used, prog); err != nil {
		return nil, err
	}
	if chunk != nil {
		k.show(chunk, last, used)
	}
	k.input(reached, used, prog)
	if k.runs(reached) {
		if p.waits = !p.hasMain() && k.leaves(reached); p.waits {
			maps.Copy(used, map[string]string{"main_runtime": "runtime", "main_strings": "strings", "main_time": "time",
				"main_fmt": "fmt", "main_os": "os"})
		}
		p.speaks(used)
		prog.Source = p.render(reached, used)
		prog.keeps, e.keeps = p.keeps, p.keeps
	}
	return prog, nil
}

// parts parses the code of a cell.
func (s *Session) parts(e *entry) ([]part, error) {
	if err := e.refuses(); err != nil {
		return nil, err
	}
	if err := e.unknown(); err != nil {
		return nil, err
	}
	if at := packageMain.FindStringIndex(e.script.code); at != nil { // a program, as documents print it
		e.script.code = e.script.code[:at[1]-len("package main")] + blank("package main") + e.script.code[at[1]:]
	}
	spans, wrong := split(e.script.code)
	if wrong != nil {
		return nil, Problems{e.complain(wrong)}
	}
	var all []part
	for _, span := range spans {
		parts, wrong := parse(e.script.code, span)
		if wrong != nil && span.kind == statement && span.to == spans[len(spans)-1].to {
			if several, is := parseSeveral(e.script.code, span); is {
				parts, wrong = several, nil
			}
		}
		if text := e.script.code[span.from:span.to]; wrong != nil && strings.HasPrefix(text, "package ") {
			return nil, Problems{e.problem(span.from, "a cell is part of a program, whose package is main").
				with("leave the line " + text + " out")}
		}
		if wrong != nil {
			return nil, Problems{e.complain(wrong)}
		}
		all = append(all, parts...)
	}
	for i := range all {
		if err := s.nameImport(&all[i]); err != nil {
			return nil, Problems{e.problem(all[i].from, err.Error())}
		}
	}
	return all, nil
}

// packageMain finds the package clause of a program, behind comments and blank lines.
var packageMain = regexp.MustCompile(`^(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*package main\b`)

// outsideMain refuses a statement of a cell that declares its own function main: the statement would not run.
func (p *program) outsideMain() error {
	for _, c := range p.chunks {
		if c.own && c.kind == statement && p.hasMain() {
			return Problems{p.entry.problem(c.from, "this statement is outside of the cell's function main, and "+
				"would not run").with("put it into main, or leave func main out")}
		}
	}
	return nil
}

// nameImport gives an import the name of its package, if it has no other.
func (s *Session) nameImport(p *part) error {
	if p.kind != imports {
		return nil
	}
	if p.path == "C" {
		return errors.New("a cell cannot use cgo: put the C code and the functions that call it into a package, and " +
			"import that")
	}
	pkg, err := s.Packages.Import(p.path)
	if err == nil && len(p.names) == 0 {
		p.names = []name{{pkg.Name(), 0}}
	}
	return err
}

// problem returns a text about an offset of the cell as a [Problem].
func (e *entry) problem(offset int, text string) Problem {
	line, column := position(e.script.text, offset)
	return Problem{Cell: e.number, Line: line, Column: column, Source: lineOf(e.script.text, line), Text: text}
}

// complain returns what is wrong with a text that does not parse as a [Problem].
func (e *entry) complain(wrong *complaint) Problem {
	p := e.problem(wrong.offset, wrong.text)
	p.Help = hintForOtherLanguage(p.Source)
	return p
}

// runs reports whether there is anything to run: statements, or definitions that do more than name a value.
func (k *checked) runs(reached map[*chunk]bool) bool {
	if k.exec != nil || k.legacy {
		return true
	}
	for _, c := range k.chunks {
		if c.own && (c.isMain() || c.local && (c.kind == statement || !k.plain(c)) || !c.local && c.kind == variable &&
			!k.plain(c)) {
			return true
		}
	}
	return false
}

// plain reports whether the values of a variable are written down in its definition, without names of cells, because
// these may be defined anew. To compute them calls nothing, never fails and takes no time.
func (k *checked) plain(c *chunk) bool {
	all, _ := lexemes(c.text[c.value:])
	for _, l := range all {
		if l.tok == token.LPAREN || l.tok == token.ARROW {
			return false
		}
	}
	for _, id := range k.in(c) {
		switch obj := k.info.Uses[id].(type) {
		case *types.Const, *types.TypeName, *types.Func:
			if obj.Pkg() == k.pkg {
				return false
			}
		case *types.Var:
			if !obj.IsField() {
				return false
			}
		}
	}
	return true
}

// raw returns the program of a cell that GoNB compiles in its own way: the cell as typed, behind the definitions of
// other cells that it needs. They are written without line comments, because GoNB would take the line of such a comment
// for one of its own.
func (s *Session) raw(k *checked, source string) (*Program, error) {
	prog := &Program{entry: k.entry}
	if k.s.Values == "" {
		k.define(k.assigned())
	} else {
		k.define(nil)
	}
	k.bare = true
	all := map[*chunk]bool{}
	for _, c := range k.chunks {
		all[c] = true
	}
	var b strings.Builder
	_, used := k.reach()
	maps.Copy(used, k.paths)
	if err := k.remember(all, used, prog); err != nil {
		return nil, err
	}
	k.writeImports(&b, used)
	if k.keeps {
		b.WriteString(k.keeper())
	}
	for _, c := range k.chunks {
		if !c.own {
			k.write(&b, c)
		}
	}
	prog.Raw = b.String() + source
	return prog, nil
}
