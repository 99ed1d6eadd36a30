package front

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// nameOf returns the name by which code uses a package of Go's library.
func nameOf(pkg string) string {
	if base := path.Base(pkg); majorVersion.MatchString(base) {
		return path.Base(path.Dir(pkg))
	}
	return path.Base(pkg)
}

func importable(pkg string) bool {
	return !strings.Contains("/"+pkg+"/", "/internal/") && !strings.Contains("/"+pkg, "/vendor/") && pkg != "unsafe" &&
		!slices.ContainsFunc(programs[2:], func(p string) bool {
			return libraryPath+strings.TrimPrefix(p, "./") == pkg
		})
}

// rank orders packages of the same name: first the library's, then Go's other than crypto, then Go's crypto, then
// others.
func rank(pkg string) int {
	first, _, _ := strings.Cut(pkg, "/")
	switch {
	case strings.HasPrefix(pkg, libraryPath):
		return 0
	case !strings.Contains(first, ".") && !strings.HasPrefix(pkg, "crypto/"):
		return 1
	case !strings.Contains(first, "."):
		return 2
	}
	return 3
}

// Find returns the path of the first package of a name that has all the members, or of the first with this name if none
// has them all.
func (p *packages) Find(name string, members []string) string {
	if len(members) == 0 {
		return ""
	}
	p.mu.Lock()
	paths := slices.Clone(p.names[name])
	p.mu.Unlock()
	for _, pkg := range paths {
		found, err := p.Import(pkg)
		if err == nil && !slices.ContainsFunc(members,
			func(m string) bool { return m != "" && found.Scope().Lookup(m) == nil }) {
			return pkg
		}
	}
	if len(paths) > 0 {
		return paths[0] // Go then says which member is missing
	}
	return ""
}

// First returns the path of the package that code means by a name, whatever its members are; "" if there is none.
func (p *packages) First(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if paths := p.names[name]; len(paths) > 0 {
		return paths[0]
	}
	return ""
}

// Names returns the names of all packages that were listed.
func (p *packages) Names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Keys(p.names))
}
