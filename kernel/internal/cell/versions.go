package cell

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
)

// watched is a variable whose value may have changed when a program ends.
type watched struct {
	def       *def
	name      string
	file, new string // names of its file before the program, and of the one that the program writes then
}

// written has the definition of a watched variable know the file that the program writes.
func (w watched) written() {
	if w.def.versions == nil {
		w.def.versions, w.def.first = map[string][]string{}, map[string]string{}
	}
	if w.file == w.new || w.def.first[w.name] == "" && versionOf(w.file) == 0 {
		w.def.first[w.name] = w.file
	}
	if w.file == w.new {
		return
	}
	all := slices.DeleteFunc(w.def.versions[w.name], func(file string) bool { return file == w.file || file == w.new })
	w.def.versions[w.name] = append(all, w.file, w.new)
}

// mostVersions is how many former values of a variable are kept, for what is computed again from them.
const mostVersions = 8

// prune removes the files of all but the newest versions of a variable.
func (s *Session) prune(d *def, name string, most int) {
	all := d.versions[name]
	for len(all) > most {
		if s.Values != "" && all[0] != d.first[name] {
			os.Remove(filepath.Join(s.Values, all[0]))
		}
		all = all[1:]
	}
	d.versions[name] = all
}

// alteration is a change of another cell's variable.
type alteration struct {
	def         *def
	name, where string
}

// changed notes for each variable that a program of this session changes for certain where that was.
func (d *def) changed(name, where string) {
	if d.altered == nil {
		d.altered, d.only = map[string]string{}, map[string]bool{}
	}
	d.altered[name] = cmp.Or(d.altered[name], where)
}
