package front

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/keep"
)

// slowCell is how long a cell may take before a note says which of its values cannot be kept.
const slowCell = 5 * time.Second

// unsaved names the variables that a program computed or changed and did not keep, because it ended without returning
// from main: by os.Exit, by a panic of a goroutine, or because it was stopped.
func (x *execution) unsaved(program *cell.Program) string {
	if program.Keeps() == 0 || x.built.IsZero() {
		return ""
	}
	if m, err := keep.Read(x.session.Values); err == nil && m.Program == program.Keeps() {
		return ""
	}
	names := append(program.Defines(), program.Mentions()...)
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// endedEarly says that a program ended before it kept its variables.
func (x *execution) endedEarly(program *cell.Program) {
	if names := x.unsaved(program); names != "" {
		x.say("the program ended before the end of the cell, without a return from main, as by os.Exit or a panic in " +
			"a goroutine: what the cell computed or changed is not kept in " + names)
	}
}

// slow says of a cell that took long which of its values other cells cannot have.
func (x *execution) slow(program *cell.Program) {
	if x.ended.Sub(x.built) <= slowCell || x.built.IsZero() || program.Keeps() == 0 {
		return
	}
	m, err := keep.Read(x.session.Values)
	if err != nil {
		return
	}
	keys := program.Keys()
	for _, name := range program.Defines() {
		if why := m.Roots[keys[name]].Why; why != "" {
			x.say(fmt.Sprintf("other cells cannot have %s, because %s: take what you need of it here", name, why))
		}
	}
}
