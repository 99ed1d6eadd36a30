package cell

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// chunk is a definition or a statement in a program.
type chunk struct {
	*def
	local    bool    // in the body of main
	moved    bool    // of the cell's own, out of main, for a function that uses it
	declared string  // of one that moved: the declarations that stand outside, while main assigns the values; "" if both stand outside
	own      bool    // of the cell that shall run
	edits    []edit  // of its text
	record   *record // how its values are kept; nil if they are not
	start    int     // the place in the program that offset 0 of its text has or would have
}

// edit is a text to put in at an offset, in the place of so many bytes.
type edit struct {
	at, drop int
	text     string
}

// program is a cell and what it needs of others, on its way to a text.
type program struct {
	s       *Session
	entry   *entry
	chunks  []*chunk // in the order of the text: the body of main last
	own     map[string]*chunk
	have    map[*def]bool
	paths   map[string]string   // imports by name
	blank   []string            // paths of imports for their effects
	dot     []string            // paths of imports of all names
	foreign map[string][]string // names that may be packages, and their members
	stays   map[string]stay     // names that were asked for in vain
	legacy  bool                // a cell with %%
	imports []*def              // that the cell declares
	exec    string
	shows   bool // calls main_show
	fails   bool // calls main_fail
	keeps   bool // calls main_save and main_load
	bare    bool // without places
}

// compose collects what a cell needs.
func (s *Session) compose(e *entry, parts []part, legacy bool) *program {
	p := &program{s: s, entry: e, own: map[string]*chunk{}, have: map[*def]bool{}, paths: map[string]string{},
		foreign: map[string][]string{}, stays: map[string]stay{}, legacy: legacy, exec: e.script.exec}
	for i := range parts {
		c := &chunk{def: &def{part: parts[i], entry: e}, own: true}
		if c.kind == imports {
			p.imported(c.def)
			p.imports = append(p.imports, c.def)
			continue
		}
		c.local = c.kind == statement || c.kind == variable && !(legacy && c.from < e.script.main)
		p.chunks = append(p.chunks, c)
		if c.local && legacy {
			continue // variables of GoNB's main function are seen by nobody else
		}
		for _, n := range c.names {
			if c.recv == "" && p.own[n.string] == nil {
				p.own[n.string] = c
			}
		}
	}
	for _, d := range s.always(e) {
		p.add(d)
	}
	declared := map[string]bool{}
	for _, c := range slices.Clone(p.chunks) {
		if !c.local {
			p.needs(c)
			continue
		}
		for name, members := range c.uses {
			if other := p.own[name]; declared[name] || other != nil && other.kind != variable {
				continue
			}
			p.fromOthers(name, members)
		}
		for _, n := range c.names {
			declared[n.string] = true
		}
	}
	if p.exec != "" {
		p.need(p.exec, nil)
	}
	return p
}

// needs adds what a chunk outside of main uses.
func (p *program) needs(c *chunk) {
	if c.kind == typed {
		for _, n := range c.names {
			p.addMethods(n.string)
		}
	}
	for name, members := range c.uses {
		p.need(name, members)
	}
}

// need adds what a name means outside of main. A variable of the cell itself leaves main for it.
func (p *program) need(name string, members []string) {
	c := p.own[name]
	if c == nil {
		p.fromOthers(name, members)
		return
	}
	if c.local {
		c.local, c.moved = false, true
		p.needs(c)
	}
}

// fromOthers adds what a name means in other cells, or else notes that it may be a package.
func (p *program) fromOthers(name string, members []string) {
	if p.paths[name] != "" {
		return
	}
	d, why := p.s.lookup(name, p.entry)
	switch {
	case why != nil:
		p.stays[name] = *why
	case d != nil:
		p.add(d)
	case types.Universe.Lookup(name) == nil:
		p.foreign[name] = append(p.foreign[name], members...)
	}
}

// add takes a definition of another cell into the program.
func (p *program) add(d *def) {
	if p.have[d] {
		return
	}
	p.have[d] = true
	if d.kind == imports {
		p.imported(d)
		return
	}
	c := &chunk{def: d}
	p.chunks = append(p.chunks, c)
	p.needs(c)
}

// addMethods takes the methods of a type that other cells have declared.
func (p *program) addMethods(name string) {
	for _, d := range p.s.methods(name, p.entry) {
		taken := slices.ContainsFunc(p.chunks, func(c *chunk) bool { return c.own && c.recv == name && c.names[0].string == d.names[0].string })
		if !taken {
			p.add(d)
		}
	}
}

// imported takes an import.
func (p *program) imported(d *def) {
	switch name := d.names[0].string; name {
	case "_":
		p.blank = append(p.blank, d.path)
	case ".":
		p.dot = append(p.dot, d.path)
	default:
		p.paths[name] = d.path
	}
}

// find finds the packages that are meant by names which nothing else defines.
func (p *program) find() {
	for name, members := range p.foreign {
		if path := p.s.Packages.Find(name, members); path != "" {
			p.paths[name] = path
		}
	}
}

