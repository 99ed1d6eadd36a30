package expfam_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// Exact draws agree with the posterior, at the stated rate of false alarms, and draws made wrong are found.
func TestCertificate(t *testing.T) {
	for _, m := range certifiedModels(t) {
		t.Run(m.name, func(t *testing.T) {
			exact := must.Get(gp.Exact(m.prior, m.like, m.obs))(t)
			wrong, doubtful, n := 0, 0, fulltest.N(200, 4000)
			for seed := range n {
				c := expfam.Must(expfam.Must(exact.Sample(500, uint64(seed))).Certify(m.prior, m.obs))
				switch c.Verdict() {
				case "wrong":
					wrong++
				case "doubtful":
					doubtful++
				}
				if floor := 1 / math.Sqrt(500); math.Abs(c.Floor-floor) > 0.3*floor || math.Abs(c.MeanWidth-1) > 0.12 {
					t.Fatalf("seed %d: %v", seed, c)
				}
			}
			// Three standard errors above the rates that are stated.
			most := func(p float64) float64 { return p*float64(n) + 3*math.Sqrt(p*float64(n)) }
			must.Be(t, float64(wrong) <= most(0.01) && float64(wrong+doubtful) <= most(0.05),
				"of %d certificates of exact draws %d are wrong and %d doubtful", n, wrong, doubtful)
			t.Logf("of %d certificates of exact draws %d are wrong and %d doubtful", n, wrong, doubtful)
			post := expfam.Must(exact.Sample(500, 1))
			v := post.Info.Certificate
			must.Be(t, v == nil, "exact.Sample has the certificate %v", v)
			mean := post.Latent().Mean()
			for name, change := range map[string]func(x float64, j int) float64{
				"too narrow": func(x float64, j int) float64 { return mean[j] + 0.85*(x-mean[j]) },
				"too wide":   func(x float64, j int) float64 { return mean[j] + 1.15*(x-mean[j]) },
				"shifted":    func(x float64, j int) float64 { return x + 0.4*math.Sqrt(exact.Cov.At(j, j)) },
			} {
				spoiled := &expfam.Posterior{X: mat.DenseCopyOf(post.X), Likelihood: post.Likelihood}
				spoiled.X.Apply(func(_, j int, x float64) float64 { return change(x, j) }, spoiled.X)
				c := expfam.Must(spoiled.Certify(m.prior, m.obs))
				must.Be(t, c.Verdict() == "wrong", "%s: %v, P %.2g", name, c, c.P)
				if spoiled.Info.Certificate = c; !strings.Contains(spoiled.Alarm(), "not the posterior") {
					t.Errorf("%s: alarm %q", name, spoiled.Alarm())
				}
			}
		})
	}
}

// The shift and the width that a certificate finds are those that draws were given.
func TestCertificateMeasures(t *testing.T) {
	m := certifiedModels(t)[0]
	exact := must.Get(gp.Exact(m.prior, m.like, m.obs))(t)
	post := expfam.Must(exact.Sample(20000, 3))
	// The coarsest mode is shifted by half of its posterior standard deviation.
	_, l, ok := traits.Modes(m.prior, 1)
	must.Need(t, ok, "an RBF has no modes")
	direction := l.ColView(0)
	var v mat.VecDense
	v.MulVec(exact.Cov, direction)
	sd := math.Sqrt(mat.Dot(direction, &v)) / mat.Dot(direction, direction) // of z
	draws, cells := post.Dims()
	mean := post.Latent().Mean()
	for i := range draws {
		for j := range cells {
			post.X.Set(i, j, mean[j]+1.1*(post.X.At(i, j)-mean[j])+0.5*sd*direction.AtVec(j))
		}
	}
	c := expfam.Must(post.Certify(m.prior, m.obs))
	// Standard errors of .007 in the shift, and of .005/√20 in the mean width.
	if math.Abs(c.Shift[0]-0.55) > 0.04 && math.Abs(c.Shift[0]-0.5) > 0.04 || math.Abs(c.MeanWidth-1.1) > 0.006 {
		t.Errorf("shift %.3f, want .5; width %.3f, want 1.1", c.Shift[0], c.MeanWidth)
	}
	for k, v := range c.Shift[1:] {
		must.Be(t, math.Abs(v) <= 0.05, "mode %d is shifted by %.3f, and was not moved", k+1, v)
	}
}

