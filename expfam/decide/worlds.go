package decide

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/parallel"
)

// worlds are draws that are taken for the truth, with the weights of all draws given what was surveyed in each.
type worlds struct {
	Survey
	terms  *expfam.Terms
	post   *expfam.Posterior
	truths []int      // the draw that is the truth of each world
	logs   *mat.Dense // logarithms of weights, (worlds, draws), up to a constant of each row; −Inf at the truth
	risk   func(*mat.Dense) []float64
	risks  []float64 // of each world, given what was surveyed so far
	// of a decision: what it is worth, and what a survey with these weights after it saves
	decision *savings
	saved    func(after *mat.Dense) (saved, parts []float64)
}

// worlds checks the plan and starts without any survey.
func (s Survey) worlds(post *expfam.Posterior) (*worlds, error) {
	if post == nil || post.X == nil {
		return nil, errors.New("decide: survey: there are no draws; give a posterior")
	}
	if s.Like.Family == nil {
		s.Like = post.Likelihood
		s.Like.Operator = nil
	}
	if !(s.Size > 0) || math.IsInf(s.Size, 0) {
		return nil, fmt.Errorf("decide: survey: Size is %g; give the number of new examinations in a cell", s.Size)
	}
	if s.Value == nil {
		s.Value = Variance{}
	}
	terms, err := s.Like.Terms()
	if err != nil {
		return nil, fmt.Errorf("decide: survey: %w", err)
	}
	if terms.Cellwise() != nil {
		return nil, errors.New("decide: survey: the likelihood has an operator or several data sets; set Survey.Like " +
			"to that of new data of one cell")
	}
	draws, cells := post.Dims()
	if draws < 50 {
		return nil, fmt.Errorf("decide: survey: %d draws; nested sums need at least 50", draws)
	}
	s.Outcomes = cmp.Or(s.Outcomes, 256)
	if s.Outcomes < 2 {
		return nil, fmt.Errorf("decide: survey: %d outcomes; give at least 2, or 0 for 256", s.Outcomes)
	}
	if s.Cells == nil {
		for j := range cells {
			s.Cells = append(s.Cells, j)
		}
	}
	if k := slices.IndexFunc(s.Cells, func(j int) bool { return j < 0 || j >= cells }); k >= 0 {
		return nil, fmt.Errorf("decide: survey: there is no cell %d among %d", s.Cells[k], cells)
	}
	w := &worlds{Survey: s, terms: terms, post: post}
	if w.risk, err = s.Value.Risk(post); err != nil {
		return nil, err
	}
	n := min(s.Outcomes, draws)
	w.logs = mat.NewDense(n, draws, nil)
	for m := range n {
		w.truths = append(w.truths, m*draws/n)
		w.logs.Set(m, w.truths[m], math.Inf(-1))
	}
	before := weightsOf(w.logs)
	w.risks = w.risk(before)
	if d, ok := s.Value.(decision); ok {
		if w.decision, err = d.savings(post); err != nil {
			return nil, err
		}
		w.saved = w.decision.before(before)
	}
	return w, nil
}

// evaluation is what a survey in a cell does to all worlds.
type evaluation struct {
	logs      []float64 // of p(y | x₀ₛ), (worlds, draws)
	risks     []float64
	gains     []float64 // of each world
	parts     []float64 // of each draw in the error of the mean gain; nil: not known
	effective float64
}

// evaluate makes new data of cell j in every world. The data of a cell are the same whenever it is surveyed, and others
// in each round.
func (w *worlds) evaluate(j, round int) (*evaluation, error) {
	name := fmt.Sprintf("survey/cell-%d", j)
	if round > 0 {
		name += fmt.Sprintf("/round-%d", round)
	}
	rng := expfam.Stream(w.Seed, name)
	n, draws := w.logs.Dims()
	theta := mat.Col(nil, j, w.post.Theta().X)
	known, err := expfam.Term{Size: w.Size}.Known(w.terms.Family, theta[0])
	if err != nil {
		return nil, fmt.Errorf("decide: survey: Size: %w", err)
	}
	data := make([]expfam.Term, n)
	for m, s := range w.truths {
		if data[m], err = w.terms.Family.Reduce(w.terms.Family.Rand(theta[s], known, rng), known); err != nil {
			return nil, fmt.Errorf("decide: survey: new data of cell %d in draw %d: %w", j, s, err)
		}
	}
	e := &evaluation{logs: make([]float64, n*draws)}
	w.logLik(j, data, e.logs)
	after := mat.NewDense(n, draws, nil)
	floats.AddTo(after.RawMatrix().Data, w.logs.RawMatrix().Data, e.logs)
	weights := weightsOf(after)
	e.risks = w.risk(weights)
	if e.gains = floats.SubTo(make([]float64, n), w.risks, e.risks); w.saved != nil {
		e.gains, e.parts = w.saved(weights)
	}
	for m := range n {
		row := weights.RawRowView(m)
		e.effective += 1 / floats.Dot(row, row) / float64(n)
	}
	return e, nil
}

// logLik writes log p(y_m | x₀ₛ) of cell j for the data of each world m and every draw s.
func (w *worlds) logLik(j int, data []expfam.Term, to []float64) {
	x := mat.Col(nil, j, w.post.X)
	if _, general := w.terms.Family.(expfam.General); general {
		rows := map[expfam.Term]int{} // worlds of equal data share a row
		for m, t := range data {
			row := to[m*len(x) : (m+1)*len(x)]
			if first, known := rows[t]; known {
				copy(row, to[first*len(x):])
				continue
			}
			rows[t] = m
			for s, v := range x {
				row[s] = w.terms.LogLik(v, t)
			}
		}
		return
	}
	eta, part := make([]float64, len(x)), make([]float64, len(x)) // log p = Stat η − Size A up to a constant of y
	for s, v := range x {
		eta[s], part[s] = w.terms.LogLik(v, expfam.Term{Stat: 1}), -w.terms.LogLik(v, expfam.Term{Size: 1})
	}
	for m, t := range data {
		row := to[m*len(x) : (m+1)*len(x)]
		for s := range row {
			row[s] = t.Stat*eta[s] - t.Size*part[s]
		}
	}
}

// keep makes a survey part of what is known in every world.
func (w *worlds) keep(e *evaluation) {
	floats.Add(w.logs.RawMatrix().Data, e.logs)
	if w.risks = e.risks; w.decision != nil {
		w.saved = w.decision.before(weightsOf(w.logs))
	}
}

// gain returns the mean gain and its standard error: over the worlds; by the draws that value; and by a world that was
// not simulated, which may save all that there is to save, also by what no draw has.
func (w *worlds) gain(gains, parts []float64) (mean, se float64) {
	mean, sd := stat.MeanStdDev(gains, nil)
	n := float64(len(gains))
	se = math.Hypot(stat.StdErr(sd, n), floats.Norm(parts, 2))
	if w.decision != nil {
		se = math.Hypot(se, (w.decision.perfect+w.decision.unseen)/(n+1))
	}
	return mean, se
}

// weightsOf returns weights of which each row sums to 1.
func weightsOf(logs *mat.Dense) *mat.Dense {
	n, draws := logs.Dims()
	out := mat.NewDense(n, draws, nil)
	parallel.For(n, 16*draws, func(m int) {
		row, to := logs.RawRowView(m), out.RawRowView(m)
		most, sum := floats.Max(row), 0.0
		for s, v := range row {
			to[s] = math.Exp(v - most)
			sum += to[s]
		}
		floats.Scale(1/sum, to)
	})
	return out
}
