package expfam

import (
	"encoding/binary"
	"math"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// merged returns the forward model and the observations with the data of equal rows as one datum, so that work has the
// size of the cells where data exceed them. Terms add up, because a log-likelihood is linear in Stat, Size and Base. A
// [General] family is not, and keeps its data. Nothing changes if no rows are equal.
func (f *Forward) merged(obs Observations) (*Forward, Observations) {
	if len(obs) != f.data {
		return f, obs
	}
	out := &Forward{terms: f.terms, cells: f.cells}
	var all Observations
	for _, s := range f.Parts {
		own := obs[s.First : s.First+s.Rows]
		if s.Operator != nil && s.Terms.own == nil {
			s, own = s.merged(own)
		}
		s.First = len(all)
		out.Parts, all = append(out.Parts, s), append(all, own...)
	}
	if out.data = len(all); out.data == f.data {
		return f, obs
	}
	return out, all
}

// merged returns one data set with equal rows as one.
func (s ForwardPart) merged(obs Observations) (ForwardPart, Observations) {
	numbers, first := map[string]int{}, []int{}
	var sums Observations
	for k, c := range obs {
		var key []byte
		s.H.Row(k, func(j int, w float64) {
			key = binary.LittleEndian.AppendUint64(key, uint64(j))
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(w))
		})
		if s.Offset != nil {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(s.Offset[k]))
		}
		n, found := numbers[string(key)]
		if !found {
			n = len(first)
			numbers[string(key)], first, sums = n, append(first, k), append(sums, Term{})
		}
		sums[n].Stat, sums[n].Size, sums[n].Base = sums[n].Stat+c.Stat, sums[n].Size+c.Size, sums[n].Base+c.Base
	}
	if len(first) == len(obs) {
		return s, obs
	}
	out := ForwardPart{Terms: s.Terms, Sum: s.Sum, Operator: s.Operator, Rows: len(first)}
	out.H = sparse.New(len(first), s.H.Cols, func(k int, visit func(int, float64)) { s.H.Row(first[k], visit) })
	for _, k := range first {
		if s.Offset != nil {
			out.Offset = append(out.Offset, s.Offset[k])
		}
	}
	return out, sums
}
