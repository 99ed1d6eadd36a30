package viz

import (
	"cmp"
	"math"
	"slices"
)

// joinAntimeridian gives rings in degrees turns of 360°, so that the map is as narrow as possible: it begins at the
// eastern end of the widest gap between longitudes. Most corners stay where they are.
func (r *regions) joinAntimeridian() {
	type span struct{ west, east float64 }
	rings := slices.Concat(r.rings...)
	of, all := make([]span, len(rings)), make([]span, len(rings))
	for i, ring := range rings {
		w := windowOf(ring)
		west := math.Mod(w.XMin+720, 360)
		of[i], all[i] = span{w.XMin, w.XMax}, span{west, west + w.XMax - w.XMin}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.west, b.west) })
	start, widest, end := all[0].west, -1.0, all[0].east
	for _, s := range all {
		end = max(end, s.east-360) // what reaches over the end of the circle covers its beginning
	}
	for k := 1; k <= len(all); k++ {
		next := all[0].west + 360
		if k < len(all) {
			next = all[k].west
		}
		if next-end > widest {
			start, widest = math.Mod(next, 360), next-end
		}
		if k < len(all) {
			end = max(end, all[k].east)
		}
	}
	if whole := r.around(); whole.XMax-whole.XMin <= 360-widest+1e-9 {
		return // it is that narrow as it is
	}
	turns, corners, usual := make([]float64, len(rings)), map[float64]int{}, 0.0
	for i, ring := range rings {
		turns[i] = math.Ceil((start - 1e-9 - of[i].west) / 360)
		if corners[turns[i]] += len(ring); corners[turns[i]] > corners[usual] {
			usual = turns[i]
		}
	}
	for i, ring := range rings {
		for k := range ring {
			ring[k][0] += 360 * (turns[i] - usual)
		}
	}
}

// Islands are moored if they are farther from the main part of the map than farAway of its longer side, smaller than
// smaller of it, and if the map would otherwise be longer by the factor longer.
const (
	farAway = 0.55
	smaller = 0.4
	longer  = 1.25
)

// islandGroup is a group of rings that lie near each other.
type islandGroup struct {
	Window
	rings [][][2]float64
}

// dockIslands puts groups of islands that are far from all others into frames below the map, reduced if they are larger
// than a third of it.
func (r *regions) dockIslands() {
	var all []islandGroup
	for _, rings := range r.rings {
		for _, ring := range rings {
			all = append(all, islandGroup{windowOf(ring), [][][2]float64{ring}})
		}
	}
	whole := r.around()
	near := 0.15 * max(whole.XMax-whole.XMin, (whole.YMax-whole.YMin)*r.aspect)
	all = r.mergeGroups(all, near)
	size := func(f islandGroup) float64 { return (f.XMax - f.XMin) * (f.YMax - f.YMin) }
	slices.SortStableFunc(all, func(a, b islandGroup) int { return cmp.Compare(size(b), size(a)) })
	home := all[0]
	wide, high := home.XMax-home.XMin, home.YMax-home.YMin
	if len(all) == 1 || whole.XMax-whole.XMin <= longer*wide && whole.YMax-whole.YMin <= longer*high {
		return
	}
	const most = 8 // frames; beyond them the map is of islands, and each is where it is
	var away []islandGroup
	for _, f := range all[1:] {
		if gap := home.apart(f.Window, r.aspect); gap > farAway*max(home.XMax-home.XMin,
			(home.YMax-home.YMin)*r.aspect) &&
			size(f) < smaller*size(home) && home.Window.union(f.Window).longerThan(home.Window, longer) {
			away = append(away, f)
		} else {
			home.Window = home.Window.union(f.Window)
		}
	}
	if len(away) == 0 || len(away) > most {
		return
	}
	wide, high = home.XMax-home.XMin, home.YMax-home.YMin
	gap := 0.03 * max(wide, high*r.aspect)
	x, top := home.XMin, home.YMin-gap/r.aspect
	each := max((wide-gap*float64(len(away)-1))/float64(len(away)), gap)
	tallest := 0.0
	for _, f := range away {
		room := 0.8 * each
		scale := min(1, room/max(f.XMax-f.XMin, 1e-12), 0.3*max(high, wide/r.aspect)/max(f.YMax-f.YMin, 1e-12))
		margin := 0.25 * gap
		w, h := scale*(f.XMax-f.XMin)+2*margin, scale*(f.YMax-f.YMin)+2*margin/r.aspect
		left, upper := x+margin, top-margin/r.aspect
		for _, ring := range f.rings {
			for k, p := range ring {
				ring[k] = [2]float64{left + scale*(p[0]-f.XMin), upper - scale*(f.YMax-p[1])}
			}
		}
		r.frames = append(r.frames, Window{x, x + w, top - h, top})
		x, tallest = x+w+gap, max(tallest, h)
	}
}

// apart returns the distance of two windows, in units of x.
func (w Window) apart(o Window, aspect float64) float64 {
	return math.Hypot(max(0, w.XMin-o.XMax, o.XMin-w.XMax), aspect*max(0, w.YMin-o.YMax, o.YMin-w.YMax))
}

// longerThan reports whether a side of a window is longer than that of another by a factor.
func (w Window) longerThan(o Window, by float64) bool {
	return w.XMax-w.XMin > by*(o.XMax-o.XMin) || w.YMax-w.YMin > by*(o.YMax-o.YMin)
}

// mergeGroups joins groups whose windows are at most a distance apart, until none are.
func (r *regions) mergeGroups(all []islandGroup, near float64) []islandGroup {
	slices.SortStableFunc(all, func(a, b islandGroup) int { return cmp.Compare(a.XMin, b.XMin) })
	for {
		var out []islandGroup
		for _, f := range all {
			joined := false
			for k := len(out) - 1; k >= 0 && !joined; k-- {
				grown := Window{out[k].XMin - near, out[k].XMax + near, out[k].YMin - near/r.aspect,
					out[k].YMax + near/r.aspect}
				if joined = grown.meets(f.Window); joined {
					out[k].Window, out[k].rings = out[k].union(f.Window), append(out[k].rings, f.rings...)
				}
			}
			if !joined {
				out = append(out, f)
			}
		}
		if len(out) == len(all) {
			return out
		}
		all = out
	}
}
