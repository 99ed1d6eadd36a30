package cell

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/expfam/lab/kernel/keep"
)

// keepPath is the package by which programs keep values.
const keepPath = "github.com/expfam/lab/kernel/keep"

// recordOf returns how the values of a definition are kept; nil if none of them can be. It leaves out variables that
// the program does not need, if needed is not nil.
func (k *checked) recordOf(c *chunk, needed map[types.Object]bool) *record {
	if k.s.Values == "" || c.kind != variable || k.legacy && c.local {
		return nil
	}
	how, able, key := &record{}, false, ""
	for _, n := range c.names {
		name := k.rename(c, n)
		if c.own && slices.Contains(c.lost, n.string) {
			name = "_"
		}
		obj := k.object(c, n)
		if obj == nil || needed != nil && !needed[obj] {
			name = "_"
		}
		if name != "_" && !keepable(obj.Type()) {
			if !c.own {
				return nil
			}
			name = "_"
		}
		var t types.Type
		file := ""
		if name != "_" {
			t, able = obj.Type(), true
			if key == "" {
				key = k.key(c.def)
			}
			file = c.file(k.s, n.string, key+"-"+n.string)
		}
		how.names, how.of, how.files = append(how.names, name), append(how.of, t), append(how.files, file)
		how.watch = append(how.watch, false)
	}
	if !able {
		return nil
	}
	return how
}

// file returns the name of the file with the newest value of a variable: of the last version that was written, or that
// could not be kept, or else the one for the value that its definition computes.
func (d *def) file(s *Session, name, first string) string {
	for _, file := range slices.Backward(d.versions[name]) {
		if _, err := keep.Look(s.Values, file); err == nil || keep.Why(s.Values, file) != "" {
			return file
		}
	}
	return first
}

// computed reports whether the values of a variable are more than what is written down in its definition.
func (k *checked) computed(c *chunk) bool { return c.kind == variable && c.rhs > 0 && !k.plain(c) }

// kept reports whether the files of a record have the values.
func (k *checked) kept(how *record) bool {
	for i, name := range how.names {
		if name != "_" {
			if _, err := keep.Look(k.s.Values, how.files[i]); err != nil {
				return false
			}
		}
	}
	return true
}

// stored reports whether all values of another cell's definition are kept.
func (p *program) stored(d *def) bool {
	if p.s.Values == "" || d.kind != variable || len(d.types) == 0 || slices.ContainsFunc(d.kept(),
		func(name string) bool {
			return slices.Contains(p.entry.script.again, name)
		}) {
		return false
	}
	key := ""
	for _, name := range d.kept() {
		if key == "" && len(d.versions[name]) == 0 {
			key = p.key(d)
		}
		if _, err := keep.Look(p.s.Values, d.file(p.s, name, key+"-"+name)); err != nil {
			return false
		}
	}
	return len(d.kept()) > 0
}

// gone refuses a definition that no program can compute again, if its values are not kept.
func (p *program) gone() error {
	for _, c := range p.chunks {
		if c.own || c.stored || !slices.ContainsFunc(c.kept(), func(name string) bool { return c.only[name] }) {
			continue
		}
		k := &checked{program: p}
		if err := k.lost(c); err != nil {
			return err
		}
	}
	return nil
}

// recall finds the definitions of other cells whose values were kept. The program loads these, and needs nothing of
// what they were computed from. Of a definition of several variables, those count that the program needs.
func (k *checked) recall() {
	whole := map[*chunk]bool{}
	for _, c := range k.chunks {
		if !c.own && c.kind == variable && !k.again(c) {
			how := k.recordOf(c, nil)
			whole[c] = how != nil && k.kept(how)
		}
	}
	needed := map[types.Object]bool{}
	for _, c := range k.chunks {
		if whole[c] {
			continue
		}
		for _, id := range k.in(c) {
			if obj := k.info.Uses[id]; obj != nil {
				needed[obj] = true
			}
		}
	}
	if k.exec != nil {
		name, _ := k.exec.root()
		needed[k.pkg.Scope().Lookup(name)] = true
	}
	for _, c := range k.chunks {
		if c.own || c.kind != variable {
			continue
		}
		if k.again(c) {
			if c.record = k.recordOf(c, nil); c.record != nil {
				c.record.anew = true
			}
			continue
		}
		if how := k.recordOf(c, needed); how != nil && k.kept(how) {
			c.record, c.loaded = how, true
		} else if c.stored {
			c.record, c.loaded = k.recordOf(c, nil), true
		} else if how = k.recordOf(c, nil); how != nil && k.computed(c) {
			c.record = how
		}
	}
}

// again reports whether the cell asks by %again to compute a definition once more.
func (k *checked) again(c *chunk) bool {
	return !c.own && slices.ContainsFunc(c.names, func(n name) bool {
		return slices.Contains(k.entry.script.again, n.string) && k.rename(c, n) != "_"
	})
}

