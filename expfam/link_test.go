package expfam

import (
	"math"
	"testing"
)

func TestLinkAt(t *testing.T) {
	for _, c := range []struct {
		text    string
		x, want float64
	}{
		{"exp(5+x)", -2, math.Exp(3)},
		{"sigmoid(5*x)", 0.2, 1 / (1 + math.Exp(-1))},
		{"1/exp(x)", 3, math.Exp(-3)},
		{"x", 7, 7},
	} {
		t.Run(c.text, func(t *testing.T) {
			l := MustLink(c.text)
			if got := l.At(c.x); math.Abs(got-c.want) > 1e-15*c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestParseLinkRefuses(t *testing.T) {
	for _, text := range []string{"", "3", "exp(y)", "x+y", "exp(x", "x/0", "foo(x)", "log(-1)+x", "x-x", "theta"} {
		t.Run(text, func(t *testing.T) {
			if l, err := ParseLink(text); err == nil {
				t.Errorf("accepted as %v", l)
			}
		})
	}
}

func TestInverseAt(t *testing.T) {
	for _, text := range []string{"exp(5+x)", "sigmoid(5*x)", "1/exp(x)", "x", "2-3*x", "x+0.5*tanh(x)"} {
		for _, x := range []float64{-3, -0.7, 0, 0.1, 5} {
			t.Run(text, func(t *testing.T) {
				l := MustLink(text)
				got, err := InverseAt(l, l.At(x))
				// At saturates: sigmoid(25) has 5 digits of 1 − θ left.
				if err != nil || math.Abs(got-x) > 1e-5 {
					t.Errorf("got %v, %v; want %v", got, err, x)
				}
			})
		}
	}
	if x, err := InverseAt(SigmoidLink, 1.5); err == nil {
		t.Errorf("sigmoid has the value 1.5 at %v", x)
	}
}
