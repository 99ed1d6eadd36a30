package latent

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/internal/parallel"
)

const (
	pilotWarmup = 24          // transitions of each chain before they are measured
	pilotRounds = 48          // transitions of each in a round of measurement
	pilotAccept = 0.85        // acceptance probability that the step size is adapted to
	pilotLength = math.Pi / 2 // mean length of a trajectory, a quarter of the period under a normal
	pilotBlock  = 4           // chains that one goroutine moves together
	leastMoves  = 3           // transitions of a draw: they leave four parts in a thousand of an error of the width
	farMoves    = 4           // how many times as many a draw takes that starts from a point of the chains
	farResidual = 0.15        // from which a posterior is far from normal; counts of the paper have .12 and less
	farEnergies = 4           // see trace.low
	leastShift  = 0.03        // location that draws of many modes may be off, in sd; that of 1000 exact ones is as much
	farSlope    = 1.5         // a draw is far off if its gradient has an entry so many times the largest of the chains'
)

// ManyCells is the number of cells above which trajectories turn: they need fewer evaluations, each of which costs more
// than the rest of a transition there.
const ManyCells = 256

// Centred reports whether draws of so many modes start about the mean of their normal approximation, and not about the
// mode.
func Centred(rank int) bool { return rank > 256 }

// effort is what a pilot run may cost.
type effort struct {
	chains     int     // they share a step size
	rounds     int     // rounds of measurement after which the chains are given up
	watched    int     // coordinates whose memory is measured: the first, and as many of all others
	remembered float64 // autocorrelation at which a chain counts as having forgotten its start
	again      bool    // run longer where the posterior is far from normal
	rejections bool    // do not take the memory that rejections make for a posterior far from normal
	turns      bool    // trajectories turn, because straight steps would be short, or cost much
}

// effortOf returns the effort for a number of coordinates and of cells. Of hundreds, a transition costs as much as an
// evaluation. Of some hundreds, longer runs cost more than the draws, so they have to be needed.
func effortOf(rank, cells int) effort {
	if Centred(rank) {
		return effort{chains: 8, rounds: 2, watched: 128, remembered: 0.15, turns: true}
	}
	return effort{chains: 16, rounds: 8, watched: rank, remembered: 0.05, again: true, rejections: rank > 128,
		turns: cells > ManyCells}
}

// Posterior is the posterior of x₀ in coordinates u in which it is near N(0, I): a [Target] or a [ModeTarget].
type Posterior interface {
	Rank() int
	Cells() int
	// Density returns the log density of u, with work space of its own.
	Density() Density
	// Place writes x₀ at the columns u to the x.
	Place(u []float64, x ...[]float64)
	// Coordinates writes u of x₀ to u. What is too small to be seen in x₀ is random.
	Coordinates(x, u []float64, rng *rand.Rand)
}

// Pilot says how draws of a posterior are moved until they are exact, as chains of a short run have shown. It depends
// on the target and the random streams of the run alone, not on the draws that are moved.
type Pilot struct {
	Target Posterior
	Moves  int     // transitions after which a chain has forgotten where it began
	Step   float64 // leapfrog step
	Accept float64 // mean acceptance probability of the measured transitions
	// Mixed reports whether the chains forgot their starts within the run. If not, Moves is a lower bound.
	Mixed bool

	effort   effort
	centre   []float64   // the mean of the normal approximation, from which draws start
	points   [][]float64 // where the chains were, from which draws that are far off start anew
	low      float64     // the log density below which a draw is far off
	steepest float64     // the largest entry of the gradient above which it is
}

