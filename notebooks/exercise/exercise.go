// Package exercise checks answers to exercises of the lessons. An answer is a number, or a posterior. A posterior is
// right if the certificate of its draws agrees with the posterior that the exercise asks for, so an answer with another
// seed, sampler or number of draws passes, and another link, a forgotten exposure or a 0 for missing does not.
package exercise

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/expfam/lab/expfam"
)

// Exercise is an exercise that has one right answer: a number, or draws of a posterior.
type Exercise struct {
	Name string // lesson and number, such as 00.2
	Task string

	Number, Tolerance float64 // the answer, if Prior is nil

	Prior expfam.Prior // with a score in closed form
	Like  expfam.Likelihood
	Data  expfam.Data
}

// Find returns the exercise of a name.
func Find(name string) (Exercise, error) {
	var names []string
	for _, e := range All {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Exercise{}, fmt.Errorf("exercise: there is no exercise %q: the names are %s", name,
		strings.Join(names, ", "))
}

// Check prints whether an answer is right, and why it is not. `expfam grade` reads these lines.
func Check(name string, answer any) { fmt.Println(Verdict(name, answer)) }

// Verdict returns the line that [Check] prints: "exercise NAME: right" or "exercise NAME: not yet: " and the reason.
func Verdict(name string, answer any) string {
	e, err := Find(name)
	if err == nil {
		err = e.Judge(answer)
	}
	if err != nil {
		return fmt.Sprintf("exercise %s: not yet: %v", name, err)
	}
	return fmt.Sprintf("exercise %s: right", name)
}

// Judge returns why an answer is not right, or nil.
func (e Exercise) Judge(answer any) error {
	if e.Prior == nil {
		return e.number(answer)
	}
	post, ok := answer.(*expfam.Posterior)
	if !ok {
		return fmt.Errorf("the answer is a %T, and the exercise asks for a posterior, such as diffusion.Sample returns",
			answer)
	}
	return e.draws(post)
}

func (e Exercise) number(answer any) error {
	var value float64
	switch n := reflect.ValueOf(answer); {
	case n.CanFloat():
		value = n.Float()
	case n.CanInt():
		value = float64(n.Int())
	case n.CanUint():
		value = float64(n.Uint())
	default:
		return fmt.Errorf("the answer is a %T, and the exercise asks for a number", answer)
	}
	if !(math.Abs(value-e.Number) <= e.Tolerance) {
		return fmt.Errorf("%.4g is further from the right number than the noise of draws explains", value)
	}
	return nil
}

// chance is the probability with which right draws are refused. A class has many answers, so it is far smaller than
// that of a certificate, which calls draws wrong at .01.
const chance = 1e-4

// draws compares a posterior with the one of the exercise. What the posterior says of its own likelihood is only used
// to name the likely cause.
func (e Exercise) draws(post *expfam.Posterior) error {
	obs, err := e.Like.Observe(e.Data)
	if err != nil {
		return err
	}
	if post == nil || post.X == nil {
		return fmt.Errorf("the posterior has no draws")
	}
	if _, cells := post.Dims(); cells != e.Prior.Dim() {
		return fmt.Errorf("the posterior has %d cells, and the exercise has %d", cells, e.Prior.Dim())
	}
	right := &expfam.Posterior{X: post.X, Likelihood: e.Like, Info: post.Info, Stats: post.Stats,
		Parameters: post.Parameters}
	c, err := right.Certify(e.Prior, obs)
	if err != nil {
		return err
	}
	if c.Verdict() != "wrong" || c.Far == 0 && c.P >= chance {
		return nil
	}
	return fmt.Errorf("the draws are of another posterior: location %.2f sd off (exact draws: %.2f), width %.2f%s",
		c.Location, c.Floor, c.MeanWidth, e.cause(post.Likelihood))
}

// cause names what of a likelihood differs from that of the exercise.
func (e Exercise) cause(like expfam.Likelihood) string {
	want, got := fmt.Sprint(e.Like), fmt.Sprint(like)
	if want != got {
		return fmt.Sprintf("; its likelihood is %s, and the exercise has %s", got, want)
	}
	return "; the likelihood is that of the exercise, so look at the prior, the data, the exposures and what is missing"
}
