package increments

import (
	"context"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

var (
	laws = flag.String("laws", "Gauss,Laplace,Bernoulli-Laplace,Student(3)",
		"the laws of TestCampaign, each the beginning of a name")
	names       = flag.String("operators", strings.Join(Names(), ","), "the operators of TestCampaign")
	signals     = flag.Int("signals", 20, "test signals of TestCampaign")
	search      = flag.Int("validation", 5, "signals on which TestCampaign searches grids")
	evaluations = flag.Int("evaluations", 1000, "of the published methods; 0 leaves them out")
	counted     = flag.Bool("counts", false, "Poisson and Binomial data in the place of normal ones")
	priors      = flag.String("prior", "increments",
		"what is diffused: increments with a learned prior, signals with a learned one, or increments with their "+
			"exact prior (exact)")
	methods = flag.String("methods", "expfam,propagation,C-DPS,DiffPIR,DPnP,likelihood at the mean",
		"the methods of TestCampaign")
)

// TestCampaign makes the table of README.md. It trains the priors that the store does not have, and goes on where it
// was stopped.
func TestCampaign(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("hours: run with -full")
	}
	ctx := context.Background()
	for _, law := range Laws() {
		if !slices.ContainsFunc(strings.Split(*laws, ","),
			func(begin string) bool { return strings.HasPrefix(law.String(), begin) }) {
			continue
		}
		model := must.Get(modelOf(ctx, law))(t)
		all, kinds := []Contender{Ours(model)}, []*Counts{nil}
		if *counted {
			all, kinds = append(all, AtTheMean(model)), Counted()
		}
		switch {
		case *priors == "signals":
		case *counted:
			all = append(all, PropagatedCounts(model))
		default:
			all = append(all, Propagated(model), PropagatedAlone(model))
		}
		if !*counted && *evaluations > 0 {
			all = append(all, Published(model, *evaluations)...)
		}
		contenders := slices.DeleteFunc(all, func(c Contender) bool {
			return !slices.Contains(strings.Split(*methods,
				","), c.Name)
		})
		for _, name := range strings.Split(*names, ",") {
			p := must.Get(New(law, name))(t)
			for _, kind := range kinds {
				p.Counts = kind
				c := Campaign{Signals: *signals, Validation: *search,
					Progress: func(p *Problem, method string, done int) {
						if done%5 == 0 || strings.Contains(method, "validation") {
							t.Logf("%v: %s, %d signals", p, method, done)
						}
					}}
				rows := must.Get(c.Run(ctx, p, contenders))(t)
				for _, r := range rows {
					t.Logf("%v, %s, %s: %v", p, model.Name, r.Method, Summarise(r.Scores))
					if r.Setting != "" {
						t.Logf("    %s", r.Setting)
					}
				}
			}
		}
	}
}

// modelOf is the model of a law that the flag -prior names.
func modelOf(ctx context.Context, law Law) (Model, error) {
	switch *priors {
	case "increments":
		return LearnIncrements(law)
	case "exact":
		return exactIncrements(law)
	case "signals":
		prior, err := learned(ctx, law)
		return OfSignals(law, prior), err
	}
	return Model{}, fmt.Errorf("-prior %q; give increments, signals or exact", *priors)
}

// A small campaign chooses a setting, and finds all of it in the store the second time.
func TestCampaignGoesOn(t *testing.T) {
	model := must.Get(exactIncrements(Gauss{}))(t)
	p := must.Get(New(Gauss{}, Samples))(t)
	good, bad := PlugAndPlay{DPnP{Eta: 0.5, Rounds: 3, Steps: 2}, model},
		PlugAndPlay{DPnP{Eta: 0.001, Rounds: 1, Steps: 2}, model}
	refused := PlugAndPlay{DPnP{Eta: 2}, model}
	contenders := []Contender{{"DPnP", []Method{bad, good}}, {"hopeless", []Method{refused, refused}}}
	c := Campaign{Signals: 2, Validation: 1, Draws: 4, Gibbs: Gibbs{Burn: 1, Sweeps: 20, Keep: 10}}
	first := must.Get(c.Run(t.Context(), p, contenders))(t)
	must.Be(t, len(first) == 3 && len(first[2].Scores) == 0 && len(first[1].Scores) == 2 &&
		first[1].Setting == good.String() && first[1].Scores[1].Evaluations == 6,
		"rows %+v", first)
	again := must.Get(c.Run(t.Context(), p, contenders))(t)
	if !reflect.DeepEqual(first, again) { // with its seconds
		t.Errorf("rows %+v, then %+v", first, again)
	}
}
