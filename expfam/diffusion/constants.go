package diffusion

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/speak"
)

// mostConstants is the largest number of unknown constants under a prior that is known by its moments. The nodes of
// three fill a volume.
const mostConstants = 2

// constants draws a field with unknown constants of its likelihood. It draws the field at nodes of the constants, with
// the constants as inputs of graphs that are compiled once.
type constants struct {
	*Compiled
	like        expfam.Likelihood
	obs         expfam.Observations
	unknown     []law.Parameter
	run         string      // key of the draws but for their numbers
	evaluations int         // of the network, for all draws of the field
	products    int         // Jacobian products for all of them
	info        expfam.Info // of the node sampled last
	search      *speak.Pace
}

// constants draws the constants by a [joint.Bridge] and returns their posterior with the field's.
func (s Sampler) constants(ctx context.Context, prior expfam.Prior, like expfam.Likelihood,
	obs expfam.Observations) (*expfam.Posterior, error) {
	unknown, err := like.Unknowns()
	if err != nil {
		return nil, err
	}
	c := &constants{like: like, obs: obs, unknown: unknown}
	o := joint.Options{Draws: cmp.Or(s.Draws, 500), First: s.First, Seed: s.Seed}
	if o.Draws > 0 && o.First >= 0 { // or else the next lines refuse them
		s.Draws, s.First = joint.EachNode(len(unknown)), 0
	}
	s.Progress, s.Watch, s.Plan = nil, nil, nil
	if len(c.unknown) > mostConstants {
		return nil, fmt.Errorf("sample: %d constants of the likelihood are unknown, and under a prior that is not "+
			"Gaussian %d may be; give some of them", len(c.unknown), mostConstants)
	}
	known, tuned, err := like.With(c.medians(), obs)
	if err != nil {
		return nil, err
	}
	if c.Compiled, err = s.prepare(ctx, prior, known); err != nil {
		return nil, err
	}
	defer c.Close()
	if err := (Sampler{Draws: o.Draws, First: o.First}).checkDrawsFit(prior.Dim()); err != nil {
		return nil, err
	}
	if d := prior.Dim(); !c.linear() && !isSmall(d) {
		return nil, fmt.Errorf("sample: constants of the likelihood are unknown, and under a prior of %d cells "+
			"that is not Gaussian draws are not accurate enough to infer them; give the constants, or take a prior "+
			"of at most 128 cells", d)
	}
	if err := c.open(c.terms); err != nil {
		return nil, err
	}
	if err := c.check(tuned); err != nil {
		return nil, err
	}
	at, err := c.compiler.key(tuned)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, p := range c.unknown {
		texts = append(texts, p.Name, p.Unit, law.Text(p.Law))
	}
	c.run = store.Key("constants", joint.BridgeRevision, at, texts)
	return joint.Stored(ctx, s.Fresh, store.Key(c.run, o.First, o.Draws), c.like, c.obs, 0,
		func() (*expfam.Posterior, error) { return c.draw(ctx, o) })
}

// draw makes the draws.
func (c *constants) draw(ctx context.Context, o joint.Options) (*expfam.Posterior, error) {
	began := time.Now()
	tuner, err := c.like.Tuner(c.prior.Dim(), c.obs, c.medians())
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	c.search = speak.Search(ctx, "sample", "values of the constants are weighed", "node", 0)
	drawn, err := joint.Bridge{Constants: c.unknown, Tuner: tuner, Given: c.given}.Draw(ctx, o)
	if err != nil {
		return nil, err
	}
	post := &expfam.Posterior{X: drawn.X, Info: c.info}
	medians := make([]float64, len(c.unknown))
	for k, p := range c.unknown {
		post.AddParameter(p, mat.Col(nil, k, drawn.Values))
		medians[k] = post.Parameters[k].Median()
	}
	obs, err := c.at(medians)
	if err != nil {
		return nil, err
	}
	post.Likelihood = c.terms.Likelihood
	post.Info.Method += fmt.Sprintf(" at %d nodes of the constants", drawn.Nodes)
	post.Info.Seed, post.Info.First, post.Info.Run = o.Seed, o.First, c.run
	post.Info.Evaluations, post.Info.Products = c.evaluations/o.Draws, c.products/o.Draws
	post.Info.Missing = c.obs.Blanks()
	post.Info.Compile = c.compiler.seconds
	post.Info.Diagnostics, post.Info.Local = map[string]float64{}, nil // those were of the node
	post.Diagnose(c.prior, c.forward, obs)
	own := &certifier{measurement: c.measurement}
	defer own.close()
	post.SetCertificate(own.certifyEach(ctx, post, obs, func(i int) (latent.Data, error) {
		return tuner(drawn.Values.RawRowView(i))
	}))
	if post.Info.Diagnostics == nil {
		post.Info.Diagnostics = map[string]float64{}
	}
	if gaps := c.info.Diagnostics["gaps"]; gaps > 0 {
		post.Info.Diagnostics["gaps"], post.Info.Diagnostics["uneven"] = gaps, c.info.Diagnostics["uneven"]
	}
	post.Info.Diagnostics["nodes"] = float64(drawn.Nodes)
	post.Info.Diagnostics["fields"] = float64(drawn.Fields)
	post.Info.Diagnostics["evaluations"] = float64(c.evaluations)
	post.Info.Seconds = secondsSince(began)
	return post, nil
}

// medians returns the medians of the laws.
func (c *constants) medians() []float64 {
	values := make([]float64, len(c.unknown))
	for k, p := range c.unknown {
		values[k] = law.At(p.Law, 0)
	}
	return values
}

// at gives the constants the values, and returns the observations under them.
func (c *constants) at(values []float64) (expfam.Observations, error) {
	known, obs, err := c.like.With(values, c.obs)
	if err != nil {
		return nil, err
	}
	terms, err := known.Terms()
	if err != nil {
		return nil, err
	}
	return obs, c.open(terms)
}

// given draws the field given the constants, and keeps the draws in the store. The draws of a node have a seed of their
// own, so that errors of nodes do not add up.
func (c *constants) given(ctx context.Context, values []float64, first, n int) (*mat.Dense, error) {
	obs, err := c.at(values)
	if err != nil {
		return nil, err
	}
	c.sampler.First, c.sampler.Draws = first, n
	run := store.Key(c.run, values)
	stored, post := c.storage(ctx, run)
	if post == nil {
		if len(c.compiler.compiled) == 0 {
			if err := c.compile(ctx); err != nil {
				return nil, err
			}
		}
		seed := expfam.Stream(c.sampler.Seed, fmt.Sprint("constants/", values)).Uint64()
		if post, err = c.Compiled.sample(ctx, obs, seed, stored); err != nil {
			return nil, err
		}
		if stored != nil {
			if err := stored.keep(post); err != nil {
				return nil, err
			}
		}
	}
	c.evaluations += n * post.Info.Evaluations
	c.products += n * post.Info.Products
	c.info = post.Info
	c.search.Step(math.NaN())
	return post.X, nil
}