// The draws of one chain are not independent: those of an autocorrelation of .9 are worth a nineteenth of their number.
func TestCertificateOfOneChain(t *testing.T) {
	m := certifiedModels(t)[0]
	x := expfam.Must(expfam.Must(gp.Exact(m.prior, m.like, m.obs)).Sample(4000, 1)).X
	mean := (&expfam.Draws{X: x}).Mean()
	for i := 1; i < 4000; i++ {
		row, last := x.RawRowView(i), x.RawRowView(i-1)
		for j, v := range row {
			row[j] = mean[j] + 0.9*(last[j]-mean[j]) + math.Sqrt(1-0.81)*(v-mean[j])
		}
	}
	for chains, most := range map[int]float64{0: 4000, 1: 600, 4: 600} {
		post := &expfam.Posterior{X: x, Likelihood: m.like, Info: expfam.Info{Chains: chains}}
		c := must.Get(post.Certify(m.prior, m.obs))(t)
		must.Be(t, c.Draws <= most && c.Draws > 100 && (chains == 0 || c.Verdict() == "agrees"),
			"%d chains: %g draws, %v", chains, c.Draws, c)
	}
}

// A certificate survives the file, the shares and the likelihoods of a posterior.
func TestCertificateIsKept(t *testing.T) {
	m := certifiedModels(t)[0]
	exact := must.Get(gp.Exact(m.prior, m.like, m.obs))(t)
	whole := expfam.Must(exact.Sample(1000, 1))
	var shares []*expfam.Posterior
	for i := range 2 {
		x := mat.DenseCopyOf(whole.X.Slice(500*i, 500*(i+1), 0, 30))
		share := &expfam.Posterior{X: x, Likelihood: whole.Likelihood, Info: expfam.Info{Run: "r", First: 500 * i}}
		share.Info.Certificate = expfam.Must(share.Certify(m.prior, m.obs))
		shares = append(shares, share)
	}
	merged := expfam.Must(expfam.Merge(shares...))
	c, want := merged.Info.Certificate, expfam.Must(whole.Certify(m.prior, m.obs))
	must.Be(t, c != nil && c.Draws == 1000 && math.Abs(c.MeanWidth-want.MeanWidth) <= 0.01 &&
		math.Abs(c.Location-want.Location) <= 0.01 && c.Verdict() == "agrees",
		"merged: %v, want %v", c, want)
	path := filepath.Join(t.TempDir(), "posterior")
	must.Do(t, merged.Save(path))
	loaded := expfam.Must(expfam.LoadPosterior(path, merged.Likelihood))
	if got := fmt.Sprint(loaded.Info.Certificate); got != c.String() || !strings.Contains(loaded.String(), got) {
		t.Errorf("loaded: %s, want %v in the summary", got, c)
	}
}

// Shares whose certificates or diagnostics are an alarm make a whole with this alarm.
func TestAlarmsOfSharesAreKept(t *testing.T) {
	far, draws := &expfam.Certificate{Far: 500, Worst: 50}, 250.0
	good := &expfam.Certificate{Shift: []float64{0.01}, ShiftSE: []float64{0.06}, Width: []float64{1},
		WidthSE: []float64{0.04}, Draws: draws, MeanWidth: 1, MeanWidthSE: 0.04, Location: 0.01, Floor: 0.06, P: 0.9}
	equal := &expfam.Certificate{Shift: []float64{0}, ShiftSE: []float64{0}, Width: []float64{0.001},
		WidthSE: []float64{0}, Draws: draws, MeanWidth: 0.001, Worst: 100} // of draws that are all the same
	images := &expfam.Certificate{Shift: []float64{0.9}, Sigma: 0.1, OtherSigma: 0.2, P: 1e-9}
	for name, c := range map[string]struct {
		of      []*expfam.Certificate
		verdict string
	}{
		"all draws far off":         {[]*expfam.Certificate{far, far}, "wrong"},
		"those of one share":        {[]*expfam.Certificate{good, far}, "wrong"},
		"two good ones":             {[]*expfam.Certificate{good, good}, "agrees"},
		"draws that are all equal":  {[]*expfam.Certificate{equal, equal}, "wrong"},
		"images, one share":         {[]*expfam.Certificate{images}, "wrong"},
		"images, of which no whole": {[]*expfam.Certificate{images, images}, ""},
	} {
		var shares []*expfam.Posterior
		for i, certificate := range c.of {
			shares = append(shares, &expfam.Posterior{X: mat.NewDense(1, 1, []float64{0}), Info: expfam.Info{Run: "r",
				First: i, Certificate: certificate, Diagnostics: map[string]float64{"nodes": float64(i)}}})
		}
		shares[len(shares)-1].Info.Diagnostics["unmixed"] = 1
		whole := must.Get(expfam.Merge(shares...))(t)
		must.Be(t, whole.Info.Certificate.Verdict() == c.verdict, "%s: %v, want %q", name, whole.Info.Certificate,
			c.verdict)
		must.Be(t, strings.Contains(whole.Alarm(), "did not forget their starts") &&
			whole.Info.Diagnostics["nodes"] == 0, "%s: alarm %q, %v", name, whole.Alarm(), whole.Info.Diagnostics)
		must.Do(t, whole.Save(filepath.Join(t.TempDir(), "whole")))
	}
}

