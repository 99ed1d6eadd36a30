package increments

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/store"
)

// These numbers are part of the keys in the store. Increase revision when signals or truths change, and
// scoreRevision when methods or scores do. spikesRevision is added to revision where truths are chains of [spikes].
// Increase spikesRevision when they alone change.
const (
	revision       = 1
	spikesRevision = 1
	scoreRevision  = 2
)

// revision returns the revision of a problem's signals and truths.
func (p *Problem) revision() int {
	if _, jumps := p.Law.(BernoulliLaplace); jumps {
		return revision + spikesRevision
	}
	return revision
}

// Contender is a method with a grid of settings. It chooses one of them on validation signals.
type Contender struct {
	Name string
	// Grid holds the method with each of its settings.
	Grid []Method
}

// Campaign compares methods on the first test signals of a problem. Truths and scores are stored signal by signal, so
// that a stopped campaign continues where it stopped.
type Campaign struct {
	Signals    int // test signals. Default 20
	Validation int // signals on which a grid is searched. Default 5
	Draws      int // draws of each method for a signal. Default 50, as in the paper
	Gibbs      Gibbs
	// Progress is called after every signal of a method. Default none.
	Progress func(p *Problem, method string, done int)
}

func (c Campaign) orDefault() Campaign {
	if c.Signals == 0 {
		c.Signals = 20
	}
	if c.Validation == 0 {
		c.Validation = 5
	}
	if c.Draws == 0 {
		c.Draws = 50
	}
	if c.Gibbs == (Gibbs{}) {
		c.Gibbs = Gibbs{Keep: 250}
	}
	return c
}

// Row is a method's scores on a problem.
type Row struct {
	Method, Setting string
	Scores          []Score
}

// Run scores exact draws and all contenders on a problem. Setting of a row is what the contender has chosen. A
// contender whose draws diverge under every setting has a row without scores.
func (c Campaign) Run(ctx context.Context, p *Problem, contenders []Contender) ([]Row, error) {
	c = c.orDefault()
	rows := make([]Row, 1+len(contenders))
	rows[0].Method = "exact draws"
	for k := range c.Signals {
		score, err := c.exact(p, k)
		if err != nil {
			return nil, err
		}
		rows[0].Scores = append(rows[0].Scores, score)
	}
	for i, contender := range contenders {
		row := &rows[i+1]
		row.Method = contender.Name
		m, err := c.choose(ctx, p, contender)
		if errors.Is(err, errDiverges) {
			row.Setting = err.Error()
			continue
		}
		if err != nil {
			return nil, err
		}
		row.Setting = m.String()
		opened := lazy{ctx: ctx, m: m, p: p, draws: c.Draws}
		for k := range c.Signals {
			score, err := c.score(ctx, &opened, k)
			if err != nil {
				opened.close()
				return nil, err
			}
			row.Scores = append(row.Scores, score)
			if c.Progress != nil {
				c.Progress(p, contender.Name, k+1)
			}
		}
		opened.close()
	}
	return rows, nil
}

// Truth returns the exact posterior of test signal k. It is sampled once and stored.
func (c Campaign) Truth(p *Problem, k int) (*Truth, error) {
	g := c.orDefault().Gibbs
	g.Seed = uint64(k)
	return store.Once("increments-truth", store.Key(p.revision(), p.String(), k, g), truthCodec,
		func() (*Truth, error) {
			return g.Sample(p, p.Test(k).Y)
		})
}

// truthCodec stores a truth as two tensors.
var truthCodec = store.Codec[*Truth]{
	File: func(t *Truth) (*store.File, error) {
		rows, cols := t.Draws.Dims()
		return &store.File{Tensors: []store.Tensor{{Name: "mean", Shape: []int{len(t.Mean)}, Data: t.Mean},
			{Name: "draws", Shape: []int{rows, cols}, Data: t.Draws.RawMatrix().Data}}}, nil
	},
	From: func(f *store.File) (*Truth, error) {
		mean, _ := f.Tensor("mean")
		draws, _ := f.Tensor("draws")
		m, ok := mean.Data.([]float64)
		d, also := draws.Data.([]float64)
		if !ok || !also || len(draws.Shape) != 2 {
			return nil, fmt.Errorf("it holds no posterior")
		}
		return &Truth{m, mat.NewDense(draws.Shape[0], draws.Shape[1], d)}, nil
	},
}

// exact returns the score of draws of the exact posterior, which are equally spaced in the chain.
func (c Campaign) exact(p *Problem, k int) (Score, error) {
	truth, err := c.Truth(p, k)
	if err != nil {
		return Score{}, err
	}
	rows, cells := truth.Draws.Dims()
	n := min(c.Draws, rows)
	draws := mat.NewDense(n, cells, nil)
	for i := range n {
		draws.SetRow(i, truth.Draws.RawRowView(i*(rows/n)))
	}
	s := p.Score(draws, p.Test(k), truth)
	s.Signal = k
	return s, nil
}

// score returns the score of a method on test signal k. The score is computed once and stored.
func (c Campaign) score(ctx context.Context, l *lazy, k int) (Score, error) {
	return store.OnceContext(ctx, "increments-score", l.key(c, "test", k), store.JSON[Score](), func() (Score, error) {
		truth, err := c.Truth(l.p, k)
		if err != nil {
			return Score{}, err
		}
		opened, err := l.get()
		if err != nil {
			return Score{}, err
		}
		score, err := Run(ctx, opened, l.p, k, l.p.Test(k), truth)
		if err != nil && ctx.Err() == nil { // draws that diverge
			return Score{Signal: k, Lost: err.Error()}, nil
		}
		return score, err
	})
}

// choose returns the method with the setting whose posterior means have the smallest squared error on validation
// signals.
func (c Campaign) choose(ctx context.Context, p *Problem, contender Contender) (Method, error) {
	if len(contender.Grid) == 1 {
		return contender.Grid[0], nil
	}
	best, least := -1, math.Inf(1)
	for i, m := range contender.Grid {
		missed, err := c.missed(ctx, p, m)
		if ctx.Err() != nil {
			return nil, err
		}
		text := fmt.Sprintf("%v: error %.4g on validation signals", m, missed)
		if err != nil { // a setting whose draws diverge
			text = fmt.Sprintf("%v: no validation: %v", m, err)
		} else if missed < least {
			best, least = i, missed
		}
		if c.Progress != nil {
			c.Progress(p, text, c.Validation)
		}
	}
	if best < 0 {
		return nil, fmt.Errorf("increments: %v, %s: %w", p, contender.Name, errDiverges)
	}
	return contender.Grid[best], nil
}

// errDiverges is the error of a contender of which no setting can be scored.
var errDiverges = errors.New("no setting of the grid gives finite draws; widen it")

// missed returns the mean squared error of a method's posterior means on validation signals.
func (c Campaign) missed(ctx context.Context, p *Problem, m Method) (float64, error) {
	l := lazy{ctx: ctx, m: m, p: p, draws: c.Draws}
	defer l.close()
	var sum float64
	for k := range c.Validation {
		missed, err := store.OnceContext(ctx, "increments-error", l.key(c, "validation", k), store.JSON[float64](),
			func() (float64, error) {
				opened, err := l.get()
				if err != nil {
					return 0, err
				}
				signal := p.Validation(k)
				draws, _, err := opened.Sample(ctx, signal.Y, uint64(k))
				if err != nil {
					return 0, err
				}
				return meanSquare((&expfam.Draws{X: draws}).Mean(), signal.S), nil
			})
		if err != nil {
			return 0, err
		}
		sum += missed / float64(c.Validation)
	}
	return sum, nil
}
