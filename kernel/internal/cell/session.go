package cell

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// Packages are the packages that cells may import.
type Packages interface {
	types.Importer
	// Find returns the path of the package that code means by a name, if the code selects the members from it; "" if
	// there is none.
	Find(name string, members []string) string
	// Names returns the names by which code can mean packages.
	Names() []string
}

// Session is what the cells of a notebook have defined, in the order in which they ran.
type Session struct {
	Packages Packages
	// Values is the folder of the image of memory, in which programs keep the values of variables; "" means that there
	// is none, as in a page, and values are computed again.
	Values string
	// Result is the path of a file to which programs write the text of the value at the end of their cell; "" means
	// standard output.
	Result string
	// Unrun returns a sentence about the cell that defines a name and did not run; "" if there is none. It is nil if
	// the notebook is not known.
	Unrun func(name string) string
	// Input says that the person can be asked for what a cell reads from standard input.
	Input   bool
	entries []*entry
	serial  int // number of the last execution
	// literals are the function literals that values may hold, by their names in the image of memory.
	literals map[string]*def
	paths    map[string]string // of packages by their names in the types that programs write
	noted    map[string]bool   // keys of the notes that were given: each is given once
}

// entry is one cell that was executed.
type entry struct {
	id     string
	serial int // number of the execution
	number int // number of the cell in what people read
	script script
	defs   []*def
	keeps  bool            // its program keeps the values of its variables
	stays  map[string]stay // variables that stay in the cell, each with the reason
}

// def is a definition that later cells may use.
type def struct {
	part
	entry *entry
	lost  []string          // those of its names that stay in the cell
	plain bool              // the values of its variables are written down in it
	types map[string]string // types of its variables, as Go writes them
	paths map[string]string // imports for these, paths by name

	literal  bool      // it is a function literal of a cell, for values that hold it
	literals []literal // those in its text
}

// stay says why other cells cannot have the value of a variable.
type stay struct {
	why  string // "changes in cell 3, line 2"
	help string // what to do
}

// kept returns the names that later cells may use.
func (d *def) kept() []string {
	var kept []string
	for _, n := range d.names {
		if n.string != "_" && !slices.Contains(d.lost, n.string) {
			kept = append(kept, n.string)
		}
	}
	return kept
}

func (d *def) defines(name string) bool { return d.recv == "" && slices.Contains(d.kept(), name) }

// same tells whether two entries are executions of one cell. No entry is the same as nil, which stands for no cell.
func (e *entry) same(other *entry) bool {
	return e == other || other != nil && e.id != "" && e.id == other.id
}

// lookup returns what a name means to a cell: its newest definition in another cell, or the reason why that cell's
// variable stays there. It returns nil for both if no other cell defines the name.
func (s *Session) lookup(name string, from *entry) (*def, *stay) {
	for _, e := range slices.Backward(s.entries) {
		if e.same(from) {
			continue
		}
		if why, is := e.stays[name]; is {
			return nil, &why
		}
		for _, d := range slices.Backward(e.defs) {
			if d.defines(name) {
				return d, nil
			}
		}
	}
	return nil, nil
}

// methods returns the methods of a type that other cells define, of each name the newest.
func (s *Session) methods(name string, from *entry) []*def {
	var found []*def
	has := map[string]bool{}
	for _, e := range slices.Backward(s.entries) {
		for _, d := range e.defs {
			if !e.same(from) && d.recv == name && !has[d.names[0].string] {
				has[d.names[0].string] = true
				found = append(found, d)
			}
		}
	}
	return found
}

// always returns the definitions of other cells that belong to every program: initialisers, and imports by a dot or for
// effects.
func (s *Session) always(from *entry) []*def {
	var found []*def
	for _, e := range s.entries {
		for _, d := range e.defs {
			if !e.same(from) && (d.initialises() || d.kind == imports &&
				(d.names[0].string == "_" || d.names[0].string == ".")) {
				found = append(found, d)
			}
		}
	}
	return found
}

// initialises reports whether the part is a function that GoNB calls before main.
func (p *part) initialises() bool {
	return p.kind == function && p.recv == "" && len(p.names) > 0 &&
		(p.names[0].string == "init" || strings.HasPrefix(p.names[0].string, "init_"))
}

// Commit adds the definitions of a program's cell to the session. They replace those of an earlier execution of the
// same cell.
func (s *Session) Commit(p *Program) {
	if p.entry == nil {
		return
	}
	before := len(s.entries)
	s.entries = slices.DeleteFunc(s.entries, func(e *entry) bool { return e.same(p.entry) })
	replaced := len(s.entries) < before
	s.entries = append(s.entries, p.entry)
	if s.noted == nil {
		s.noted = map[string]bool{}
	}
	for _, n := range p.noted {
		s.noted[n] = true
	}
	if replaced || s.serial%16 == 0 {
		s.sweep()
	}
}

// Variable is what a person wants to know of a variable.
type Variable struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Bytes int    `json:"bytes"` // 0 if its value is in no file
	Cell  int    `json:"cell"`  // number of the cell that defines it
	Words string `json:"words"` // the beginning of the value, or of the expression that computes it
}

// Variables returns the variables that cells can use, in the order in which they were defined.
func (s *Session) Variables() (all []Variable) {
	image := s.manifest()
	for _, e := range s.entries {
		for _, d := range e.defs {
			for _, n := range d.kept() {
				if now, _ := s.lookup(n, nil); d.kind != variable || now != d {
					continue
				}
				v := Variable{Name: n, Type: strings.ReplaceAll(d.types[n], "main_", ""), Cell: e.number,
					Words: strings.Join(strings.Fields(d.text[d.rhs:]), " ")}
				if root, is := image.Roots[d.key(n)]; is && root.Block > 0 {
					v.Bytes, v.Words = root.Bytes, root.Words
				}
				if letters := []rune(v.Words); len(letters) > mostLetters {
					v.Words = string(letters[:mostLetters-1]) + "…"
				}
				all = append(all, v)
			}
		}
	}
	return all
}

// mostLetters is how many letters of a value a list of variables has.
const mostLetters = 60

// List describes all definitions, one a line.
func (s *Session) List() string {
	var b strings.Builder
	for _, e := range s.entries {
		for _, d := range e.defs {
			kept := d.kept()
			if d.recv != "" {
				kept = []string{d.recv + "." + d.names[0].string}
			}
			kept = slices.DeleteFunc(kept, func(name string) bool {
				now, _ := s.lookup(name, nil)
				return d.recv == "" && now != d
			})
			if len(kept) > 0 {
				fmt.Fprintf(&b, "cell %d: %s\n", e.number, strings.Join(kept, ", "))
			}
		}
	}
	return b.String()
}

// Remove forgets names, and returns those of them that were defined.
func (s *Session) Remove(names []string) (removed []string) {
	for _, e := range s.entries {
		for _, d := range e.defs {
			for _, n := range d.kept() {
				key := n
				if d.recv != "" {
					key = d.recv + "." + n
				}
				if slices.Contains(names, key) || slices.Contains(names, strings.Replace(key, ".", "~", 1)) {
					d.lost = append(d.lost, n)
					removed = append(removed, key)
				}
			}
		}
		e.defs = slices.DeleteFunc(e.defs, func(d *def) bool {
			return len(d.names) > 0 && len(d.kept()) == 0 && d.kind != imports
		})
	}
	return removed
}

// Reset forgets everything.
func (s *Session) Reset() { s.entries, s.noted = nil, nil }
