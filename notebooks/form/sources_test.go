package form

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// given are numbers of the prose that nothing computes: levels, what the paper prints, what was measured elsewhere, and
// numbers of the library. A phrase covers all numbers in it.
var given = map[string][]string{
	"00":  {"a probability of 95%"},
	"00b": {"The paper takes 1000 steps", "on 64 fresh draws"},
	"02":  {"trains** for 3000 steps", "predicted from the other 29"},
	"03": {"a network 999 to 1999 times", "0.085 without data, and 0.12 in the next figure", // benchmarks
		"is 0.058 to 0.065)", "networks trained for 100 000 epochs"},
	"04": {"on 256×256 cells", "0.45 times on 256 images", "if it is at most .01", "hold 85% of the sums", // benchmarks
		"and ours 95%", "images, under an earlier network", "80% of the cells seen and 20% held out",
		"of 30 images"},
	"05": {"[doi:10.7910/DVN/Z29FR0]", "64×64 cells", "and 78% of those held out", "81% and 43% for", "reports .1207",
		".1225 for the GMRF", "256×256 cells, 7048 of them", "error .1207)", "(.1225)", "of which 7048 have surveys",
		"held out of .1207 for the median", "and .1225 for the mean"},
	"06": {"from .3 to .4 has 41, and the band ends at 33", "in about 14 000 experiments", // bins of a figure
		"with the seeds 2, 3 and 4", "same bin has 20, 16 and 20", "below 0.05/4",
		"simulations give 0.0011, and 0.26", // a thousand simulations take minutes
		"up to 128 cells", "is 13 standard deviations", "clip between 0.03", "error of about 0.01", "instead of 3000"},
	"07": {"in units of 100 000 people", "among 100 000 people"},
	"08": {"it is at least 0.9", "errors of .01 to .02", "between 0 and 39 cases"},
	"10": {"anything from .7 to 1.2"}, // by seven seeds, and TestWithoutAgainstRefits of expfam/decide
}

var (
	// Mathematics, code, tables, addresses, numbers of lists and references are no prose.
	elsewhere = regexp.MustCompile("(?s)\\$\\$.*?\\$\\$|\\$[^$]*\\$|```.*?```|`[^`]*`|\\]\\([^)]*\\)|" +
		`(?m:^\|.*$)|(?m:^ *\d+\. )|\[[lL]esson\s+\w+\]|` +
		`(?i:sections?|eq\.|figures?|assumptions?|appendix|table)\s+[A-Z]?[\d.]+(?:(?:,| and| to)\s+[A-Z]?[\d.]+)*|` +
		`(?:50|80|90|95)%\s+(?:predictive\s+)?intervals?`)
	numeral = regexp.MustCompile(`(?:\d{1,3}(?:[ ,]\d{3})+|\d+(?:\.\d+)?|\.\d+)%?`)
	literal = regexp.MustCompile(`(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?`)
	comment = regexp.MustCompile(`//.*`)
)

// Every number of the prose has its source: an output, a calculation, the code of the lesson, or a line of given. Whole
// numbers below 13 and years are words.
func TestSources(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	all, sourced := lessons(t), map[string][]string{}
	byName := map[string]lesson{}
	for _, l := range all {
		byName[l.name], sourced[l.name] = l, append(sourced[l.name], given[l.name]...)
	}
	at := func(lesson, says, number string) {
		sourced[lesson] = append(sourced[lesson], strings.Replace(says, "{}", "\x00"+number+"\x00", 1))
	}
	for _, c := range claims {
		at(c.lesson, c.says, c.number)
	}
	for _, c := range calculate(t, byName) {
		at(c.lesson, c.says, c.number)
	}
	for _, l := range all {
		literals := map[float64]bool{}
		for _, c := range l.cells {
			if c.Type == "code" {
				for _, s := range literal.FindAllString(comment.ReplaceAllString(strings.Join(c.Source, ""), ""), -1) {
					v, _ := strconv.ParseFloat(s, 64)
					literals[v] = true
				}
			}
		}
		for _, n := range l.unsourced(sourced[l.name], literals) {
			t.Errorf("lesson %s: %s has no source: make it a claim, a calculation or a line of given", l.name, n)
		}
	}
}

// A number without a source is found; a literal of the code, a small whole number, a reference and a phrase are not.
func TestUnsourced(t *testing.T) {
	l := lesson{prose: "In section 3.14, of 17.3 runs 40% end, 5 in `0.7`, as $x=0.9$ and 18.1 did.\n## Exercises\n6.6"}
	must.Equal(t, len(l.unsourced([]string{"and \x0018.1\x00 did"}, map[float64]bool{0.4: true})), 1, "numbers found")
	must.Equal(t, len(l.unsourced(nil, nil)), 3, "numbers found without sources")
}

// unsourced returns the numbers of the prose that neither a phrase nor a literal of the code has, with their context.
func (l lesson) unsourced(phrases []string, literals map[float64]bool) (out []string) {
	prose, _, _ := strings.Cut(l.prose, "## Exercises\n")
	flat := strings.ReplaceAll(prose, "\n", " ")
	covered := make([]bool, len(flat))
	for _, phrase := range phrases {
		before, rest, marked := strings.Cut(phrase, "\x00")
		number, after, _ := strings.Cut(rest, "\x00")
		whole, from, to := before+number+after, len(before), len(before)+len(number)
		if !marked {
			from, to = 0, len(whole)
		}
		for start := 0; ; start++ {
			i := strings.Index(flat[start:], whole)
			if i < 0 {
				break
			}
			start += i
			for k := from; k < to; k++ {
				covered[start+k] = true
			}
		}
	}
	masked := strings.ReplaceAll(elsewhere.ReplaceAllStringFunc(prose, func(s string) string {
		return strings.Repeat("\x01", len(s))
	}), "\n", " ")
	for _, at := range numeral.FindAllStringIndex(masked, -1) {
		text := masked[at[0]:at[1]]
		value, _ := strconv.ParseFloat(strings.NewReplacer(" ", "", ",", "", "%", "").Replace(text), 64)
		whole, percent := !strings.ContainsAny(text, ".%"), strings.HasSuffix(text, "%")
		word := at[0] > 0 && isWord(masked[at[0]-1]) || at[1] < len(masked) && isWord(masked[at[1]])
		small := whole && (value < 13 || value >= 1900 && value < 2100)
		if covered[at[0]] || word || small || literals[value] || percent && literals[value/100] {
			continue
		}
		out = append(out, strconv.Quote(text)+" in "+strconv.Quote(flat[max(0, at[0]-40):min(len(flat), at[1]+25)]))
	}
	return out
}

func isWord(b byte) bool { return b == '_' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' }