// A certificate asks for more draws where they would decide: not where draws agree, not where they are surely wrong,
// and not of many draws. The second time it asks only if it does not agree.
func TestCertificateOpen(t *testing.T) {
	certificate := func(p, shift, draws float64) *expfam.Certificate {
		return &expfam.Certificate{Shift: []float64{shift}, ShiftSE: []float64{0.045}, Width: []float64{1},
			WidthSE: []float64{0.03}, Draws: draws, Location: shift, Floor: 0.045, MeanWidth: 1, P: p}
	}
	far, images := certificate(0.02, 0.15, 500), certificate(0.02, 0.15, 500)
	far.Far, images.OtherSigma = 1, 0.1
	doubtful, agrees := certificate(0.04, 0.12, 1000), certificate(0.06, 0.12, 1000)
	doubtful.Further, agrees.Further = 500, 500
	for name, c := range map[string]struct {
		of   *expfam.Certificate
		open bool
	}{
		"agrees":          {certificate(0.3, 0.08, 500), false},
		"nearly doubtful": {certificate(0.1, 0.1, 500), true},
		"doubtful":        {certificate(0.02, 0.13, 500), true},
		"wrong":           {certificate(0.002, 0.17, 500), true},
		"surely wrong":    {certificate(1e-5, 0.25, 500), false},
		"of many draws":   {certificate(0.02, 0.1, 1500), false},
		"far off":         {far, false},
		"doubtful again":  {doubtful, true},
		"agrees then":     {agrees, false},
		"images":          {images, false},
		"none":            {nil, false},
	} {
		must.Be(t, c.of.Open() == c.open, "%s: %v is open: %v", name, c.of, c.of.Open())
	}
}

func TestCertificateRefuses(t *testing.T) {
	m := certifiedModels(t)[0]
	post := expfam.Must(expfam.Must(gp.Exact(m.prior, m.like, m.obs)).Sample(100, 1))
	must.Refuse(post.Certify(gp.RBF{Cells: 29}, m.obs))(t, "29 cells")
	_, err := post.Certify(struct{}{}, m.obs)
	must.Be(t, errors.Is(err, traits.ErrNoScore), "error %v", err)
	must.Refuse(post.Certify(m.prior, m.obs[1:]))(t, "29 observations")
	// Some draws of strongly correlated chains cannot tell.
	blind := expfam.Certificate{Location: 0.3, Floor: 0.4, MeanWidth: 1, MeanWidthSE: 0.2, P: 0.6}
	must.Be(t, blind.Verdict() == "doubtful" && strings.Contains(blind.String(), "sees little"), "%v", &blind)
	few := expfam.Must(expfam.Must(gp.Exact(m.prior, m.like, m.obs)).Sample(99, 1))
	few.SetCertificate(few.Certify(m.prior, m.obs))
	must.Be(t, strings.Contains(few.Info.String(), "no certificate: 99 draws"), "%v", few.Info)
	// A draw where exp(x) is beyond all data has a score that hides all others.
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	far := &expfam.Posterior{X: post.X, Likelihood: like}
	far.X.Set(3, 4, 30)
	obs := slices.Repeat(expfam.Observations{{Stat: 1, Size: 1}}, 30)
	c := expfam.Must(far.Certify(m.prior, obs))
	must.Be(t, c.Far == 1 && c.Verdict() == "wrong", "%d draws far off, %v", c.Far, c)
}
