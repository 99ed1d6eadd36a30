package cell

import (
	"go/types"
	"slices"
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
