package formula

import (
	"testing"

	"github.com/expfam/lab/internal/must"
)

func TestLaTeX(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"5+x", `x + 5`},
		{"1-2*x", `1 - 2 x`},
		{"exp(5+x)", `e^{x + 5}`},
		{"1/exp(x)", `e^{-x}`},
		{"sigmoid(5*x)", `\sigma\left(5 x\right)`},
		{"log(theta)", `\log\left(\theta\right)`},
		{"-log1m(theta)", `-\log\left(1 - \theta\right)`},
		{"log(1+x^2)", `\log\left(1 + x^{2}\right)`},
		{"-1/(2*theta)", `-\frac{0.5}{\theta}`},
		{"theta^2/2", `0.5 \theta^{2}`},
		{"sqrt(1+x^2)", `\sqrt{x^{2} + 1}`},
		{"1/(2+x)^3", `\frac{1}{\left(x + 2\right)^{3}}`},
		{"exp(x)-1", `e^{x} - 1`},
		{"x*(exp(x)-1)", `x \, \left(e^{x} - 1\right)`},
		{"normcdf(x)", `\Phi\left(x\right)`},
		{"log(normcdf(x))", `\log\Phi\left(x\right)`},
		{"logit(1-exp(-exp(x)))", `e^{x} + \log\left(1 - e^{-e^{x}}\right)`},
		{"softplus(x)^2", `\left(\operatorname{softplus}\left(x\right)\right)^{2}`},
		{"pi*x/3e7", `1.0472 \times 10^{-7} x`},
		{"pi+x", `x + \pi`},
		{"log(2)+x", `x + 0.693147`},
		{"exp(rate_0)", `e^{\mathrm{rate\_0}}`},
	} {
		t.Run(c.in, func(t *testing.T) { must.Equal(t, MustParse(c.in).LaTeX(), c.want) })
	}
}
