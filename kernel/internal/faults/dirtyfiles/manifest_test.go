package dirtyfiles

import (
	"bufio"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// entry is a file of the manifest of testdata/dirty.py, or of [texts].
type entry struct {
	File, Reader, Kind string
	Truth              truth
	Python             struct{ Informed, Naive string }
	Options            struct {
		Name, X, Y, Weight string
		Band               int
		WGS84              bool
	}
	// Must is "equal" for clean files, which no reader may refuse, "refuse" where there is nothing to read, and ""
	// where a reader may do either.
	Must string
}

// truth is what the generator wrote. The fields that are set depend on the reader.
type truth struct {
	Rows, Cols int
	Values     []value
	Place      *place
	Shape      []int
	Points     [][3]value
	Sites      []site
	Lost       []string
	Regions    []region
}

type place struct {
	X, DX, Y, DY float64
	System       string
}

type site struct {
	Name               string
	Lon, Lat           float64
	Examined, Positive int
	Year               int
}

type region struct {
	Name, Code      string
	Box             [4]float64
	Area            float64
	Within, Outside [][2]float64
}

// value is a number with all its digits, or nil where there is none.
type value struct{ exact *big.Rat }

func (v *value) UnmarshalJSON(text []byte) error {
	var n json.Number
	if json.Unmarshal(text, &n) == nil && n != "" {
		v.exact, _ = new(big.Rat).SetString(n.String())
	}
	return nil
}

// is reports whether a reading is the value: whole numbers exactly, and others to the rounding of a few operations.
func (v value) is(got float64) bool {
	if v.exact == nil || math.IsNaN(got) {
		return v.exact == nil && math.IsNaN(got)
	}
	if math.IsInf(got, 0) {
		return false
	}
	if v.exact.IsInt() && new(big.Rat).SetFloat64(got).Cmp(v.exact) == 0 {
		return true
	}
	want, _ := v.exact.Float64()
	return !(v.exact.IsInt() && math.Abs(want) >= 1<<53) && math.Abs(got-want) <= 1e-12*math.Abs(want)
}

func manifest(t *testing.T, path string) []entry {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer file.Close()
	var out []entry
	in := bufio.NewScanner(file)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var e entry
		err := json.Unmarshal(in.Bytes(), &e)
		must.Need(t, err == nil, "%v in %.200s", err, in.Bytes())
		out = append(out, e)
	}
	must.Do(t, in.Err())
	return out
}
