package keep

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// read reads the groups that roots lead to.
func (m *Memory) read(roots []root) (err error) {
	d := m.newDecoder()
	d.packages = m.shared
	var reading []string // variables
	defer func() {
		if r := recover(); r != nil {
			var is bool
			if err, is = r.(error); !is {
				err = fmt.Errorf("keep: %v", r)
			}
			if len(reading) > 0 {
				all := strings.Join(reading, ", ")
				err = fmt.Errorf("%s: %s: run the cell that defines %s again", all,
					strings.TrimPrefix(err.Error(), "keep: "), all)
			}
		}
	}()
	wanted := map[string]bool{}
	for _, r := range roots {
		kept, is := m.manifest.Roots[r.key]
		if !is || kept.Block == 0 {
			continue
		}
		if kept.Type != reference(r.of.of) {
			reading = namesOf(&Group{Roots: []string{r.key}})
			panic(fmt.Errorf("keep: the value of another cell has the type %s", kept.Type))
		}
		wanted[r.key] = true
		d.fixed[kept.Block] = r.p
	}
	var all []content
	var groups []*Group // of these
	for name, g := range m.manifest.Groups {
		if !slices.ContainsFunc(g.Roots, func(key string) bool { return wanted[key] }) {
			continue
		}
		m.groups[g] = true
		d.former = newFormer(g)
		reading = namesOf(g)
		data, err := os.ReadFile(filepath.Join(m.folder, name))
		if err != nil {
			panic(errGone)
		}
		if hash(data) != name {
			panic(errDamaged)
		}
		blocks := d.group(data)
		for _, c := range blocks {
			g.numbers = append(g.numbers, c.number)
		}
		all = append(all, blocks...)
		groups = append(groups, slices.Repeat([]*Group{g}, len(blocks))...)
	}
	for _, errors := range []bool{true, false} { // what stands for an error of a package is looked up when it is read
		for i, c := range all {
			if (c.of.of == reflect.TypeFor[told]()) == errors {
				reading = namesOf(groups[i])
				d.fill(c)
				m.loaded = append(m.loaded, c.block)
			}
		}
	}
	for _, r := range d.rebuild {
		if err := r.Rebuild(); err != nil {
			panic(err)
		}
	}
	slices.SortFunc(m.loaded, func(a, b *block) int { return cmp.Compare(uintptr(a.p), uintptr(b.p)) })
	return nil
}

// namesOf returns the variables that lead to a group, as people know them.
func namesOf(g *Group) (names []string) {
	for _, key := range g.Roots {
		_, name, _ := strings.Cut(key, ".")
		names = append(names, name)
	}
	return names
}

// hash returns the name of a file with some content.
func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
