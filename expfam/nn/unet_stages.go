package nn

import (
	"fmt"
	"slices"
)

// stage is a piece of the network on its way through the resolutions.
type stage struct {
	kind    string // block, attention, halve, double
	name    string // prefix of the names of its parameters
	in, out int    // channels
	push    bool   // the result is kept for the way up
	pop     bool   // the result kept last is concatenated to the input
}

// stages returns the stages in the order of evaluation. They are the architecture: Params lists their parameters,
// and Apply evaluates them.
func (n UNet) stages() []stage {
	var list []stage
	var kept []int
	channels, rows := n.Channels, n.Rows
	block := func(name string, out int, pop bool) {
		s := stage{kind: "block", name: name, in: channels, out: out, pop: pop}
		if pop {
			s.in += kept[len(kept)-1]
			kept = kept[:len(kept)-1]
		}
		list = append(list, s)
		channels = out
	}
	attend := func(name string) {
		list = append(list, stage{kind: "attention", name: name + ".attention", in: channels, out: channels})
	}
	keep := func() { list[len(list)-1].push = true; kept = append(kept, channels) }
	kept = append(kept, channels)
	for level, multiple := range n.Multiples {
		for b := range n.Blocks {
			name := fmt.Sprintf("down%d.%d", level, b)
			block(name, n.Channels*multiple, false)
			if rows == n.Attention {
				attend(name)
			}
			keep()
		}
		if level < len(n.Multiples)-1 {
			list = append(list, stage{kind: "halve", name: fmt.Sprintf("down%d.half", level), in: channels,
				out: channels})
			keep()
			rows /= 2
		}
	}
	block("middle0", channels, false)
	if n.Attention > 0 {
		attend("middle")
	}
	block("middle1", channels, false)
	for level, multiple := range slices.Backward(n.Multiples) {
		for b := range n.Blocks + 1 {
			name := fmt.Sprintf("up%d.%d", level, b)
			block(name, n.Channels*multiple, true)
			if rows == n.Attention {
				attend(name)
			}
		}
		if level > 0 {
			list = append(list, stage{kind: "double", name: fmt.Sprintf("up%d.double", level), in: channels,
				out: channels})
			rows *= 2
		}
	}
	return list
}
