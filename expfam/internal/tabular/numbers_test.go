package tabular

import (
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Tables whose numbers cannot be read in one way alone, or not to their last digit, are refused. The cells of the
// others are parted by commas as well, and their dots are decimal points.
func TestNumbersCheck(t *testing.T) {
	for text, want := range map[string]string{
		"1.234,850,12.000,97":     `"1.234" may be thousands`,
		"850,-1.234":              `"-1.234" may be thousands`,
		"1.234,2.500,9.125":       "",
		"1.234,2.5,7":             "",
		"1.234,850,2000":          "", // 2000 would have a dot
		"0.123,7":                 "", // thousands have no 0 in front
		"1234.567,7":              "",
		"9007199254740993,1":      `"9007199254740993" has more digits than float64 holds`,
		"9007199254740992,1":      "",
		"-599686042433355775,1":   "more digits",
		"9 007 199 254 740 993,1": "more digits",
		"18446744073709551617,1":  "more digits",
		"00000000000000000017,1":  "",
		"100000000000000000000,1": "", // float64 holds it
		"1e20,9007199254740993.5": "", // measured, not counted
		"-340282346638528859811704183484516925440.000000,1": "",
	} {
		n := Numbers{Separator: ','}
		for i, cell := range strings.Split(text, ",") {
			_, ok := n.Read(cell, 1, i+1)
			must.Be(t, ok, "%s: %q is no number", text, cell)
		}
		if err := n.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	n := Numbers{Separator: ',', Decimal: ','}
	v, ok := n.Read("1.234", 1, 1)
	must.Be(t, v == 1234 && ok && n.Check() == nil, "%v %v %v", v, ok, n.Check())
}

// TestNamed: names of sums in the languages of statistical offices, and names that are none.
func TestNamed(t *testing.T) {
	for _, name := range []string{"Total", "TOTAL GENERAL", "Total ge\u0301ne\u0301ral", "Total geral", "Totaal",
		"Toplam", "Ukupno", "Jumla", "Итого", "合计", "المجموع", "Σ", "Total (national)",
		"Grand total:", "Sub-total",
		"Alle", "∑", "Gesamtergebnis", "Zwischensumme", "Sous-total", "Eindtotaal", "Totalsumma",
		"Totale complessivo", "Ogółem", "Suma końcowa", "Celkový součet", "Végösszeg", "I alt", "Iš viso",
		"Общий итог", "総計", "総数", "총합계", "جمع کل", "المجموع الكلي", "סה\"כ", "कुल", "Tổng số",
		"TOTAL PAÍS",
		"Total du pays"} {
		must.Be(t, Named(name), "%q is no sum", name)
	}
	for _, name := range []string{"", "Totaro", "Totalville", "Somalia", "(total)", "Total district 3", "Allen",
		"Alt", "Sul", "Pays de la Loire", "Nacional"} {
		must.Be(t, !Named(name), "%q is a sum", name)
	}
}

// TestComma: the separator of a header whose names have other separators in them.
func TestComma(t *testing.T) {
	for text, want := range map[string]rune{
		"a,b\n1,2\n": ',', "a\n1\n": ',', "a;b;c\n1,5;2;3\n": ';', "1,5;2,5\n3,5;4\n": ';',
		"# x,y,z\n\na|b\n1|2\n": '|', "Kreis;\"Fälle, neu, roh\"\nA;5\n": ';',
		"Kreis,\"Fälle; neu; roh\"\nA,5\n": ',', "Kreis;Fälle, neu\nA;5\n": ';',
		"Kreis\tFälle, neu, roh\nA\t5\n": '\t', "a,b,c;d\nx,1,2\n": ',',
		"a 5\",b,c;d\nx,1,2\n": ',', "a,b;c\nx,1,2\n": ',',
	} {
		must.Be(t, Comma([]byte(text)) == want, "%q: %q, want %q", text, Comma([]byte(text)), want)
	}
}
