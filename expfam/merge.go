package expfam

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/sparse"
)

// alike reports whether a share has this number of cells, and the quantity of whole.
func alike(share, whole *Posterior, cells int) bool {
	_, own := share.Dims()
	return own == cells && share.Info.Quantity == whole.Info.Quantity
}

// Merge joins the shares of a run, in any order. The result is the posterior that one machine would have sampled,
// except that the times in Info are the sums over the shares, Info.Memory is the largest of any share, and a diagnostic
// is that of the first share that has it. The certificate is one machine's too where draws keep the coordinates that it
// is made of, as package joint's of many cells do; else it has the means of the shares' numbers, if each has a
// certificate. Merge refuses draws of different runs, gaps and repetitions. Info.First and Dims say which draws the
// result has.
func Merge(shares ...*Posterior) (*Posterior, error) {
	if len(shares) == 0 {
		return nil, errors.New("merge: there is no share")
	}
	for i, share := range shares {
		if share == nil || share.X == nil {
			return nil, fmt.Errorf("merge: share %d of those given has no draws; look at the error of the function "+
				"that should have made it", i)
		}
	}
	shares = slices.SortedFunc(slices.Values(shares),
		func(a, b *Posterior) int { return cmp.Compare(a.Info.First, b.Info.First) })
	whole := &Posterior{Likelihood: shares[0].Likelihood, Info: shares[0].Info}
	_, cells := shares[0].Dims()
	total := 0
	for _, share := range shares {
		draws, _ := share.Dims()
		total += draws
	}
	flat := make([]float64, 0, total*cells)
	for i, share := range shares {
		next := whole.Info.First + len(flat)/cells
		switch info := share.Info; {
		case !alike(share, whole, cells):
			return nil, fmt.Errorf("merge: the share from draw %d on and the share from draw %d on are draws of "+
				"different quantities or cells; merge the shares first, and take parts or sums of the result",
				info.First, whole.Info.First)
		case info.Run == "" || info.Run != whole.Info.Run:
			return nil, fmt.Errorf("merge: the share from draw %d on and the share from draw %d on belong to "+
				"different runs, or are parts or sums of different cells; give shares of one prior, likelihood, "+
				"data, seed and sampler, and all of their cells", info.First, whole.Info.First)
		case info.First > next:
			return nil, fmt.Errorf("merge: draws %d to %d are missing", next, info.First-1)
		case info.First < next:
			return nil, fmt.Errorf("merge: draw %d is in two shares", info.First)
		case i > 0:
			whole.Info.Seconds += info.Seconds
			whole.Info.Compile += info.Compile
			whole.Info.Memory = max(whole.Info.Memory, info.Memory)
		}
		draws, _ := share.Dims()
		for k := range draws {
			flat = append(flat, share.X.RawRowView(k)...)
		}
	}
	all := map[string]float64{}
	for _, share := range slices.Backward(shares) {
		maps.Copy(all, share.Info.Diagnostics)
	}
	if len(all) > 0 {
		whole.Info.Diagnostics = all
	}
	var err error
	if whole.Parameters, err = mergeParameters(shares); err != nil {
		return nil, err
	}
	whole.Info.Local = mergeLocal(shares)
	whole.X = mat.NewDense(len(flat)/cells, cells, flat)
	if whole.mergeCoordinates(shares) {
		return whole, nil
	}
	if whole.Info.Certificate = mergeCertificates(shares); whole.Info.Certificate == nil && len(shares) > 1 {
		whole.Info.Uncertified = "those of the shares do not make one of the whole; calibrate.Certify does"
	}
	return whole, nil
}

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
