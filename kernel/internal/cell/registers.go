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

// packages collects the variables of packages with which programs compare, because every program has its own ones: the
// errors of the packages that it imports, and the pointers that its code mentions.
func (k *checked) packages(reached map[*chunk]bool, used map[string]string) {
	found := map[string]*types.Var{}
	note := func(obj types.Object) {
		if v, is := obj.(*types.Var); is && v.Exported() && v.Pkg() != k.pkg && v.Parent() == v.Pkg().Scope() {
			found[v.Pkg().Path()+"."+v.Name()] = v
		}
	}
	only := map[string]string{}
	for _, path := range used {
		for _, expression := range singletons[path] {
			q := k.qualifier(packageAt(path), used) + "."
			only[path+"."+strings.TrimSuffix(expression, "()")] = q + arguments.ReplaceAllString(expression, "("+q)
		}
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
			obj := k.info.Uses[id]
			k.unsafe = k.unsafe || obj != nil && obj.Pkg() == types.Unsafe && slices.Contains(looks, id.Name)
			if obj != nil && namedOf(obj.Type()) != nil {
				if _, is := obj.Type().(*types.Pointer); is || isError(obj.Type()) {
					note(obj)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		v := found[name]
		k.shared = append(k.shared, fmt.Sprintf("%q, %s.%s", name, k.qualifier(v.Pkg(), used), v.Name()))
	}
	for _, name := range slices.Sorted(maps.Keys(only)) {
		k.shared = append(k.shared, strconv.Quote(name)+", "+only[name])
	}
}

// arguments is where the argument of an expression begins.
var arguments = regexp.MustCompile(`\(\b`)

// singletons are expressions by packages, of which every program has one value, and that no exported variable has.
var singletons = map[string][]string{"log": {"Default()"},
	"hash/crc32": {"MakeTable(IEEE)", "MakeTable(Castagnoli)"}, "hash/crc64": {"MakeTable(ISO)", "MakeTable(ECMA)"}}

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

func quoted(all []string) (texts []string) {
	for _, text := range all {
		texts = append(texts, strconv.Quote(text))
	}
	return texts
}

// led reports whether a variable that is kept leads to a variable of a package.
func (p *program) led(name string) bool {
	for _, g := range p.memory().Groups {
		if slices.Contains(g.Shared, name) {
			return true
		}
	}
	return false
}

// pull takes the variables of other cells that lead to variables of the packages which the cell uses: after
// c := http.DefaultClient; c.Timeout = 5 other cells have the timeout too.
func (p *program) pull() {
	for _, g := range p.memory().Groups {
		for _, name := range g.Shared {
			path := name[:strings.LastIndexByte(name, '.')]
			d := p.leads(g)
			if d != nil && slices.Contains(slices.Collect(maps.Values(p.paths)), path) {
				p.pulled[d] = true
				p.add(d)
			}
		}
	}
}

// leads returns the definition of a variable that leads to a group and that no other cell has defined anew; nil if
// there is none.
func (p *program) leads(g *keep.Group) *def {
	for _, e := range p.s.entries {
		for _, d := range e.defs {
			for _, n := range d.kept() {
				if now, _ := p.s.lookup(n, p.entry); now == d && slices.Contains(g.Roots, d.key(n)) {
					return d
				}
			}
		}
	}
	return nil
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

// qualifier returns the name of a package in the types that a program writes, and adds its import to used. The
// program's own package needs no name. Definitions keep their types as text, so a name means one package in the
// complete session: math/rand and math/rand/v2 have two.
func (k *checked) qualifier(pkg *types.Package, used map[string]string) string {
	if pkg == k.pkg {
		return ""
	}
	name := "main_" + strings.Map(letters, pkg.Name())
	if k.s.paths == nil {
		k.s.paths = maps.Clone(ownPaths)
	}
	for k.s.paths[name] != "" && k.s.paths[name] != pkg.Path() {
		name += "_"
	}
	k.s.paths[name], used[name] = pkg.Path(), pkg.Path()
	return name
}

// ownPaths are the packages that the text around cells uses, by their names there.
var ownPaths = map[string]string{"main_flag": "flag", "main_fmt": "fmt", "main_input": inputPath, "main_keep": keepPath,
	"main_os": "os", "main_reflect": "reflect", "main_runtime": "runtime", "main_strings": "strings",
	"main_time": "time", "main_viz": vizPath}

// letters leaves of a name what can be in a name of Go.
func letters(r rune) rune {
	if r == '-' || r == '.' {
		return '_'
	}
	return r
}