// keep decides which definitions of a program have their values kept, and completes their records. changes are the
// places where variables may change. keep returns the variables of the cell whose values cannot be kept and may take
// long to compute.
func (k *checked) keep(reached map[*chunk]bool, used map[string]string, changes map[types.Object]change,
	prog *Program) (again []string) {
	for _, c := range k.chunks {
		if !reached[c] || c.kind != variable {
			c.record = nil
			continue
		}
		if c.own {
			c.record = k.recordOf(c, nil)
			again = append(again, k.long(c)...)
		}
		how := c.record
		if how == nil && !c.own && k.changesIn(c, changes) {
			how = k.recordOf(c, nil)
			c.record = how
		}
		if how == nil {
			continue
		}
		some := false
		for i, n := range c.names {
			if how.names[i] == "_" {
				continue
			}
			_, is := changes[k.object(c, n)]
			how.watch[i] = is || c.loaded && mutable(how.of[i], map[types.Type]bool{})
			if some = some || how.watch[i]; how.watch[i] {
				prog.watched = append(prog.watched, watched{c.def, n.string, how.files[i],
					keep.Version(how.files[i], k.version())})
			}
		}
		if !some && !k.computed(c) && !c.loaded {
			c.record = nil
			continue
		}
		c.written = !k.computed(c)
		for i, n := range c.names {
			if c.own && how.names[i] != "_" {
				prog.watched = append(prog.watched, watched{c.def, n.string, how.files[i], how.files[i]})
			}
		}
		k.written(c, used)
	}
	if len(k.former) > 0 {
		k.keeps, used["main_keep"] = true, keepPath
		maps.Copy(used, k.formerPaths)
	}
	if k.keeps {
		k.behind(used)
	}
	return again
}

// written completes the record of a definition with the types as the program writes them. A program that writes no type
// must not import its package either.
func (k *checked) written(c *chunk, used map[string]string) {
	writes := !c.own && (c.loaded || k.computes(c))
	for _, t := range c.record.of {
		text := ""
		if t != nil && writes {
			text = types.TypeString(t, func(pkg *types.Package) string { return k.qualifier(pkg, used) })
		}
		c.record.types = append(c.record.types, text)
	}
	k.keeps = true
	used["main_keep"] = keepPath
}

// version is the end of the names of files with the values that the program changes.
func (k *checked) version() string { return fmt.Sprint(k.entry.serial) }

// changesIn reports whether a variable of a definition may change.
func (k *checked) changesIn(c *chunk, changes map[types.Object]change) bool {
	return slices.ContainsFunc(c.names, func(n name) bool {
		_, is := changes[k.object(c, n)]
		return is && n.string != "_"
	})
}

// long returns the variables of a definition that cannot be kept and may take long to compute again.
func (k *checked) long(c *chunk) (all []string) {
	if !k.computed(c) {
		return nil
	}
	for _, n := range c.names {
		if n.string == "_" || slices.Contains(c.lost, n.string) {
			continue
		}
		if t := k.object(c, n).Type(); expensive(t) && !keepable(t) {
			all = append(all, n.string)
		}
	}
	return all
}

// behind collects the types that are behind interfaces in the values that the program loads.
func (k *checked) behind(used map[string]string) {
	for _, c := range k.chunks {
		if c.record == nil || !c.loaded {
			continue
		}
		for _, file := range c.record.files {
			info, _ := keep.Look(k.s.Values, file)
			for _, full := range info.Names {
				dot := strings.LastIndexByte(full, '.')
				text := full[dot+1:]
				if path := full[:dot]; path != "main" {
					pkg := k.qualifier(types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:]), used)
					text = fmt.Sprintf("main_reflect.TypeFor[%s.%s]()", pkg, text)
					if value := keep.Unnamed[full]; value != "" {
						text = fmt.Sprintf("main_reflect.TypeOf(%s.%s).Elem()", pkg, value)
					}
				} else if k.pkg.Scope().Lookup(text) == nil {
					continue
				} else {
					text = fmt.Sprintf("main_reflect.TypeFor[%s]()", text)
				}
				if !slices.Contains(k.kinds, text) {
					k.kinds = append(k.kinds, text)
				}
			}
		}
	}
	if len(k.kinds) > 0 {
		used["main_reflect"] = "reflect"
	}
}

// qualifier returns the name of a package in the types that a program writes, and adds its import to used. The
// program's own package needs no name.
func (k *checked) qualifier(pkg *types.Package, used map[string]string) string {
	if pkg == k.pkg {
		return ""
	}
	name := "main_" + strings.Map(letters, pkg.Name())
	for used[name] != "" && used[name] != pkg.Path() {
		name += "_"
	}
	used[name] = pkg.Path()
	return name
}

// behind returns the types of cells that are behind interfaces in the values that a definition's variables have.
func (s *Session) behind(d *def) (all []string) {
	for _, name := range d.kept() {
		info, _ := keep.Look(s.Values, d.file(s, name, d.first[name]))
		for _, full := range info.Names {
			if name, is := strings.CutPrefix(full, "main."); is {
				all = append(all, name)
			}
		}
	}
	return all
}

// letters leaves of a name what can be in a name of Go.
func letters(r rune) rune {
	if r == '-' || r == '.' {
		return '_'
	}
	return r
}

// key returns a hash of a definition and of everything that it needs. Functions, types and constants enter it by their
// text. Variables enter it by their text, their place in the cell and the number of the execution that defined them.
func (p *program) key(d *def) string {
	var parts []string
	p.visit(d, func(d *def) {
		text := d.text
		if d.kind == variable {
			text = fmt.Sprintf("%d:%d:%s", d.entry.serial, d.from, text)
		}
		parts = append(parts, text)
	})
	slices.Sort(parts)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:12])
}
