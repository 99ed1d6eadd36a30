package form

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// elements are the parts of the paper, each with the lesson that has it and words by which it is found there.
var elements = []struct{ element, lesson, words string }{
	{"forward SDE, transition kernel, reverse SDE", "00b", `\qquad\text{(reverse SDE)}`},
	{"denoising score matching", "00b", "Its loss is called **denoising score matching**"},
	{"overview and graphical model, figures 1 and 2", "01", `x_t\;\longleftarrow\; x_0\;\overset{g^{-1}}{\longrightarrow}\;\theta`},
	{"the evidence trick in closed form", "01", "**The evidence trick.** Replace it by the conjugate"},
	{"lemma on the divergence, theorem on the amortised objective", "01",
		"**Theorem (no reverse expectation is needed).**"},
	{"inference network", "02", "In the paper's evidence trick an *inference network* emits"},
	{"score by automatic differentiation", "01", "which automatic differentiation has"},
	{"conjugates of twelve likelihoods, table A1", "01", "### The twelve conjugates"},
	{"links, by the parameter or by the expected statistic", "02", "**Where the paper's links come from.**"},
	{"scaling of the link, sigmoid(5x)", "02", "The paper uses `sigmoid(5*x)`"},
	{"observation operator H", "07", "an observation operator $H$"},
	{"predictor and corrector, SNR 0.1, 1000 levels, clip", "00b", "**Predictor and corrector.**"},
	{"DPS, Poisson-LS, Poisson-DPS", "03", "**Poisson-LS** and **Poisson-DPS**"},
	{"one-dimensional benchmark", "03", "section 4.1 of *Diffusion Models for Inverse Problems"},
	{"figures A1 to A5", "03", "## Figures A4 and A5"},
	{"Score-Based Cox process, its sizes", "04", "256×256 cells, $N=50$ visits, 80% of the cells seen"},
	{"figures A6 to A9", "04", "No building heights are among them"},
	{"figure A10, varying N", "04", "the paper's figure A10"},
	{"malaria, its sizes", "05", "256×256 cells, 7048 of them with data"},
	{"figure 3, rates, median, quartiles, Nigeria", "05", "the paper's figure 3"},
	{"figure A11, error against a GMRF", "05", "compares its median (mean absolute error .1207)"},
	{"figures A12 and A13, checks", "05", "80% of the cells seen and 78% of those held out"},
	{"limitations: speed, failures, clipping", "03", "The paper says in its limitations"},
	{"ablations", "03", "The paper varies $N$ only"},
}

// Each of the 24 elements of the paper stands in its lesson, and docs/course.md says in which.
func TestPaper(t *testing.T) {
	must.Equal(t, len(elements), 24, "elements")
	all := lessons(t)
	page := string(must.Get(os.ReadFile("../../docs/course.md"))(t))
	for _, e := range elements {
		l := all[slices.IndexFunc(all, func(l lesson) bool { return l.name == e.lesson })]
		must.Be(t, strings.Contains(blanks(l.prose), e.words), "lesson %s has no %q", e.lesson, e.words)
		must.Be(t, strings.Contains(page, "| "+e.element+" | "+e.lesson+" |"), "docs/course.md has no %q of lesson %s",
			e.element, e.lesson)
	}
}
