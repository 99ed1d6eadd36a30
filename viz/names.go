package viz

import "gonum.org/v1/plot"

// longestName is how many characters of a name an axis shows; the pointer shows all.
const longestName = 20

// nameTicks returns ticks at positions x that have names, of which long ones are cut.
func nameTicks(x []float64, names []string) []plot.Tick {
	ticks := make([]plot.Tick, len(x))
	for j, v := range x {
		name := []rune(clean(names[j]))
		if len(name) > longestName {
			name = append(name[:longestName-1:longestName-1], '…')
		}
		if len(name) == 0 {
			name = []rune("–")
		}
		ticks[j] = plot.Tick{Value: v, Label: printable(string(name)) + " "} // the space stands between it and the axis
	}
	return ticks
}

// room returns how many px upright names take below an axis, more than numbers take.
func (a Axis) room() int {
	most := 0
	for _, t := range a.named {
		most = max(most, len([]rune(t.Label)))
	}
	return 6 * most
}
