package faults

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/learn"
)

// sampled is a run of some batches, in which an interrupt or a kill finds a place.
func sampled() diffusion.Sampler {
	return diffusion.Sampler{Draws: 40, Batch: 4, Seed: 3, Method: diffusion.Multistep{N: 12}, Engine: pure,
		Plan: func(diffusion.Plan) {}}
}

// trained is a training of some saved states.
func trained() learn.Training {
	return learn.Training{Net: small, Steps: 120, Batch: 16, Seed: 2, Engine: pure}
}

// whatDraws and whatNetwork are the results of both, to the bit, without a store.
var (
	whatDraws = sync.OnceValues(func() (string, error) {
		s := sampled()
		s.Fresh = true
		return drawn(diffusion.Sample(few, poisson, data, s))
	})
	whatNetwork = sync.OnceValues(func() (string, error) {
		c := trained()
		c.Fresh = true
		return learned(learn.Train(few, c))
	})
)

func drawn(post *expfam.Posterior, err error) (string, error) {
	if post == nil {
		return "", err
	}
	return fmt.Sprintf("%x", post.X.RawMatrix().Data), err
}

// learned is a text of all that a network computes with; its name has a hash of the weights.
func learned(p *learn.Prior, err error) (string, error) {
	if p == nil {
		return "", err
	}
	return fmt.Sprintf("%v %x %x %x", p, p.Scale.Mean, p.Coupling(0.3), p.Curve.HeldOut), err
}

// sampleOnce and trainOnce print what they have; args bounds the files that they may write, where it isn't empty.
func sampleOnce(args string) error {
	return once(args, func() (string, error) { return drawn(diffusion.Sample(few, poisson, data, sampled())) })
}

func trainOnce(args string) error {
	return once(args, func() (string, error) { return learned(learn.Train(few, trained())) })
}

func once(args string, run func() (string, error)) error {
	if args != "" {
		bytes, err := strconv.ParseUint(args, 10, 64)
		if err != nil {
			return err
		}
		if err := limitFiles(bytes); err != nil {
			return err
		}
	}
	begin()
	text, err := run()
	fmt.Println(text)
	return err
}

// printed is what such a process printed.
func printed(out []byte) string {
	_, text, _ := strings.Cut(string(out), "begin\n")
	return strings.TrimSuffix(text, "\n")
}

// inStore runs with another store.
func inStore(dir string, run func() (string, error)) (string, error) {
	before := os.Getenv("EXPFAM_STORE")
	os.Setenv("EXPFAM_STORE", dir)
	defer os.Setenv("EXPFAM_STORE", before)
	return run()
}
