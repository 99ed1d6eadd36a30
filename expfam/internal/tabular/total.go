package tabular

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// total is a word for a sum of other rows, in the languages of statistical offices and of the pivot tables of
// spreadsheets.
var total = regexp.MustCompile(`^(?:(?:grand|sub|eind|hoved)?tota(?:ls?|les?|li|ux|lt|al|ler|aler|lsumm?a?)|` +
	`(?:gesamt|zwischen|teil|end|del|loppu)?summ[ae]|gesamt|insgesamt|gesamtergebnis|sum|suma|soma|somme|sumatoria|` +
	`overall|alle?|ensemble|toplam|ukupno|sveukupno|jumlah?|kabuuan|celkem|celkom|spolu|součet|súčet|` +
	`razem|ogółem|` +
	`łącznie|(?:vég|rész)összeg|összesen|yhteensä|kokku|kopā|skupaj|gjithsej|cəmi|итого?|` +
	`всего|усього|всього|разом|` +
	`загалом|всичко|общо|укупно|вкупно|барлығы|нийт|σύνολο|` +
	`άθροισμα|σ|∑|合计|合計|总计|總計|総計|総数|小计|小計|` +
	`計|全国|계|합계|총계|총합계|소계|전체|전국|(?:ال)?مجموع|` +
	`(?:ال)?[اإ]جمالي|جمع|कुल|योग|जम्मा|মোট|` +
	`மொத்தம்|ድምር|ጠቅላላ|სულ|ընդամենը|ยอดรวม|รวม|` +
	`tổng|cộng|i alt|iš viso|סך הכו?ל|סה כ)$`)

// general are words that only tell which sum it is.
var general = regexp.MustCompile(`^(?:grand|sub|sous|g[eé]n[eé]rale?|general|geral|genel|final|` +
	`complessivo|końcowa|` +
	`celkový|kaikki|γενικό|общий|الكلي|العام|کل|số|national|nacional|country|pays|` +
	`pa[ií]s|du|del?|стране|по)$`)

// together are words that may name a sum beside other words, surely are words that name no place, and mean are those
// for means, in any case.
var (
	surely   = regexp.MustCompile(`(?i)tota|gesamt|итог|合[计計]`)
	together = regexp.MustCompile(`(?i)\b(?:sub)?tota|\b(?:both|whole|entire|combined|country|countrywide|nation|` +
		`nation(?:al|wide)|nacional|state|r[eé]p[uú]bli(?:ca|que)|land|pays|pa[ií]s)\b`)
	mean = regexp.MustCompile(`(?i)^(?:mean|average|avg|mittelwert|mittel|durchschnitt|moyenne|promedio|m[eé]dia|` +
		`gemiddelde|gennemsnitt?|medel|ortalama|średnia|среднее|平均|المتوسط)\b`)
)

// Named reports whether a cell names a sum of other rows: all of its words mean that, but for one in brackets, as in
// Total général and Total (national).
func Named(cell string) bool {
	cell, _, _ = strings.Cut(cell, "(")
	words := strings.FieldsFunc(strings.ToLower(norm.NFC.String(cell)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '∑'
	})
	return total.MatchString(strings.Join(words, " ")) || slices.ContainsFunc(words, total.MatchString) &&
		!slices.ContainsFunc(words, func(w string) bool { return !total.MatchString(w) && !general.MatchString(w) })
}

// Totals finds the sums of other rows among the rows of a column. A row whose name is that of a sum, and that is one of
// all rows without such a name, of those above, or of those since the last sum, is a sum. So is the first or the last
// row if it alone has such a name, and any row named Total, if it alone is or if Total is its only name: the sum may
// count what is missing, or be of rates. By the number alone, the first or the last row is one if it is the sum of at
// least three others, or of at least six others of which each counts twice because sums of some are among them; the sum
// of two others if its name suggests it. The mean of others is no row either.
type Totals struct{ rows []totalRow }

// totalRow is a row: its line, what it is called and its value.
type totalRow struct {
	line  int
	name  string
	value float64
	named bool
	text  bool // the name is no number
}

// Add looks at a row. The cells are those beside the value at the index at.
func (t *Totals) Add(line int, cells []string, at int, value float64) {
	row := totalRow{line: line, value: value}
	for i, cell := range cells {
		if i == at {
			continue
		}
		switch cell = strings.TrimSpace(cell); {
		case Named(cell):
			row.name, row.named = strings.Clone(cell), true
		case cell != "" && !row.text: // the first text, or else the first number
			_, _, number := Number(cell, ';', 0)
			if row.text = !number; row.text || row.name == "" {
				row.name = strings.Clone(cell[:min(len(cell), 60)])
			}
		}
	}
	t.rows = append(t.rows, row)
}

