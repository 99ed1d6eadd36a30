package raster

import (
	"slices"
	"strings"
	"unicode"
)

// Words that say that values are numbers of people or things in a cell, and words that say that they are something
// else.
var (
	counted = []string{"pop", "popn", "ppp", "population", "populations", "people", "persons", "inhabitants",
		"residents", "headcount", "count", "counts", "cases", "deaths", "births", "households", "landscan", "einwohner",
		"habitants", "habitantes", "poblacion", "población"}
	related = []string{"density", "densities", "dens", "popdens", "pd", "rate", "rates", "prevalence", "incidence",
		"share",
		"shares", "ratio", "percent", "percentage", "pct", "proportion", "fraction", "probability", "index", "growth",
		"log", "mean", "average", "median", "km", "km2", "sqkm", "ha", "hectare", "square", "sq", "mi", "mask", "class"}
)

// isCounted reports whether the name of a file, a unit or a description says that values are counts in cells, such as
// nga_ppp_2020.tif, GHS_POP_E2020.tif and people per pixel, but not people per km² or population_density.tif.
func isCounted(texts ...string) bool {
	some := false
	for _, text := range texts {
		words := wordsOf(text)
		for i, w := range words {
			per := w == "per" && i+1 < len(words) && !slices.Contains([]string{"pixel", "cell", "grid", "gridcell"},
				words[i+1])
			if per || slices.Contains(related, w) {
				return false
			}
			some = some || slices.Contains(counted, w)
		}
	}
	return some
}

// wordsOf returns the words and numbers of a text in small letters. A word ends where a small letter is followed by a
// capital, or a letter by a digit other than that of km2.
func wordsOf(text string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range strings.ReplaceAll(text, "²", "2") {
		switch {
		case r == '/': // people/km2
			b.WriteString(" per ")
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		default:
			next := unicode.IsLower(before) && unicode.IsUpper(r) || unicode.IsDigit(before) != unicode.IsDigit(r)
			if next && !(r == '2' && strings.HasSuffix(b.String(), "km")) {
				b.WriteByte(' ')
			}
			b.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	return strings.Fields(b.String())
}
