package land_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// names reads the names of a shapefile whose table has these names in bytes of its code page.
func names(t *testing.T, driver byte, page string, cells ...string) ([]string, error) {
	t.Helper()
	table := dbf(cells, make([]string, len(cells)))
	table[29] = driver
	shapes := make([][]ring, len(cells))
	for i := range shapes {
		shapes[i] = []ring{box(float64(i), 0, float64(i)+1, 1, true)}
	}
	files := map[string][]byte{".shp": shp(5, shapes...), ".dbf": table, ".prj": []byte(wgs84)}
	if page != "" {
		files[".cpg"] = []byte(page)
	}
	regions, err := land.Shapefile{}.Read(write(t, files))
	var out []string
	for _, r := range regions {
		out = append(out, r.Name)
	}
	return out, err
}

// Every language driver of dBASE, FoxPro and ArcGIS, against Python's codecs; GDAL reads the same but for drivers 4, 9,
// 125, 126, 151 and 152, whose pages it lacks. See testdata/codepages.py.
func TestLanguageDrivers(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/codepages.json"))(t)
	var rows []struct {
		Driver    byte
		Hex, Text string
	}
	err := json.Unmarshal(text, &rows)
	must.Need(t, err == nil && len(rows) == 64, "%v %v", len(rows), err)
	for _, r := range rows {
		cell := must.Get(hex.DecodeString(r.Hex))(t)
		must.Equal(t, must.Get(names(t, r.Driver, "", string(cell)))(t)[0], r.Text, "driver 0x", r.Driver)
	}
}