// Check refuses a column that has a sum of other rows.
func (t *Totals) Check() error {
	var all, above, since Sums
	named := 0
	for _, r := range t.rows {
		if r.named {
			named++
		} else {
			all.Add(r.value)
		}
	}
	for _, r := range t.rows {
		if !r.named {
			above.Add(r.value)
			since.Add(r.value)
			continue
		}
		for _, s := range []Sums{all, above, since} {
			if s.n > 1 && s.is(r.value, 1e-3) {
				return r.is("the sum of other lines", "")
			}
		}
		since = Sums{}
	}
	n := len(t.rows)
	if n < 3 {
		return nil
	}
	const own = ", or set Totals if it is a row of its own"
	for _, r := range t.rows { // also where rows are sorted by name or by value
		if r.named && (named == 1 || !r.text && named < n) && surely.MatchString(r.name) {
			return r.is("named as the sum of other lines", own)
		}
	}
	for _, k := range []int{0, n - 1} {
		var others Sums
		for i, r := range t.rows {
			if i != k {
				others.Add(r.value)
			}
		}
		r := t.rows[k]
		sum := others.All(r.value) || others.n >= 6 && others.All(2*r.value) ||
			together.MatchString(r.name) && others.Several() && r.value >= 10 && others.is(r.value, 1e-9)
		middle := others.v / float64(others.n)
		switch {
		case sum && !t.inSeries(k):
			return r.is("the sum of other lines", own)
		case r.named && named == 1:
			return r.is("named as the sum of other lines", own)
		case others.n > 1 && mean.MatchString(r.name) && math.Abs(r.value-middle) <= .005*math.Abs(middle):
			return r.is("the mean of other lines", own)
		}
	}
	return nil
}

func (r totalRow) is(what, or string) error {
	return fmt.Errorf("line %d, %q, is %s, %g; remove it, because a column has a value for each line%s", r.line, r.name,
		what, r.value, or)
}

// inSeries reports whether the first or the last row is called by a date or a number that goes on with those of its
// neighbours, as the rows of a series are. A sum has another name, a year beside months, or a number such as 99.
func (t *Totals) inSeries(k int) bool {
	near := t.rows[max(0, k-2):][:3]
	if near[0].name == near[2].name {
		return false
	}
	if date, err := ParseDate(near[1].name); err == nil {
		own, err := ParseDate(t.rows[k].name)
		return err == nil && own.Span == date.Span
	}
	var at [3]float64
	for i, r := range near {
		v, _, ok := Number(r.name, ';', 0)
		if at[i] = v; !ok {
			return false
		}
	}
	return math.Abs(at[2]-2*at[1]+at[0]) <= 1e-6*math.Abs(at[2]-at[0])
}

// Sums are numbers of values and their sum, without missing ones.
type Sums struct {
	n, positive int
	v           float64
	negative    bool
	decimals    int // the most that a value has
}

// Add adds a value, unless it is NaN.
func (s *Sums) Add(v float64) {
	if math.IsNaN(v) {
		return
	}
	s.n, s.v = s.n+1, s.v+v
	s.negative = s.negative || v < 0
	_, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
	s.decimals = max(s.decimals, len(fraction))
	if v > 0 {
		s.positive++
	}
}

// is reports whether v is the sum, up to a relative difference.
func (s Sums) is(v, off float64) bool { return math.Abs(s.v-v) <= off*math.Abs(s.v) }

// Is reports whether v is the sum, or there is neither.
func (s Sums) Is(v float64) bool { return s.is(v, 1e-9) || s.n == 0 && math.IsNaN(v) }

// Several reports whether two values or more are positive and none is negative.
func (s Sums) Several() bool { return s.positive >= 2 && !s.negative }

// All reports whether v is the sum by the number alone: of at least three values of which two are positive and none is
// negative. Of numbers as small as 1, 1, 1 and 3, or .1, .1, .1 and .3, nobody can tell.
func (s Sums) All(v float64) bool {
	return s.n >= 3 && s.Several() && v*math.Pow10(s.decimals) >= 10 && s.is(v, 1e-9)
}
