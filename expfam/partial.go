package expfam

import (
	"fmt"
	"log/slog"
	"strconv"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/store"
)

// partial are the draws of a configuration that former runs have stored, under a
// hash of all but their number. A run that is not finished leaves one entry a
// batch, under the first of its draws, so that each is written once and any
// later run that gets there takes it. A finished one leaves a posterior, and
// the longest is known by name. A nil partial is empty and keeps nothing.
type partial struct {
	cache *store.Store
	base  string
	dtype dtypes.DType
	long  *Posterior // the longest that is finished, or nil
}

// The kinds of entries: batches of draws, and the key of the longest posterior.
const (
	drawsKind   = "draws"
	longestKind = "longest"
)

// partial draws of a run; none without a store.
func (s Sampler) partial(cache *store.Store, like Likelihood, run string) *partial {
	if cache == nil {
		return nil
	}
	p := &partial{cache: cache, dtype: s.DType, base: run}
	if s.First > 0 {
		p.base = store.Key(run, s.First)
	}
	if name, found, err := cache.Get(longestKind, p.base); err == nil && found {
		if f, found, err := cache.Get("posterior", name.Meta["key"]); err == nil && found {
			if long, err := PosteriorOf(f, like); err == nil {
				p.long = long
			}
		}
	}
	return p
}

func (p *partial) key(first int) string { return store.Key(p.base, first) }

// prefix is a posterior of the first draws of a longer one, nil if there is none.
func (p *partial) prefix(draws int) *Posterior {
	if p == nil || p.long == nil {
		return nil
	}
	rows, cells := p.long.Dims()
	if rows < draws {
		return nil
	}
	post := &Posterior{X: mat.DenseCopyOf(p.long.X.Slice(0, draws, 0, cells)), Likelihood: p.long.Likelihood, Info: p.long.Info}
	post.Info.Seconds *= float64(draws) / float64(rows)
	return post
}

// load fills out from its row first on, and says with how many rows and how
// long they took; 0 if there are none.
func (p *partial) load(out *mat.Dense, first int) (n int, seconds float64) {
	if p == nil {
		return 0, 0
	}
	draws, cells := out.Dims()
	if first == 0 && p.long != nil {
		n, _ = p.long.Dims()
		out.Copy(p.long.X)
		return n, p.long.Info.Seconds
	}
	f, found, err := p.cache.Get(drawsKind, p.key(first))
	if err != nil || !found {
		return 0, 0
	}
	x, _ := f.Tensor("x0")
	seconds, err = strconv.ParseFloat(f.Meta["seconds"], 64)
	if err != nil || len(x.Shape) != 2 || x.Shape[1] != cells {
		slog.Warn("sample: stored draws do not fit and are made again", "first", first)
		return 0, 0
	}
	rows := x.Shape[0]
	n = min(rows, draws-first)
	for i := range n {
		row := out.RawRowView(first + i)
		switch values := x.Data.(type) {
		case []float32:
			for j := range row {
				row[j] = float64(values[i*cells+j])
			}
		case []float64:
			copy(row, values[i*cells:])
		}
	}
	return n, seconds * float64(n) / float64(rows)
}

// save keeps n rows from first on. Draws are worth more than their copy: what
// cannot be written is reported and no more.
func (p *partial) save(x *mat.Dense, first, n int, seconds float64) {
	if p == nil {
		return
	}
	_, cells := x.Dims()
	tensor := store.Tensor{Name: "x0", Shape: []int{n, cells}}
	double := make([]float64, 0, n*cells)
	for i := range n {
		double = append(double, x.RawRowView(first+i)...)
	}
	if tensor.Data = double; p.dtype == dtypes.Float32 {
		single := make([]float32, len(double))
		for i, v := range double {
			single[i] = float32(v)
		}
		tensor.Data = single
	}
	f := &store.File{Meta: map[string]string{"seconds": fmt.Sprint(seconds)}, Tensors: []store.Tensor{tensor}}
	if err := p.cache.Put(drawsKind, p.key(first), f); err != nil {
		slog.Warn("sample: an interrupt will lose these draws", "first", first, "reason", err)
	}
}

// finish names the posterior that is stored under key and drops the batches
// that it contains.
func (p *partial) finish(key string, draws int) error {
	if p == nil {
		return nil
	}
	if err := p.cache.Put(longestKind, p.base, &store.File{Meta: map[string]string{"key": key}}); err != nil {
		return err
	}
	for first := range draws {
		if err := p.cache.Remove(drawsKind, p.key(first)); err != nil {
			return err
		}
	}
	return nil
}

// hint says what an interrupt left.
func (p *partial) hint() string {
	if p == nil {
		return ""
	}
	return "; they are stored, and the same call goes on from there"
}
