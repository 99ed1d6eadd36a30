package viz

import "fmt"

// uniqueNames returns names that all differ, also from those that are taken: the second of a name gets " (2)". The
// legend has an entry for each name, so two things of one name would share an entry, in the colour of one of them.
func uniqueNames(names []string, taken ...string) []string {
	used, given := map[string]bool{}, map[string]bool{}
	for _, name := range taken {
		used[name] = true
	}
	for _, name := range names {
		given[name] = true
	}
	out := make([]string, len(names))
	for k, name := range names {
		own := name
		for n := 2; used[own] || own != name && given[own]; n++ {
			own = fmt.Sprintf("%s (%d)", name, n)
		}
		used[own] = true
		out[k] = own
	}
	return out
}

// uniqueLines gives lines names that differ. Lines of one name that were given the same colour and stroke are one
// thing, such as the draws of a method.
func uniqueLines(lines []Line) {
	type look struct {
		name  string
		style LineStyle
	}
	first := map[look]int{}
	var names []string
	place := make([]int, len(lines))
	for k, l := range lines {
		is := look{clean(l.Name), LineStyle{Color: l.Color, Dashed: l.Dashed}}
		if at, same := first[is]; same && l.Color != (Line{}).Color {
			place[k] = at
			continue
		}
		place[k] = len(names)
		first[is] = place[k]
		names = append(names, clean(l.Name))
	}
	names = uniqueNames(names)
	for k := range lines {
		lines[k].Name = names[place[k]]
	}
}

// uniqueMethods gives methods names that differ, and those without a name a number.
func uniqueMethods(methods []Method, taken ...string) []Method {
	names := make([]string, len(methods))
	for k, m := range methods {
		names[k] = clean(m.Name)
		if names[k] == "" && len(methods) > 1 {
			names[k] = fmt.Sprintf("method %d", k+1)
		}
	}
	names = uniqueNames(names, taken...)
	out := make([]Method, len(methods))
	for k, m := range methods {
		out[k] = m
		out[k].Name = names[k]
	}
	return out
}
