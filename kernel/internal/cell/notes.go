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
// were computed from the former ones.
func (s *Session) notes(e *entry, p *Program) {
	s.taken(e, p)
	s.ignored(e, p)
	s.modules(e, p)
	var again, follow []string
	for _, d := range e.defs {
		for _, n := range d.kept() {
			old, _ := s.lookup(n, e)
			same := (n == "err" || n == "ok") && old != nil && old.types[n] == d.types[n]
			if old == nil || d.recv != "" || d.kind == imports || same || s.noted[n] {
				continue
			}
			p.noted = append(p.noted, n)
			again = append(again, fmt.Sprintf("%s of cell %d", n, old.entry.number))
			if d.kind == variable {
				follow = append(follow, s.followers(n, e)...)
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
		note += "; what was computed from the former value stays as it is: " +
			strings.Join(slices.Compact(follow), ", ")
	}
	p.Notes = append(p.Notes, note)
}

// followers names the variables of other cells that were computed from a name.
func (s *Session) followers(name string, e *entry) (all []string) {
	for _, other := range s.entries {
		for _, d := range other.defs {
			now := slices.DeleteFunc(d.kept(), func(n string) bool {
				latest, _ := s.lookup(n, e)
				return latest != d ||
					slices.ContainsFunc(e.defs, func(own *def) bool { return own.defines(n) })
			})
			if d.kind == variable && len(now) > 0 && !d.plain &&
				s.follows(d, name, e, func(string) bool { return false }) {
				all = append(all, fmt.Sprintf("%s of cell %d", strings.Join(now, ", "), other.number))
			}
		}
	}
	return all
}
