package cell

import (
	"fmt"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expfam/lab/kernel/keep"
)

// keepPath is the package by which programs keep values.
const keepPath = "github.com/expfam/lab/kernel/keep"

// key is the name of a variable in the image of memory.
func (d *def) key(name string) string { return fmt.Sprintf("%d.%s", d.entry.serial, name) }

// manifest returns what the image of memory has. An image that cannot be read has nothing; the program then says why.
func (s *Session) manifest() *keep.Manifest {
	if s.Values == "" {
		return &keep.Manifest{}
	}
	m, _ := keep.Read(s.Values)
	return m
}

// memory returns what the image of memory has.
func (p *program) memory() *keep.Manifest {
	if p.image == nil {
		p.image = p.s.manifest()
	}
	return p.image
}

// stored reports whether the values of another cell's variables come from the image. The others are written down in
// their definitions, in a cell that had nothing to run, and no cell has used them.
func (p *program) stored(d *def) bool {
	if p.s.Values == "" || d.kind != variable || d.literal {
		return false
	}
	return !d.plain || d.entry.keeps || slices.ContainsFunc(d.kept(), func(name string) bool {
		_, is := p.memory().Roots[d.key(name)]
		return is
	})
}

// inTypes and inCodes match what types and functions of cells are called in an image.
var inTypes = regexp.MustCompile(`"main"\.(?:\(\*)?(\w+)`)

// inImage visits what the values of a variable lead to: literals of functions, and names of types and functions.
func (p *program) inImage(d *def, literal func(*def), name func(string)) {
	for _, g := range p.memory().Of(d.keys()...) {
		for _, text := range slices.Concat(g.Types, g.Codes) {
			if lit := p.s.literals[text]; lit != nil {
				literal(lit)
			}
			for _, found := range inTypes.FindAllStringSubmatch(text, -1) {
				name(found[1])
			}
		}
	}
}

// keys returns the names of a definition's variables in the image.
func (d *def) keys() (all []string) {
	for _, name := range d.kept() {
		all = append(all, d.key(name))
	}
	return all
}

// mentioned returns the variables of other cells that a program uses, by chunk.
func (k *checked) mentioned(reached map[*chunk]bool) map[*chunk][]string {
	used := map[types.Object]bool{}
	for c := range reached {
		if c.stored {
			continue
		}
		for _, id := range k.in(c) {
			if obj := k.info.Uses[id]; obj != nil {
				used[obj] = true
			}
		}
	}
	if k.exec != nil {
		name, _ := k.exec.root()
		used[k.pkg.Scope().Lookup(name)] = true
	}
	all := map[*chunk][]string{}
	for _, c := range k.chunks {
		if c.own || c.kind != variable || c.literal || !reached[c] {
			continue
		}
		for _, n := range c.names {
			if n.string != "_" && k.rename(c, n) != "_" && used[k.pkg.Scope().Lookup(n.string)] {
				all[c] = append(all[c], n.string)
			}
		}
	}
	return all
}

// remember has the program load the variables of other cells, and keep what it does to them and to its own. It refuses
// a variable of which no value is there.
func (k *checked) remember(reached map[*chunk]bool, used map[string]string, prog *Program) error {
	if k.s.Values == "" {
		return nil
	}
	k.mention = k.mentioned(reached)
	var keys []string
	for _, c := range k.chunks {
		for _, name := range k.mention[c] {
			root, is := k.memory().Roots[c.key(name)]
			if c.stored && (!is || root.Block == 0) {
				return k.missing(c, name, root.Why)
			}
			keys = append(keys, c.key(name))
			k.loads = append(k.loads, fmt.Sprintf("%q, &%s", c.key(name), name))
			prog.mentions = append(prog.mentions, name)
		}
		if c.own && c.kind == variable && !(k.legacy && c.local) && reached[c] && len(c.kept()) > 0 {
			k.keeps = true
		}
	}
	if k.keeps = k.keeps || len(keys) > 0; !k.keeps {
		return nil
	}
	used["main_keep"] = keepPath
	for _, c := range k.chunks {
		for _, name := range k.mention[c] {
			for of, path := range c.paths {
				if c.stored && strings.Contains(c.types[name], of+".") {
					used[of] = path
				}
			}
		}
	}
	k.registers(keys, reached, used)
	k.packages(reached, used)
	return nil
}

