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

// notes adds a note for each name that two cells define, once a name. The note also says which variables follow the new
// definition.
func (s *Session) notes(e *entry, p *Program) {
	s.taken(e, p)
	s.ignored(e, p)
	s.modules(e, p)
	for _, d := range e.defs {
		for _, n := range d.kept() {
			old, _ := s.lookup(n, e)
			if old == nil || d.recv != "" || d.kind == imports || n == "err" || n == "ok" {
				continue
			}
			note := fmt.Sprintf("%s was defined in cell %d too: this one counts from now on", n, old.entry.number)
			if d.kind == variable {
				note += s.followers(n, e)
			}
			p.note(n, note, s)
		}
	}
}

// followers returns the end of a note, which names the variables of other cells that are computed from a name; "" if
// there are none.
func (s *Session) followers(name string, e *entry) string {
	var all []string
	for _, other := range s.entries {
		for _, d := range other.defs {
			now := slices.DeleteFunc(d.kept(), func(n string) bool { latest, _ := s.lookup(n, e); return latest != d })
			if d.kind == variable && len(now) > 0 && s.follows(d, name, e, func(string) bool { return false }) {
				all = append(all, fmt.Sprintf("%s of cell %d", strings.Join(now, ", "), other.number))
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", and " + strings.Join(all, ", ") + " will follow it"
}