func TestCodePages(t *testing.T) {
	bulgarian, sendai := "\xd5\xe0\xf1\xea\xee\xe2\xee", "\x90\xe5\x91\xe4\x8e\x73"
	for _, c := range []struct {
		name, page string
		driver     byte
		cell, want string
	}{
		{"ESRI's", "ANSI 1251", 0x57, bulgarian, "Хасково"},
		{"a number", "1251\r\n", 0, bulgarian, "Хасково"},
		{"lower case", "windows-1251", 0, bulgarian, "Хасково"},
		{"a byte order mark", "\ufeffcp1251", 0, bulgarian, "Хасково"},
		{"before the driver", "1251", 0x13, bulgarian, "Хасково"},
		{"932", "932", 0, sendai, "仙台市"},
		{"SJIS", "sjis", 0, sendai, "仙台市"},
		{"Shift_JIS", "Shift_JIS", 0, sendai, "仙台市"},
		{"EUC-JP", "EUC-JP", 0, "\xc0\xe7\xc2\xe6\xbb\xd4", "仙台市"},
		{"GBK", "GBK", 0, "\xb9\xe3\xb6\xab\xca\xa1", "广东省"},
		{"GB2312", "gb2312", 0, "\xb9\xe3\xb6\xab\xca\xa1", "广东省"},
		{"GB18030", "GB18030", 0, "\xb9\xe3\xb6\xab\xca\xa1", "广东省"},
		{"Big5", "Big5", 0, "\xbb\x4f\xa5\x5f\xa5\xab", "臺北市"},
		{"EUC-KR", "EUC-KR", 0, "\xbc\xad\xbf\xef", "서울"},
		{"949", "CP949", 0, "\xbc\xad\xbf\xef", "서울"},
		{"Latin-9", "ISO-8859-15", 0, "\xbcuvre", "Œuvre"},
		{"ESRI's Latin-9", "885915", 0, "\xbcuvre", "Œuvre"},
		{"KOI8-R", "KOI8-R", 0, "\xed\xcf\xd3\xcb\xd7\xc1", "Москва"},
		{"OEM", "OEM 850", 0, "B\x82nin", "Bénin"},
		{"UTF8", "utf8", 0x57, "Łódź", "Łódź"},
		{"UTF-8 for a driver of 1252", "UTF-8", 3, "Łódź", "Łódź"},
		{"UTF-8 that nothing names", "", 0, "仙台市", "仙台市"},
		{"UTF-8, cut by the column", "UTF-8", 0, "Ouagadougou de Kadié"[:20], "Ouagadougou de Kadi"},
		{"Japanese, cut by the column", "932", 0, strings.Repeat(sendai, 3) + "A\x90", "仙台市仙台市仙台市A"},
		{"Latin-1 at the end of the column", "", 0, "Ouagadougou de Kadi\xe9", "Ouagadougou de Kadié"},
		{"French that nothing names", "", 0, "C\xf4te d\x92Ivoire", "Côte d’Ivoire"},
		{"German that the computer's page names", "", 0x57, "Stra\xdfe \xc4\xd6\xdc", "Straße ÄÖÜ"},
	} {
		t.Run(c.name, func(t *testing.T) { must.Equal(t, must.Get(names(t, c.driver, c.page, c.cell))(t)[0], c.want) })
	}
	for _, c := range []struct {
		name, page string
		driver     byte
		cell, says string
	}{
		{"a driver nobody knows", "", 0x99, "A", "byte 29, its language driver, is 0x99, whose code page is not " +
			"known; put a file .cpg"},
		{"Kamenický's page", "", 0x68, "A", "is 0x68, whose code page is not known"},
		{"a page nobody knows", "Klingon", 0, "A", `the code page "Klingon" of its .cpg is not known; write the name`},
		{"the system's page", "System", 0, "A", `the code page "System" of its .cpg is not known`},
		{"UTF-16", "UTF-16LE", 0, "A", `the code page "UTF-16LE" of its .cpg is not known`},
		{"Latin-1 said to be UTF-8", "UTF-8", 0, "B\xe9nin", `row 0, column "NAME_1": "B\xe9nin" is no text of ` +
			`the code page UTF-8, which the .cpg says it is; put`},
		{"Latin-1 said to be Japanese", "932", 0, "S\xe9\x20n",
			"is no text of the code page 932, which the .cpg says it is"},
		{"Latin-1 said to be ASCII", "US-ASCII", 0, "B\xe9nin", "is no text of the code page ASCII"},
		{"a control character of Latin-1", "ISO-8859-1", 0, "C\x92", "is no text of the code page ISO 8859-1"},
		{"a byte that 857 leaves free", "857", 0, "A\xd5", "is no text of the code page 857"},
		{"a driver that the text contradicts", "", 3, "Łódź",
			"names the code page 1252, and its text is valid UTF-8; put a file .cpg beside it with the one of the " +
				"two that is right"},
		{"a .cpg that the text contradicts", "ISO-8859-1", 3, "B\u00e9nin",
			"its .cpg names the code page ISO 8859-1, and its text is valid UTF-8; write UTF-8 into the .cpg, or, if"},
		{"Cyrillic that nothing names", "", 0, bulgarian, "is text neither of UTF-8 nor, by its look, of the code " +
			"page 1252; put a file .cpg"},
		{"DOS that nothing names", "", 0x57, "B\x82nin", "nor, by its look, of the code page 1252"},
		{"DOS, a capital", "", 0, "Is\x8are", "nor, by its look, of the code page 1252"},
		{"Polish that nothing names", "", 0, "Pi\xb3a, Wa\xb3cz", "nor, by its look, of the code page 1252"},
		{"Chinese that nothing names", "", 0, "\xbbO\xa5_\xa5\xab", "nor, by its look, of the code page 1252"},
		{"Japanese that nothing names", "", 0, sendai, "nor, by its look, of the code page 1252"},
	} {
		t.Run(c.name, func(t *testing.T) { must.Refuse(names(t, c.driver, c.page, c.cell))(t, c.says) })
	}
	// GeoServer writes the page into a file .cst, and columns have names in the code page too.
	table := dbf([]string{bulgarian}, []string{"1"})
	copy(table[32:], "\xc8\xec\xe5\x00\x00\x00\x00")
	files := map[string][]byte{".shp": shp(5, []ring{box(0, 0, 1, 1, true)}), ".dbf": table,
		".prj": []byte(wgs84), ".cst": []byte("windows-1251")}
	must.Equal(t, must.Get((land.Shapefile{Name: "име"}).Read(write(t, files)))(t)[0].Name, "Хасково")
	copy(table[64:], "\xc8\xec\xe5\x00")
	must.Refuse((land.Shapefile{}).Read(write(t, files)))(t, `columns 0 and 1 are both named "Име"; rename one`)
}
