package command

import (
	"os"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// testPosteriors asks for posteriors after the library's store is gone. They are kept all the same, also with a link of
// a Go function.
func testPosteriors(t *testing.T, g gonb) {
	store := t.TempDir()
	k := g.start(t, g.home, map[string]string{"EXPFAM_STORE": store})
	defer k.Stop()
	cell := func(source string) string {
		run := runCell(t, k, source, "")
		must.Do(t, run.reply.Err())
		return run.text("stdout")
	}
	cell(`like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(s*x)", expfam.Constants{"s": .5})}
shift := expfam.Must(expfam.TableLink("shift", func(x float64) float64 { return math.Exp(x / 2) }))
other := expfam.Likelihood{Family: expfam.Poisson{}, Link: shift}
obs := expfam.Must(like.Observe1(1, 2, 3))`)
	cell(`post := expfam.Must(diffusion.Sample(gp.RBF{Cells: 3}, like, obs, diffusion.Sampler{Draws: 20}))
all := []*expfam.Posterior{post}
again := expfam.Must(diffusion.Sample(gp.RBF{Cells: 3}, other, obs, diffusion.Sampler{Draws: 20}))`)
	const kept = "fmt.Println(post.Info.Seconds, post.Mean(), post.Likelihood, all[0].SD(), all[0].Info.Certificate)"
	before := cell(kept)
	seconds := cell("fmt.Println(again.Info.Seconds)")
	must.Do(t, os.RemoveAll(store))
	must.Equal(t, cell(kept), before)
	must.Be(t, strings.Contains(before, "exp(0.5*x)"), "%s", before)
	must.Equal(t, cell("fmt.Println(again.Info.Seconds)"), seconds)
}
