package faults

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/must"
)

// interruptAfter sends this process what Ctrl-C sends, after a time.
func interruptAfter(after time.Duration) {
	time.AfterFunc(after, func() {
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Signal(os.Interrupt)
		}
	})
}

// Interrupts at random moments, of one run again and again: what is returned are its
// first draws, and in the end all of them.
func TestInterrupts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts here")
	}
	a := newArea("interrupts")
	guard := make(chan os.Signal, 100) // what comes between two runs ends no test
	signal.Notify(guard, os.Interrupt)
	defer signal.Stop(guard)
	fresh := sampled()
	fresh.Fresh = true
	whole := must.Get(diffusion.Sample(few, poisson, data, fresh))(t)
	network := must.Get(whatNetwork())(t)
	for i := range cases(2, 400) {
		dir, moment := t.TempDir(), a.rng.Float64()
		if i%2 == 0 {
			a.try(t, fmt.Sprintf("sampling, interrupted at %.3f", moment), func() error {
				_, err := inStore(dir, func() (string, error) { return "", interruptSampling(whole, moment) })
				return err
			})
			continue
		}
		a.try(t, fmt.Sprintf("training, interrupted at %.3f", moment), func() error {
			_, err := inStore(dir, func() (string, error) { return "", interruptTraining(network, moment) })
			return err
		})
	}
}

// during is a callback that interrupts a run at its share of all steps, or between two of them.
func during(moment float64) func(done, total int, _ float64) {
	sent := false
	return func(done, total int, _ float64) {
		if sent || done < int(moment*float64(total)) {
			return
		}
		sent = true
		interruptAfter(time.Duration(moment * float64(time.Millisecond)))
	}
}

func interruptSampling(whole *expfam.Posterior, moment float64) error {
	draws, cells := whole.Dims()
	s := sampled()
	s.Progress = during(moment)
	for range 3 {
		post, err := diffusion.Sample(few, poisson, data, s)
		if err != nil && !errors.Is(err, expfam.ErrInterrupted) {
			return lose("the run fails: %v", err)
		}
		if post != nil {
			n, _ := post.Dims()
			if n > draws || err == nil && n < draws || !mat.Equal(post.X, whole.X.Slice(0, n, 0, cells)) {
				return wrong("%d draws that are not the first of %d; error %v", n, draws, err)
			}
		} else if err == nil {
			return lose("no draws and no error")
		}
		s.Progress = during(moment)
	}
	s.Progress = nil
	post, err := diffusion.Sample(few, poisson, data, s)
	switch {
	case err != nil && errors.Is(err, expfam.ErrInterrupted):
		return nil // by the last interrupt, which came late
	case err != nil:
		return lose("the last run fails: %v", err)
	case !mat.Equal(post.X, whole.X):
		return wrong("the last run has other draws")
	}
	return nil
}

func interruptTraining(want string, moment float64) error {
	c := trained()
	c.Progress = during(moment)
	for range 3 {
		got, err := learned(learn.Train(few, c))
		switch {
		case err == nil && got != want:
			return wrong("another network")
		case err != nil && !errors.Is(err, expfam.ErrInterrupted):
			return lose("the run fails: %v", err)
		case err != nil && !strings.Contains(err.Error(), "run it again"):
			return wrong("the error has no next step: %v", err)
		}
		c.Progress = nil
	}
	return nil
}
