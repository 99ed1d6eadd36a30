package nn

import (
	"errors"
	"fmt"
	"slices"
)

// Check refuses impossible sizes, grids that are not Rows × Columns or cannot be halved as often as the network
// needs, and an Attention that is the number of rows of no resolution; see [Checker].
func (n UNet) Check(cells int) error {
	n = n.orDefault()
	if err := n.possible(cells); err != nil {
		return err
	}
	rows := make([]int, len(n.Multiples))
	for level := range rows {
		rows[level] = n.Rows >> level
	}
	if n.Attention > 0 && !slices.Contains(rows, n.Attention) {
		return fmt.Errorf("a U-Net with Attention %d, and its resolutions have %d rows; give one of these numbers, "+
			"or 0 for no attention", n.Attention, rows)
	}
	return nil
}

// possible refuses networks that cannot be evaluated. A file may hold a network that was trained with an Attention
// of no resolution: such a network attends in the middle alone, and can be evaluated.
func (n UNet) possible(cells int) error {
	sizes := []size{{"Channels", n.Channels, 1}, {"Blocks", n.Blocks, 1}, {"Attention", n.Attention, 0},
		{"Groups", n.Groups, 0}}
	if err := checkSizes("a U-Net", sizes...); err != nil {
		return err
	}
	if err := checkEmbedding("a U-Net", n.Embedding); err != nil {
		return err
	}
	if n.Adaptive && n.Plain {
		return errors.New("a U-Net that is Adaptive and Plain; what adapts is Wiener's filter, so leave out one of " +
			"them")
	}
	if len(n.Multiples) == 0 {
		return errors.New("a U-Net of 0 resolutions; give Multiples at least one number, or nil for the default")
	}
	for _, multiple := range n.Multiples {
		if multiple < 1 {
			return fmt.Errorf("a U-Net with a multiple of %d channels; give at least 1", multiple)
		}
	}
	if n.Rows < 1 || n.Parameters < 0 || n.Rows*n.Columns+n.Parameters != cells {
		return fmt.Errorf("a U-Net for %d×%d cells and %d parameters, and a prior of %d cells; set Rows and Columns "+
			"to the grid's", n.Rows, n.Columns, n.Parameters, cells)
	}
	if times := 1 << (len(n.Multiples) - 1); n.Rows%times != 0 || n.Columns%times != 0 {
		return fmt.Errorf("a U-Net of %d resolutions for %d×%d cells; both numbers must be divisible by %d: "+
			"enlarge the grid by its Pad(%d)", len(n.Multiples), n.Rows, n.Columns, times, times)
	}
	for _, multiple := range n.Multiples {
		if n.Groups > 0 && (n.Channels*multiple)%n.Groups != 0 {
			return fmt.Errorf("a U-Net with %d channels in %d groups; make the groups divide them", n.Channels*multiple,
				n.Groups)
		}
	}
	return nil
}

// stage is a piece of the network on its way through the resolutions.
type stage struct {
	kind    string // block, attention, halve, double
	name    string // prefix of the names of its parameters
	in, out int    // channels
	push    bool   // the result is kept for the way up
	pop     bool   // the result kept last is concatenated to the input
	last    bool   // the last block of a resolution on the way up
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
		list[len(list)-1].last = true
		if level > 0 {
			list = append(list, stage{kind: "double", name: fmt.Sprintf("up%d.double", level), in: channels,
				out: channels})
			rows *= 2
		}
	}
	return list
}
