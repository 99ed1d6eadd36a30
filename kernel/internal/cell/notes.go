package cell

import (
	"fmt"
	"slices"
	"strings"
)

// note adds a note, unless the session has given one with this key.
func (p *Program) note(key, text string, s *Session) {
	if !s.noted[key] {
		p.Notes, p.noted = append(p.Notes, text), append(p.noted, key)
	}
}

// notes adds one note for all names that another cell has defined, once a name. The note also says which variables
// follow the new definitions.
func (s *Session) notes(e *entry, p *Program) {
	s.taken(e, p)
	s.ignored(e, p)
	s.modules(e, p)
	var again, follow, former []string
	for _, d := range e.defs {
		for _, n := range d.kept() {
			old, _ := s.lookup(n, e)
			if old == nil || d.recv != "" || d.kind == imports || n == "err" || n == "ok" || s.noted[n] {
				continue
			}
			p.noted = append(p.noted, n)
			again = append(again, fmt.Sprintf("%s of cell %d", n, old.entry.number))
			if d.kind == variable {
				follow = append(follow, s.followers(n, e)...)
			}
			if d.kind == typed {
				former = append(former, s.holders(n, e)...)
			}
		}
	}
	if len(again) == 0 {
		return
	}
	name, cell, _ := strings.Cut(again[0], " of ")
	note := fmt.Sprintf("%s was defined in %s too: this one counts from now on", name, cell)
	if len(again) > 1 {
		note = strings.Join(again, ", ") + " are defined anew: these count from now on"
	}
	if slices.Sort(follow); len(follow) > 0 {
		it := map[bool]string{true: "it", false: "them"}[len(again) == 1]
		note += ", and " + strings.Join(slices.Compact(follow), ", ") + " will follow " + it
	}
	if slices.Sort(former); len(former) > 0 {
		note += ". What is of the former type has to be run again: " + strings.Join(slices.Compact(former), ", ")
	}
	p.Notes = append(p.Notes, note)
}

// holders names the variables of other cells that have been changed, and have values of a type that is defined anew.
func (s *Session) holders(name string, e *entry) (all []string) {
	for _, other := range s.entries {
		for _, d := range other.defs {
			for _, n := range d.kept() {
				latest, _ := s.lookup(n, e)
				if _, of := idents(d.types[n])[name]; of && latest == d && len(d.versions[n]) > 0 {
					all = append(all, fmt.Sprintf("%s of cell %d", n, other.number))
				}
			}
		}
	}
	return all
}

// followers names the variables of other cells that are computed from a name, and are computed again.
func (s *Session) followers(name string, e *entry) (all []string) {
	for _, other := range s.entries {
		for _, d := range other.defs {
			now := slices.DeleteFunc(d.kept(), func(n string) bool {
				latest, _ := s.lookup(n, e)
				return latest != d || len(d.versions[n]) > 0 ||
					slices.ContainsFunc(e.defs, func(own *def) bool { return own.defines(n) })
			})
			if d.kind == variable && len(now) > 0 && s.follows(d, name, e, func(string) bool { return false }) {
				all = append(all, fmt.Sprintf("%s of cell %d", strings.Join(now, ", "), other.number))
			}
		}
	}
	return all
}
