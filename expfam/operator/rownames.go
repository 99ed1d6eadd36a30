package operator

import (
	"fmt"
	"slices"

	"github.com/expfam/lab/expfam"
)

// namesOf returns the names of the data of an operator, or nil if they have none.
func namesOf(op expfam.RowOperator) []string {
	if o, ok := op.(expfam.Named); ok {
		return o.RowNames()
	}
	return nil
}

// RowNames implements [expfam.Named].
func (o *Areas) RowNames() []string { return slices.Clone(o.Names) }

// RowNames implements [expfam.Named].
func (o *Polygons) RowNames() []string {
	names := make([]string, len(o.Regions))
	for k, r := range o.Regions {
		names[k] = r.Name
	}
	return names
}

// RowNames implements [expfam.Named].
func (o Scale) RowNames() []string { return namesOf(o.Of) }

// RowNames implements [expfam.Named].
func (o Offset) RowNames() []string { return namesOf(o.Of) }

// RowNames implements [expfam.Named]. The data are those of the first operator, which is applied last.
func (o Compose) RowNames() []string { return namesOf(o[0]) }

// RowNames implements [expfam.Named]. The data of parts without names have numbers within their part.
func (o Stack) RowNames() []string {
	var all []string
	named := false
	for _, part := range o {
		names := namesOf(part)
		named = named || names != nil
		data, _ := part.Dims()
		for k := len(names); k < data; k++ {
			names = append(names, fmt.Sprint(k))
		}
		all = append(all, names...)
	}
	if !named {
		return nil
	}
	return all
}
