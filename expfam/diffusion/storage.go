package diffusion

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/speak"
	"github.com/expfam/lab/internal/storedir"
)

// storage keeps a run: its draws, under a hash of all that determines them except how many there are.
//
// A run that is not finished leaves one entry per batch, under the number of the batch's first draw. So each batch
// is written once, and any later run that gets there takes it. A finished run leaves a posterior. An entry of its
// own holds the key of the longest posterior. A nil storage is empty and keeps nothing.
type storage struct {
	cache *store.Store
	key   string            // of the posterior
	base  string            // the hash of the run
	long  *expfam.Posterior // the longest finished posterior, or nil
	// whole is the batch if the method has a corrector: a run takes all draws of such a batch or none. It is 1
	// where draws do not depend on each other.
	whole int
	lost  bool // the store did not keep a batch
	log   *slog.Logger
}

// The kinds of entries are posteriors, batches of draws, and the key of the longest posterior.
const (
	posteriorKind = "posterior"
	drawsKind     = storedir.Draws
	longestKind   = storedir.Longest
)

// storage returns what is stored of a run. It is nil if there is no store, and with Fresh. The posterior of the run, or
// of its first draws, is found.
func (s *setup) storage(ctx context.Context, run string) (p *storage, found *expfam.Posterior) {
	if s.sampler.Fresh {
		return nil, nil
	}
	cache := store.UseContext(ctx)
	if cache == nil {
		return nil, nil
	}
	p = &storage{cache: cache, key: s.posteriorKey(run), base: run, whole: 1, log: speak.Logger(ctx)}
	if f, found := cache.Load(posteriorKind, p.key); found {
		post, err := s.terms.Likelihood.Restore(f)
		if err == nil {
			return p, post
		}
		p.log.Warn("sample: the stored posterior is not used and will be made again", "reason", err)
	}
	if s.sampler.corrects() {
		p.whole = s.sampler.Batch
	}
	if s.sampler.First > 0 {
		p.base = store.Key(run, s.sampler.First)
	}
	if name, found := cache.Load(longestKind, p.base); found {
		if f, found := cache.Load(posteriorKind, name.Meta["key"]); found {
			if long, err := s.terms.Likelihood.Restore(f); err == nil {
				p.long = long
			}
		}
	}
	return p, p.prefix(s.sampler.Draws)
}

// ready warns, before any work, of a store that cannot be written. It takes the batches and the posterior that they
// become, in float64.
func (p *storage) ready(draws, cells int) {
	if p != nil {
		p.cache.Ready(posteriorKind, 2*8*int64(draws)*int64(cells))
	}
}

// keep stores a posterior, records it as the longest, and drops the batches that it contains.
func (p *storage) keep(post *expfam.Posterior) error {
	f, err := post.File()
	if err != nil || !p.cache.Keep(posteriorKind, p.key, f) {
		return err
	}
	if !p.cache.Keep(longestKind, p.base, &store.File{Meta: map[string]string{"key": p.key}}) {
		return nil
	}
	draws, _ := post.Dims()
	for first := range draws {
		p.cache.Drop(drawsKind, p.batchKey(first))
	}
	return nil
}

func (p *storage) batchKey(first int) string { return store.Key(p.base, first) }

// prefix returns the posterior of the first draws of the longest posterior, and nil if that has fewer draws.
func (p *storage) prefix(draws int) *expfam.Posterior {
	if p.long == nil {
		return nil
	}
	rows, cells := p.long.Dims()
	if rows < draws {
		return nil
	}
	post := &expfam.Posterior{X: mat.DenseCopyOf(p.long.X.Slice(0, draws, 0, cells)), Likelihood: p.long.Likelihood,
		Info: p.long.Info}
	// The longer posterior has these for all of its draws.
	post.Info.Local, post.Info.Certificate, post.Info.Uncertified = nil, nil, ""
	post.Info.Seconds *= float64(draws) / float64(rows)
	return post
}

// load fills out with stored draws from its row first on. It returns the number of rows that it has filled, 0 if
// there are none, and the seconds that sampling them took.
func (p *storage) load(out *mat.Dense, first int) (n int, seconds float64) {
	if p == nil {
		return 0, 0
	}
	draws, cells := out.Dims()
	if first == 0 && p.long != nil {
		rows, _ := p.long.Dims()
		if n = rows - rows%p.whole; n > 0 {
			out.Slice(0, n, 0, cells).(*mat.Dense).Copy(p.long.X)
			return n, p.long.Info.Seconds * float64(n) / float64(rows)
		}
	}
	f, found := p.cache.Load(drawsKind, p.batchKey(first))
	if !found {
		return 0, 0
	}
	x, _ := f.Tensor("x0")
	seconds, err := strconv.ParseFloat(f.Meta["seconds"], 64)
	if err != nil || len(x.Shape) != 2 || x.Shape[1] != cells {
		p.log.Warn("sample: stored draws do not fit and are made again", "first", first)
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

// save stores n rows of x from row first on, if the store takes them.
func (p *storage) save(x *mat.Dense, first, n int, seconds float64) {
	if p == nil {
		return
	}
	_, cells := x.Dims()
	tensor := store.Tensor{Name: "x0", Shape: []int{n, cells}}
	double, single, exact := make([]float64, 0, n*cells), make([]float32, 0, n*cells), true
	for i := range n {
		for _, v := range x.RawRowView(first + i) {
			double, single = append(double, v), append(single, float32(v))
			exact = exact && float64(float32(v)) == v
		}
	}
	if tensor.Data = double; exact { // draws that moved in Float32
		tensor.Data = single
	}
	f := &store.File{Meta: map[string]string{"seconds": fmt.Sprint(seconds)}, Tensors: []store.Tensor{tensor}}
	if !p.cache.Keep(drawsKind, p.batchKey(first), f) {
		p.lost = true
	}
}

// hint returns the end of the message of an interrupt: whether the finished draws are stored.
func (p *storage) hint() string {
	switch {
	case p == nil:
		return ""
	case p.lost:
		return "; the store did not take all of them, and the same call makes those again"
	}
	return "; they are stored, and the same call goes on from there"
}
