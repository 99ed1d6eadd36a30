package cell

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/expfam/lab/kernel/keep"
)

// chunk is a definition or a statement as a part of a program.
type chunk struct {
	*def
	local bool // stands in the body of main
	own   bool // belongs to the cell that is translated, not to another cell
	moved bool // a variable of the cell that left main, because a function outside of main uses it
	// declared is, for a variable that moved, its declaration outside of main, where main assigns the value; "" if the
	// value is computed outside as well.
	declared string
	edits    []edit // changes of its text
	stored   bool   // its values are in the image of memory, and what computes them is left out
	start    int    // place in the program of byte 0 of its text, also where the beginning of the text is not written
}

// edit replaces drop bytes at an offset of a chunk's text by another text.
type edit struct {
	at, drop int
	text     string
}

// program is a cell with the definitions of other cells that it needs. render writes it as one Go program.
type program struct {
	s       *Session
	entry   *entry
	chunks  []*chunk            // in the order in which they are written, except that the body of main is written last
	own     map[string]*chunk   // the cell's own definitions by name
	have    map[*def]bool       // definitions of other cells that were taken
	paths   map[string]string   // paths of imports by name
	blank   []string            // paths of imports for their effects
	dot     []string            // paths of imports by a dot
	foreign map[string][]string // names that may be packages, each with the members that the code selects from it
	stays   map[string]stay     // variables of other cells that the cell uses but cannot have, each with the reason
	legacy  bool                // the cell has a line %%
	imports []*def              // imports that the cell declares
	exec    *call               // the function that %exec calls; nil for none
	shows   bool                // calls main_show
	fails   bool                // calls main_fail
	waits   bool                // calls main_left
	bare    bool                // written without the line comments of place

	image   *keep.Manifest      // what the image of memory has; nil before somebody asks
	keeps   bool                // keeps values
	unsafe  bool                // uses package unsafe
	mention map[*chunk][]string // variables of other cells that it uses
	loads   []string            // their arguments of Load of package keep
	kinds   []string            // arguments of Types
	codes   []string            // arguments of Functions
	shared  []string            // arguments of Packages
	said    []string            // variables of packages of which a note says that they are for this cell alone
	pulled  map[*def]bool       // variables of other cells that lead to a variable of a package which the cell uses
	marked  int                 // number of function literals that values may hold
}

// compose collects the parts of a cell and the definitions of other cells that they need.
func (s *Session) compose(e *entry, parts []part, legacy bool) *program {
	p := &program{s: s, entry: e, own: map[string]*chunk{}, have: map[*def]bool{}, paths: map[string]string{},
		pulled: map[*def]bool{}, foreign: map[string][]string{}, stays: map[string]stay{}, legacy: legacy,
		exec: e.script.exec}
	// as in any file with a main, variables stand outside of it
	own := slices.ContainsFunc(parts, func(p part) bool { return p.isMain() })
	for i := range parts {
		c := &chunk{def: &def{part: parts[i], entry: e}, own: true}
		if c.kind == imports {
			p.imported(c.def)
			p.imports = append(p.imports, c.def)
			continue
		}
		c.local = c.kind == statement || c.kind == variable && !own && !(legacy && c.from < e.script.main)
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
	if p.exec != nil {
		p.need(p.exec.root())
	}
	return p
}

// needs adds the definitions that a chunk outside of main uses.
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

// need adds the definition of a name that is used outside of main. A variable of the cell itself leaves main for that.
func (p *program) need(name string, members []string) {
	c := p.own[name]
	if c == nil {
		p.fromOthers(name, members)
		return
	}
	if c.local && c.kind == variable && ofGo(name) {
		return // outside of main the name means what Go means
	}
	if c.local {
		c.local, c.moved = false, true
		p.needs(c)
	}
}

// fromOthers adds the definition that a name has in another cell. If there is none, it notes why the name stays in its
// cell, or that the name may be a package.
func (p *program) fromOthers(name string, members []string) {
	if p.paths[name] != "" {
		return
	}
	if taken, is := strings.CutPrefix(name, behindName); is {
		p.paths[name] = p.s.packageOf(taken)
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
	c := &chunk{def: d, stored: p.stored(d)}
	p.chunks = append(p.chunks, c)
	if !c.stored {
		p.needs(c)
	} else {
		for name := range d.types {
			for of := range idents(d.types[name]) {
				p.need(of, nil)
			}
		}
		maps.Copy(p.paths, d.paths)
	}
	if d.kind == variable && !d.literal {
		p.inImage(d, p.add, func(name string) { p.need(name, nil) })
	}
}

// addMethods adds the methods of a type that other cells declare, except those that the cell declares itself.
func (p *program) addMethods(name string) {
	for _, d := range p.s.methods(name, p.entry) {
		taken := slices.ContainsFunc(p.chunks, func(c *chunk) bool {
			return c.own && c.recv == name && c.names[0].string == d.names[0].string
		})
		if !taken {
			p.add(d)
		}
	}
}

// imported adds an import to those by name, by a dot or for effects.
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
