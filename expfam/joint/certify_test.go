package joint_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
)

// Draws of a field with its length scale and sd agree with the joint posterior, given the parameters of each.
func TestCertificate(t *testing.T) {
	prior := gp.Unknown{Of: gp.RBF{Cells: 20}}
	certificates(t, prior, expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}, 6)
	certificates(t, prior, expfam.Likelihood{Family: expfam.NB2{}, Link: expfam.ExpLink,
		Unknown: law.Laws{"dispersion": nil}}, 2)
}

func certificates(t *testing.T, prior gp.Unknown, like expfam.Likelihood, seeds int) {
	t.Helper()
	obs := make(expfam.Observations, 20)
	for j := range obs {
		if j%4 > 0 {
			obs[j] = expfam.Term{Stat: math.Round(6 * math.Exp(math.Sin(float64(j)/3))), Size: 6}
		}
	}
	wrong := 0
	for seed := range uint64(seeds) {
		post := expfam.Must(joint.Sample(prior, like, obs, joint.Options{Draws: 300, Seed: seed, Fresh: true}))
		c := post.Info.Certificate
		if c == nil {
			t.Fatal("no certificate")
		}
		if t.Log(c, post.Info.Seconds); c.Verdict() == "wrong" {
			wrong++
		}
	}
	if wrong > 1 { // two of six come with a probability of .0015
		t.Errorf("%d of %d are called wrong", wrong, seeds)
	}
}

// The prior of the field differs from draw to draw. Draws of p(x₀ | u, y) agree, and the same draws beside the
// parameters u of the draws before them do not.
func TestCertificateOfEach(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.5}, Link: expfam.IdentityLink}
	obs := make(expfam.Observations, 12)
	for j := range obs {
		obs[j] = expfam.Term{Stat: math.Sin(float64(j)), Size: 1}
	}
	priors := make([]*gp.Gaussian, 40)
	post := &expfam.Posterior{X: mat.NewDense(400, 12, nil), Likelihood: like}
	which, other := make([]int, 400), make([]int, 400)
	for k := range priors {
		variance := math.Pow(2, float64(k%7)-3)
		priors[k] = gp.RBF{Cells: 12, Variance: variance, Length: 0.1 + 0.01*float64(k%3)}.Gaussian()
		part := expfam.Must(expfam.Must(gp.Exact(priors[k], like, obs)).Sample(10, uint64(k)))
		for i := range 10 {
			post.X.SetRow(10*k+i, part.X.RawRowView(i))
			which[10*k+i], other[10*k+i] = k, (k+1)%len(priors)
		}
	}
	prior := func(k int) any { return priors[k] }
	if c := expfam.Must(post.CertifyEach(obs, which, prior)); c.Verdict() == "wrong" {
		t.Errorf("right draws: %v", c)
	}
	if c := expfam.Must(post.CertifyEach(obs, other, prior)); c.Verdict() != "wrong" {
		t.Errorf("draws beside other parameters: %v", c)
	}
}
