// Package nearest finds names that are spelled almost like another one, for errors.
package nearest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// List returns up to n of the names that are nearest to a name, quoted: "Cumbria", "Umbria".
func List(name string, among []string, n int) string {
	var quoted []string
	for _, found := range Names(name, among, n) {
		quoted = append(quoted, fmt.Sprintf("%q", found))
	}
	if quoted == nil {
		return "none"
	}
	return strings.Join(quoted, ", ")
}

// Names returns up to n of the names with the fewest changed letters and digits. Case, spaces and punctuation decide
// only between names of the same letters.
func Names(name string, among []string, n int) []string {
	type found struct {
		name string
		off  int
	}
	var all []found
	plain := letters(name)
	for _, other := range among {
		off := 2 * distance(plain, letters(other))
		if other != name {
			off++
		}
		all = append(all, found{other, off})
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.off, b.off) })
	var names []string
	for _, f := range all[:min(n, len(all))] {
		names = append(names, f.name)
	}
	return names
}

// letters returns the letters and digits of a name in lower case.
func letters(name string) []rune {
	var plain []rune
	for _, r := range strings.ToLower(name) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			plain = append(plain, r)
		}
	}
	return plain
}

// distance returns the smallest number of letters that are inserted, left out or replaced (Levenshtein 1966).
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