// packages collects the variables of packages with which programs compare, because every program has its own ones: the
// errors of the packages that it imports, and the pointers that its code mentions.
func (k *checked) packages(reached map[*chunk]bool, used map[string]string) {
	found := map[string]*types.Var{}
	note := func(obj types.Object) {
		if v, is := obj.(*types.Var); is && v.Exported() && v.Pkg() != k.pkg && v.Parent() == v.Pkg().Scope() {
			found[v.Pkg().Path()+"."+v.Name()] = v
		}
	}
	for _, path := range used {
		if pkg, err := k.s.Packages.Import(path); err == nil {
			for _, name := range pkg.Scope().Names() { // looking up all names would read the complete package
				if strings.HasPrefix(name, "Err") && isError(pkg.Scope().Lookup(name).Type()) {
					note(pkg.Scope().Lookup(name))
				}
			}
		}
	}
	for c := range reached {
		for _, id := range k.in(c) {
			if obj := k.info.Uses[id]; obj != nil && namedOf(obj.Type()) != nil {
				if _, is := obj.Type().(*types.Pointer); is {
					note(obj)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		v := found[name]
		k.shared = append(k.shared, fmt.Sprintf("%q, %s.%s", name, k.qualifier(v.Pkg(), used), v.Name()))
	}
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// registers collects what package keep has to know by name: the types of cells, and the types and functions that are
// behind interfaces and in variables of function types in the values that the program loads.
func (k *checked) registers(keys []string, reached map[*chunk]bool, used map[string]string) {
	kinds, codes := map[string]bool{}, map[string]string{}
	for _, c := range k.chunks {
		if c.kind != typed || !reached[c] {
			continue
		}
		for _, n := range c.names {
			t, is := k.pkg.Scope().Lookup(n.string).(*types.TypeName)
			if !is || t.IsAlias() || k.rename(c, n) == "_" {
				continue
			}
			if named, is := t.Type().(*types.Named); is && named.TypeParams().Len() == 0 && !isConstraint(t.Type()) {
				kinds[n.string] = true
			}
		}
	}
	for _, g := range k.memory().Of(keys...) {
		for _, name := range g.Types {
			if text := k.goSource(name, used); text != "" {
				kinds[text] = true
			}
			for _, path := range hiddenPath.FindAllStringSubmatch(name, -1) {
				if ours(path[1]) { // package kinds has the type
					k.blank = add(k.blank, path[1])
				}
			}
		}
		for _, name := range g.Codes {
			if lit := k.s.literals[name]; lit != nil {
				codes[name] = lit.names[0].string
			} else if text := k.goSource(name, used); text != "" {
				codes[name] = text
			}
		}
	}
	for _, text := range slices.Sorted(maps.Keys(kinds)) {
		used["main_reflect"] = "reflect"
		k.kinds = append(k.kinds, "main_reflect.TypeFor["+text+"]()")
	}
	for _, name := range slices.Sorted(maps.Keys(codes)) {
		k.codes = append(k.codes, strconv.Quote(name)+", "+codes[name])
	}
}

// isConstraint reports whether a type is an interface that only constrains type parameters.
func isConstraint(t types.Type) bool {
	i, is := t.Underlying().(*types.Interface)
	return is && !i.IsMethodSet()
}

// quotedPath matches the path of a package in a type of an image, and hiddenPath that of a type without a name here.
var quotedPath, hiddenPath = regexp.MustCompile(`"([^"]+)"\.(\(\*)?`), regexp.MustCompile(`!"([^"]+)"\.`)

// goSource returns a type or function of an image as Go source in this program; "" if it has no name here.
func (k *checked) goSource(name string, used map[string]string) string {
	if strings.HasPrefix(name, "cell ") || strings.Contains(name, "!") {
		return ""
	}
	known := true
	text := quotedPath.ReplaceAllStringFunc(name, func(quoted string) string {
		path, star, _ := strings.Cut(quoted[1:], `".`) // of a method of a pointer, Go writes the star first
		if path == "main" {
			return star
		}
		return star + k.qualifier(packageAt(path), used) + "."
	})
	for _, found := range inTypes.FindAllStringSubmatch(name, -1) {
		known = known && k.pkg.Scope().Lookup(found[1]) != nil
	}
	if !known {
		return ""
	}
	return text
}

func add(all []string, x string) []string {
	if slices.Contains(all, x) || !importable(x) {
		return all
	}
	return append(all, x)
}

// packageAt returns a package of a path, for its name.
func packageAt(path string) *types.Package {
	return types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
}

// missing refuses a variable of another cell of which no value is there.
func (k *checked) missing(c *chunk, name, why string) error {
	text := fmt.Sprintf("%s of cell %d has no value, because the program of its cell ended before it was kept", name,
		c.entry.number)
	help := fmt.Sprintf("run cell %d again", c.entry.number)
	if why != "" {
		text = fmt.Sprintf("%s of cell %d cannot be kept, because %s", name, c.entry.number, why)
		help = fmt.Sprintf("take what you need of %s in the cell that makes it, as numbers, texts, slices or structs, "+
			"or use it there", name)
	}
	return Problems{k.useOf(c, name, text).with(help)}
}

// useOf returns a problem at the first place where the cell uses a variable of another cell.
func (k *checked) useOf(c *chunk, name, text string) Problem {
	p := Problem{Cell: k.entry.number, Text: text}
	obj := k.pkg.Scope().Lookup(name)
	for _, id := range k.idents {
		if own := k.chunkAt(k.offset(id.Pos())); own != nil && own.own && k.info.Uses[id] == obj {
			at := k.files.Position(id.Pos())
			p.Line, p.Column, p.Source = at.Line, at.Column, lineOf(k.entry.script.text, at.Line)
			break
		}
	}
	return p
}

// keeper returns the declarations at the beginning of a program by which it has the values of other cells.
func (p *program) keeper() string {
	var b strings.Builder
	fmt.Fprintf(&b, "var main_kept = main_keep.Open(%q, %d)", p.s.Values, p.entry.serial)
	for _, of := range []struct {
		method string
		all    []string
	}{{"Types", p.kinds}, {"Functions", p.codes}, {"Packages", p.shared}, {"Load", p.loads}} {
		if len(of.all) > 0 {
			fmt.Fprintf(&b, ".%s(%s)", of.method, strings.Join(of.all, ", "))
		}
	}
	b.WriteString("\n\n")
	for _, c := range p.chunks {
		for _, name := range p.mention[c] {
			if c.stored {
				fmt.Fprintf(&b, "%svar %s %s\n", p.place(c, 0), name, c.types[name])
			}
		}
	}
	return b.String()
}

// defines returns the statement behind a definition of the cell, by which the program keeps its variables.
func (p *program) defines(c *chunk) string {
	if !p.keeps || !c.own || c.kind != variable || p.legacy && c.local {
		return ""
	}
	var all []string
	for _, name := range c.kept() {
		all = append(all, fmt.Sprintf("%q, &%s", c.key(name), name))
	}
	switch text := fmt.Sprintf("main_kept.Define(%s)", strings.Join(all, ", ")); {
	case len(all) == 0:
		return ""
	case c.local || c.declared != "":
		return "; " + text
	default:
		return "\nfunc init() { " + text + " }"
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

// letters leaves of a name what can be in a name of Go.
func letters(r rune) rune {
	if r == '-' || r == '.' {
		return '_'
	}
	return r
}