// NewPilot runs chains of the posterior. stream returns the random stream of a name. It ends early, with the error of
// ctx, when ctx is done.
func NewPilot(ctx context.Context, target Posterior, stream func(name string) *rand.Rand) (*Pilot, error) {
	p := &Pilot{Target: target, effort: effortOf(target.Rank(), target.Cells())}
	p.Step = math.Pow(float64(target.Rank()), -0.25)
	chains := make([]*Chain, p.effort.chains)
	walkers := make([]*Walker, len(chains)/pilotBlock)
	for w := range walkers {
		walkers[w] = p.walker()
	}
	for c := range chains {
		chains[c] = NewChain(target.Rank(), p.Step, stream("pilot/"+string(rune('a'+c))))
		chains[c].near(walkers[0].Density)
	}
	if err := p.warm(ctx, walkers, chains, pilotAccept); err != nil {
		return nil, err
	}
	p.centre = make([]float64, target.Rank())
	if Centred(target.Rank()) {
		centre(walkers[0].Density, p.centre, stream("pilot/centre"))
	}
	trace := &trace{effort: p.effort}
	for k := 0; k < target.Rank(); k++ {
		if trace.watched = append(trace.watched, k); k > p.effort.watched {
			k += target.Rank() / p.effort.watched
		}
	}
	far := func() bool { return p.effort.again && (trace.slow() || trace.residual() > farResidual) }
	for round := 0; round < p.effort.rounds && (!p.Mixed || far()); round = max(2*round, round+1) {
		for range max(round, 1) * pilotRounds {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			p.move(walkers, chains)
			trace.add(chains)
		}
		p.Moves, p.Mixed = trace.moves()
		if !p.Mixed && trace.accept() < 0.6 { // the step was too long for where the chains came to
			if err := p.warm(ctx, walkers, chains, 0.95); err != nil {
				return nil, err
			}
		}
	}
	if r := trace.residual(); p.effort.again && r > farResidual {
		p.Moves = max(p.Moves, int(math.Min(2*leastMoves*r/farResidual, 4*leastMoves)))
	}
	if p.Accept = trace.accept(); Centred(target.Rank()) {
		p.Moves = max(p.Moves, arrival(trace.distance(p.centre), p.Accept))
	}
	p.points, p.low, p.steepest = trace.points, trace.low(), farSlope*slices.Max(trace.steep)
	return p, nil
}

// arrival returns the number of transitions after which draws whose location is so far from that of the posterior, in
// sd, are less than leastShift from it. Under N(0, I) an accepted transition of length L leaves |cos L| of the
// distance, and a rejected one everything. Of many modes, the distance is large where each of them is near its normal.
func arrival(distance, accept float64) (n int) {
	for ; distance > leastShift && n < 4*leastMoves; n++ {
		distance *= 1 - accept + accept*math.Abs(math.Cos(pilotLength*stretch(n)))
	}
	return n
}

// walker returns a walker of the target.
func (p *Pilot) walker() *Walker { return &Walker{Density: p.Target.Density(), Turns: p.effort.turns} }

// warm moves the chains while the step size adapts to the mean acceptance probability of all of them (Robbins & Monro
// 1951). It ends with the average over the second half. A chain that is not accepted has come to where the density is
// far steeper: it takes shorter steps for a while.
func (p *Pilot) warm(ctx context.Context, walkers []*Walker, chains []*Chain, target float64) error {
	var average float64
	shorter := make([]float64, len(chains))
	for i := range pilotWarmup {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for c, chain := range chains {
			chain.Step = p.Step * math.Pow(4, -shorter[c])
		}
		p.move(walkers, chains)
		var mean float64
		for c, chain := range chains {
			mean += chain.Accept / float64(len(chains))
			switch {
			case chain.Accept < 0.1:
				shorter[c]++
			case chain.Accept > 0.5:
				shorter[c] = max(0, shorter[c]-1)
			}
		}
		if p.Step *= math.Exp(2 * (mean - target) / math.Sqrt(float64(i+1))); p.effort.turns {
			p.Step = math.Min(p.Step, pilotLength/2) // further turns come back
		}
		if i >= pilotWarmup/2 {
			average += math.Log(p.Step) / (pilotWarmup - pilotWarmup/2)
		}
	}
	p.Step = math.Exp(average)
	for _, chain := range chains {
		chain.Step = p.Step
	}
	return nil
}

// move makes one transition of every chain. Trajectories have as many steps as those of the chain with the longest
// steps: shorter ones go less far.
func (p *Pilot) move(walkers []*Walker, chains []*Chain) {
	work := 8 * (p.Target.Cells() + 40) * p.Target.Rank() * pilotBlock
	parallel.For(len(walkers), work, func(w int) {
		walkers[w].Move(pilotLength, chains[w*pilotBlock:(w+1)*pilotBlock]...)
	})
}

// near places the chain at a random point of a normal posterior, or nearer to the centre where the density is much less
// than such a posterior has.
func (c *Chain) near(density Density) {
	least := density.At(c.U, c.Slope) - 2*float64(len(c.U)) - 20
	for k := range c.U {
		c.U[k] = c.Random.NormFloat64()
	}
	for range 60 {
		if c.LogP = density.At(c.U, c.Slope); c.LogP > least {
			return
		}
		floats.Scale(0.5, c.U)
	}
	clear(c.U)
	c.LogP = density.At(c.U, c.Slope)
}
