package graph

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/internal/nearest"
	"github.com/expfam/lab/expfam/operator"
)

// Linear is the effect of a covariate in a straight line through 0, β·Of, with a known prior β ~ N(0, SD²).
type Linear struct {
	Name string
	Of   []float64 // the covariate of each row
	SD   float64   // of β; default 10, which is vague for the logarithm of a ratio per unit of the covariate
}

func (t Linear) block() (Block, error) {
	column := &operator.Sparse{Data: len(t.Of), Cells: 1}
	for k, v := range t.Of {
		if err := covariate(t.Name, k, v); err != nil {
			return Block{}, err
		}
		if v != 0 {
			column.Entries = append(column.Entries, operator.Entry{Datum: k, Weight: v})
		}
	}
	return Block{t.Name, Groups{Names: []string{t.Name}, SD: cmp.Or(t.SD, 10)}, column}, nil
}

// covariate refuses a value that is not finite.
func covariate(name string, row int, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("graph: row %d of the covariate %q is %g; leave the row out, or give its value", row, name, v)
	}
	return nil
}

// Group is an effect of each group of rows, such as villages or years. The effects are independent, N(0, SD²); see
// [Groups].
type Group struct {
	Name string
	Of   []string // the group of each row
	// Names are the groups in their order. Each must have a row: a group without data has the effect N(0, SD²), for
	// draws of SD. Default: the different values of Of, sorted.
	Names []string
	SD    float64 // unknown if it is 0, by default with P(SD > 1) = 0.01
}

func (t Group) block() (Block, error) {
	names := t.Names
	if names == nil {
		names = slices.Compact(slices.Sorted(slices.Values(t.Of)))
	}
	number := map[string]int{}
	for i, name := range names {
		number[name] = i
	}
	at, rows := &operator.Select{Cells: len(names)}, make([]int, len(names))
	for k, name := range t.Of {
		i, known := number[name]
		if !known {
			return Block{}, fmt.Errorf("graph: row %d of the group %q is %q, which is none of its %d Names; the "+
				"nearest are %s", k, t.Name, name, len(names), nearest.List(name, names, 3))
		}
		at.Keep = append(at.Keep, i)
		rows[i]++
	}
	if i := slices.Index(rows, 0); i >= 0 {
		return Block{}, fmt.Errorf("graph: %q of the group %q has no data; leave it out of Names: its effect is "+
			"N(0, sd²)", names[i], t.Name)
	}
	return Block{t.Name, Groups{Names: names, SD: t.SD}, at}, nil
}

// Smooth is a smooth effect of a covariate: a random walk on its ordered values, a [Walk] with places. Between its
// cells the effect is linear.
type Smooth struct {
	Name  string
	Of    []float64 // the covariate of each row
	Order int       // of the walk, 1 or 2; default 2
	// Knots is the number of cells, equally spaced from the smallest value to the largest. Default: the different
	// values if there are at most 50 and they are not too near to each other, or else 50 knots.
	Knots int
	SD    float64 // of the walk; unknown if it is 0, by default with P(SD > 1) = 0.01
	// SlopeSD is the standard deviation of the change from the smallest value to the largest along the straight line,
	// which is added to walks of order 2. Default 10, which is vague for a logarithm.
	SlopeSD float64
}

// mostValues is the largest number of different values of a covariate that are cells by default.
const mostValues = 50

func (t Smooth) block() (Block, error) {
	for k, v := range t.Of {
		if err := covariate(t.Name, k, v); err != nil {
			return Block{}, err
		}
	}
	order := cmp.Or(t.Order, 2)
	at := slices.Compact(slices.Sorted(slices.Values(t.Of)))
	least := max(order, 1) + 1
	if len(at) < least {
		return Block{}, fmt.Errorf("graph: the covariate %q has %d different values, too few for a walk of order %d; "+
			"take Linear or Group", t.Name, len(at), order)
	}
	first, span := at[0], at[len(at)-1]-at[0]
	tooNear := false
	for i := 1; i < len(at); i++ {
		tooNear = tooNear || at[i]-at[i-1] < 2*span/nearestPlaces
	}
	if knots := cmp.Or(t.Knots, mostValues); t.Knots != 0 || len(at) > mostValues || tooNear {
		if knots < least || knots > nearestPlaces/2 {
			return Block{}, fmt.Errorf("graph: the smooth effect %q has %d Knots; give %d to %d", t.Name, knots, least,
				nearestPlaces/2)
		}
		at = make([]float64, knots)
		for i := range at {
			at[i] = first + span*float64(i)/float64(knots-1)
		}
	}
	walk := Walk{Cells: len(at), Order: order, At: at, SD: t.SD}
	if order == 2 {
		walk.SlopeSD = cmp.Or(t.SlopeSD, 10)
	}
	return Block{t.Name, walk, along(at, t.Of)}, nil
}

// along is linear interpolation between places, which ascend and enclose all values.
func along(at, values []float64) *operator.Sparse {
	o := &operator.Sparse{Data: len(values), Cells: len(at)}
	for k, v := range values {
		i, found := slices.BinarySearch(at, v)
		if found || i == 0 || i == len(at) {
			o.Entries = append(o.Entries, operator.Entry{Datum: k, Cell: min(i, len(at)-1), Weight: 1})
			continue
		}
		u := (v - at[i-1]) / (at[i] - at[i-1])
		o.Entries = append(o.Entries, operator.Entry{Datum: k, Cell: i - 1, Weight: 1 - u},
			operator.Entry{Datum: k, Cell: i, Weight: u})
	}
	return o
}
