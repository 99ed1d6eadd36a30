package geopackage

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

func square(t testing.TB, name string, west, south float64, properties map[string]any) land.Region {
	t.Helper()
	ring := []land.Position{{Lon: west, Lat: south}, {Lon: west + 1, Lat: south}, {Lon: west + 1, Lat: south + 1},
		{Lon: west, Lat: south + 1}, {Lon: west, Lat: south}}
	r := must.Get(land.NewRegion(name, [][][]land.Position{{ring}}))(t)
	r.Properties = properties
	return r
}

// TestWrite: what was written is read again to the bit, numbers, texts, missing values and identifiers included.
func TestWrite(t *testing.T) {
	regions := []land.Region{
		square(t, "São \"Tomé\"", 6, 0, map[string]any{"risk": 0.1, "cases": 7.0, "geom": "kept", "id": json.Number(
			"12345678901234567")}),
		square(t, "Príncipe", 7, 1, map[string]any{"risk": math.NaN(), "cases": 1e6, "code": "01", "id": json.Number(
			"12345678901234568")}),
	}
	places := []land.Place{{Name: "a", At: land.Position{Lon: 6.5, Lat: 0.25}, Properties: map[string]any{
		"site": "a", "open": true}}, {Name: "b", At: land.Position{Lon: -0.1, Lat: 1}, Properties: map[string]any{
		"site": "b", "open": false}}}
	path := filepath.Join(t.TempDir(), "islands.gpkg")
	must.Do(t, Write(path, Features{Table: "islands", Regions: regions}, Features{Table: "clinics", Places: places}))
	must.Equal(t, len(must.Get(os.ReadDir(filepath.Dir(path)))(t)), 1, "files")
	back := must.Get(Layer{Table: "islands"}.Read(path))(t)
	for i, r := range back {
		must.Equal(t, r.Name, regions[i].Name)
		must.Equal(t, fmt.Sprint(r.Polygons), fmt.Sprint(regions[i].Polygons))
	}
	must.Equal(t, fmt.Sprint(back[0].Properties), fmt.Sprint(map[string]any{"cases": 7., "fid": 1., "geom": "kept",
		"id": json.Number("12345678901234567"), "name": "São \"Tomé\"", "risk": 0.1}))
	must.Equal(t, fmt.Sprint(back[1].Properties), fmt.Sprint(map[string]any{"cases": 1e6, "code": "01", "fid": 2.,
		"id": json.Number("12345678901234568"), "name": "Príncipe"}))
	must.Do(t, Write(path, Features{Table: "fiji", Regions: []land.Region{square(t, "Taveuni", -180.5, -17, nil)}}))
	must.Equal(t, must.Get(Layer{}.Read(path))(t)[0].Box().West, -180.5) // as the readers allow across the date line
	must.Do(t, Write(path, Features{Table: "islands", Regions: regions}, Features{Table: "clinics", Places: places}))
	sites := must.Get(Layer{Table: "clinics"}.ReadPlaces(path))(t)
	for i, p := range sites {
		must.Equal(t, p.Name, places[i].Name)
		must.Equal(t, p.At, places[i].At)
	}
	must.Equal(t, fmt.Sprint(sites[0].Properties), fmt.Sprint(map[string]any{"fid": 1., "open": true, "site": "a"}))
	must.Do(t, Write(path, Features{Places: places})) // in place of the old file
	must.Equal(t, len(must.Get(Layer{Table: "islands"}.ReadPlaces(path))(t)), 2, "places")
}

// TestWriteRefused: what makes no layer is refused by one sentence, and leaves no file.
func TestWriteRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.gpkg")
	one := []land.Place{{Name: "a"}}
	must.Err(t, Write(path), "no layers")
	must.Err(t, Write(filepath.Join(t.TempDir(), "a.shp"), Features{Places: one}), "ends in .gpkg")
	must.Err(t, Write(path, Features{}), `layer "a": give either Regions or Places`)
	must.Err(t, Write(path, Features{Places: one}, Features{Places: one}), "layer 0 has the Table \"\"")
	must.Err(t, Write(path, Features{Table: "A", Places: one}, Features{Table: "a", Places: one}), "layer 1")
	must.Err(t, Write(path, Features{Table: "gpkg_a", Places: one}), "keeps for itself")
	must.Err(t, Write(path, Features{Places: []land.Place{{Name: "x", At: land.Position{Lon: 5e5, Lat: 4e6}}}}),
		`place "x" is at (500000, 4e+06)`)
	must.Err(t, Write(path, Features{Regions: []land.Region{{Name: "x"}}}), `region "x" has no polygons`)
	must.Err(t, Write(path, Features{Places: []land.Place{{Properties: map[string]any{"A": 1}},
		{Properties: map[string]any{"a": 1}}}}), "differ in capitals alone")
	must.Do(t, os.WriteFile(path+"-wal", []byte("frames"), 0o600))
	must.Err(t, Write(path, Features{Places: one}), "close that program")
	must.Equal(t, len(must.Get(os.ReadDir(filepath.Dir(path)))(t)), 1, "files")
}

// TestStrangers: a file with a log in its header is read, and one that another program is writing, a view, a virtual
// table and pages that belong to a table twice are refused.
func TestStrangers(t *testing.T) {
	data := must.Get(os.ReadFile(file))(t)
	path := filepath.Join(t.TempDir(), "a.gpkg")
	logged := append([]byte(nil), data...)
	logged[18], logged[19] = 2, 2
	must.Do(t, os.WriteFile(path, logged, 0o600))
	must.Equal(t, len(must.Get(Layer{Table: "tracts"}.Read(path))(t)), 150, "regions")
	for _, end := range []string{"-wal", "-journal"} {
		must.Do(t, os.WriteFile(path+end, []byte("\xd9\xd5\x05\xf9"), 0o600))
		must.Refuse(Layer{Table: "tracts"}.Read(path))(t, "another program has not finished writing it", end)
		must.Do(t, os.Remove(path+end))
	}
	must.Do(t, os.WriteFile(path+"-journal", make([]byte, 512), 0o600)) // one that counts no more
	must.Get(Layer{Table: "tracts"}.Read(path))(t)
	for _, c := range []struct{ sql, want string }{
		{"DROP TABLE old; CREATE VIEW old AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) " +
			"SELECT i FROM n",
			`it has no table "old"`},
		{"DROP TABLE old; CREATE VIRTUAL TABLE old USING rtree(id, a, b)", "is virtual"},
	} {
		d := must.Get(open(append([]byte(nil), data...)))(t)
		must.Get(d.conn.ExecContext(t.Context(), "PRAGMA query_only = 0;"+c.sql))(t)
		var changed []byte
		must.Do(t, d.conn.Raw(func(c any) (err error) {
			changed, err = c.(interface{ Serialize() ([]byte, error) }).Serialize()
			return err
		}))
		d.close()
		must.Refuse(Layer{Table: "old", From: degrees}.all(changed))(t, c.want)
	}
}