// render writes chunks, all if they are nil, and imports as one Go program.
func (p *program) render(chunks map[*chunk]bool, used map[string]string) string {
	var b strings.Builder
	b.WriteString("package main\n\n")
	hasMain := slices.ContainsFunc(p.chunks, func(c *chunk) bool { return c.own && c.isMain() })
	if !hasMain {
		used = maps.Clone(used)
		used["main_flag"] = "flag"
	}
	p.writeImports(&b, used)
	var locals []*chunk
	for _, c := range p.chunks {
		switch {
		case chunks != nil && !chunks[c]:
		case c.local:
			locals = append(locals, c)
		case c.declared != "":
			b.WriteString(c.declared)
			locals = append(locals, c)
		default:
			p.write(&b, c)
		}
	}
	if hasMain {
		return b.String()
	}
	if p.keeps {
		b.WriteString(keepers(p.s.Values))
	}
	if p.shows {
		b.WriteString(shower(p.s.Result))
	}
	if p.fails {
		b.WriteString("func main_fail(err error) { panic(err) }\n\n")
	}
	b.WriteString("func main() {\n\tmain_flag.Parse()\n")
	for _, c := range locals {
		p.write(&b, c)
	}
	if p.exec != "" {
		fmt.Fprintf(&b, "\t%s()\n", p.exec)
	}
	b.WriteString("}\n")
	return b.String()
}

// writeImports writes the imports of names with their paths, and those for effects.
func (p *program) writeImports(b *strings.Builder, used map[string]string) {
	b.WriteString("import (\n")
	for _, name := range slices.Sorted(maps.Keys(used)) {
		fmt.Fprintf(b, "\t%s %q\n", name, used[name])
	}
	for _, path := range p.blank {
		fmt.Fprintf(b, "\t_ %q\n", path)
	}
	for _, path := range p.dot {
		fmt.Fprintf(b, "\t. %q\n", path)
	}
	b.WriteString(")\n\n")
}

func (p *part) isMain() bool {
	return p.kind == function && p.recv == "" && p.names[0].string == "main"
}

// write writes one chunk and remembers where. Offsets in its text stay those of the cell, but for the edits.
func (p *program) write(b *strings.Builder, c *chunk) {
	from := 0
	if c.kind == variable && !c.local && !c.own && c.record != nil {
		from = c.rhs
		b.WriteString(p.place(c, 0) + c.record.before() + p.place(c, from))
	} else if c.declared != "" {
		var names []string
		for _, n := range c.names {
			names = append(names, n.string)
		}
		from = c.rhs
		b.WriteString(p.place(c, 0) + strings.Join(names, ", ") + " = " + p.place(c, from))
	} else if c.kind == variable && !c.local {
		names := make([]string, len(c.names))
		for i, n := range c.names {
			names[i] = p.rename(c, n)
		}
		from = c.value
		b.WriteString(p.place(c, 0) + "var " + strings.Join(names, ", ") + " " + p.place(c, from))
	} else {
		if c.kind == variable && !c.short {
			b.WriteString("var ")
		}
		b.WriteString(p.place(c, 0))
	}
	text := c.text[from:]
	if from > 0 && from == c.value && c.short {
		text = " =" + text[2:]
	}
	edits := slices.Clone(c.edits)
	switch {
	case c.kind == constant || c.kind == typed:
		for _, n := range c.names {
			edits = append(edits, edit{n.at, len(n.string), pad(p.rename(c, n), n.string)})
		}
	case c.kind == function && c.initialises():
		edits = append(edits, edit{c.names[0].at, len(c.names[0].string), pad("init", c.names[0].string)})
	}
	c.start = b.Len() - from
	slices.SortStableFunc(edits, func(x, y edit) int { return x.at - y.at })
	for _, e := range edits {
		b.WriteString(text[:e.at-from])
		b.WriteString(e.text)
		text, from = text[e.at-from+e.drop:], e.at+e.drop
	}
	b.WriteString(text)
	if c.record != nil {
		b.WriteString(c.record.after(c))
	}
	b.WriteString("\n")
}

// rename is a name of a chunk, or _ if this cell or a later one than the chunk's defines it anew.
func (p *program) rename(c *chunk, n name) string {
	if c.own {
		return n.string
	}
	if d, _ := p.s.lookup(n.string, p.entry); d != c.def || p.own[n.string] != nil && !p.own[n.string].local {
		return "_"
	}
	return n.string
}

// pad is a text as long as another.
func pad(text, other string) string { return text + strings.Repeat(" ", max(0, len(other)-len(text))) }

// place tells Go's tools where in a cell the text of a chunk comes from.
func (p *program) place(c *chunk, offset int) string {
	if p.bare {
		return ""
	}
	line, column := position(c.entry.script.text, c.from+offset)
	return fmt.Sprintf("/*line cell %d:%d:%d*/", c.entry.number, line, column)
}
