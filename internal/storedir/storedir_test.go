package storedir

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// put makes a file of so many bytes that was used so long ago.
func put(t *testing.T, dir, name string, size int, ago time.Duration) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, make([]byte, size), 0o600))
	used := time.Now().Add(-ago)
	must.Do(t, os.Chtimes(path, used, used))
	return path
}

// key is one that tells its number.
func key(i int) string { return fmt.Sprintf("%016x.safetensors", i) }

const day = 24 * time.Hour

// filled has two results, two kinds of unfinished work, leftovers and files that are none of the store's.
func filled(t *testing.T) string {
	dir := t.TempDir()
	put(t, dir, "posterior/"+key(1), 1000, 10*day)
	put(t, dir, "network/"+key(2), 2000, 5*day)
	put(t, dir, "draws/"+key(3), 400, 2*day)
	put(t, dir, "posterior/"+key(6), 500, time.Minute)
	put(t, dir, "training/"+key(4), 300, 31*day)
	put(t, dir, "posterior/."+key(5)+".1a2b3c.tmp", 200, 2*time.Hour)
	put(t, dir, "posterior/."+key(5)+".4d5e6f.tmp", 200, time.Minute)
	put(t, dir, "posterior/notes.txt", 50, 90*day)
	put(t, dir, "posterior/thesis.safetensors", 50, 90*day)
	put(t, dir, "thesis.tex", 50, 90*day)
	put(t, dir, "Photos/"+key(7), 50, 90*day)
	return dir
}

// named are the numbers of keys, in order.
func named(entries []Entry) string {
	var names []string
	for _, e := range entries {
		name := strings.TrimLeft(strings.TrimSuffix(filepath.Base(e.Path), extension), ".0")
		names = append(names, name[:1])
	}
	return strings.Join(names, "")
}

func TestList(t *testing.T) {
	dir := filled(t)
	entries := must.Get(List(dir))(t)
	if got := named(entries); got != "412356" || Total(entries) != 4400 {
		t.Errorf("entries %s of %d bytes, want 412356 of 4400", got, Total(entries))
	}
	for _, e := range entries {
		base := filepath.Base(e.Path)
		must.Be(t, e.Leftover == (base == key(4) || base[0] == '.'), "%s: leftover is %v", base, e.Leftover)
	}
	none, err := List(filepath.Join(dir, "none"))
	must.Be(t, err == nil && len(none) <= 0, "a folder that is not there: %v, %v", none, err)
	must.Refuse(List(filepath.Join(dir, "thesis.tex")))(t)
}

func TestExcess(t *testing.T) {
	for _, c := range []struct {
		max  Size
		keep func(Entry) bool
		want string
	}{
		{1e9, nil, "45"}, {3900, nil, "45"}, {3899, nil, "451"}, {2900, nil, "451"}, {900, nil, "4512"},
		{500, nil, "45123"}, {0, nil, "451236"},
		{500, Fresh, "45123"}, {0, Fresh, "45123"},
	} {
		entries := must.Get(List(filled(t)))(t)
		must.Equal(t, named(Excess(entries, c.max, c.keep)), c.want, "beyond", c.max, "bytes")
	}
}

func TestRemoveSparesWhatIsUsedAgain(t *testing.T) {
	dir := filled(t)
	entries := must.Get(List(dir))(t)
	now := time.Now()
	must.Do(t, os.Chtimes(filepath.Join(dir, "posterior", key(1)), now, now))
	must.Equal(t, named(must.Get(Remove(entries))(t)), "42356", "removed")
	for name, there := range map[string]bool{"posterior/" + key(1): true, "network/" + key(2): false,
		"thesis.tex":          true,
		"posterior/notes.txt": true, "posterior/thesis.safetensors": true, "Photos/" + key(7): true} {
		_, err := os.Stat(filepath.Join(dir, name))
		must.Be(t, (err == nil) == there, "%s: %v", name, err)
	}
}

func TestTidy(t *testing.T) {
	for _, c := range []struct {
		max  Size
		want string
	}{{0, "45"}, {5000, "45"}, {4000, "451"}, {2000, "4512"}, {10, "45123"}} {
		must.Equal(t, named(must.Get(Tidy(filled(t), c.max))(t)), c.want, "bound", c.max, "removed")
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{"2GB": 2e9, "1.5 TB": 1.5e12, "500MiB": 500 << 20, "0": 0, "17": 17,
		"3e3 b": 3000, " 20gb ": 20e9} {
		must.Equal(t, must.Get(ParseSize(text))(t), want, text)
	}
	for _, text := range []string{"", "GB", "-1GB", "two", "2 gigs", "NaN", "1e30TB", "Inf"} {
		got, err := ParseSize(text)
		must.Be(t, err != nil, "%q is %d", text, got)
	}
	for size, want := range map[Size]string{0: "0 B", 999: "999 B", 1000: "1 kB", 999999: "1 MB", 20e9: "20 GB",
		1234567: "1.23 MB"} {
		must.Equal(t, size.String(), want, int64(size))
	}
	t.Setenv(MaxEnv, "much")
	max, err := Max()
	must.Be(t, err != nil && max == DefaultMax && strings.Contains(err.Error(), MaxEnv), "%v, %v", max, err)
}

func TestPathsStayInside(t *testing.T) {
	for kind, key := range map[string]string{"../x": "0123456789abcdef", "": "0123456789abcdef", "net": "abcd",
		"posterior": "../../0123456789"} {
		path, err := Path("store", kind, key)
		must.Be(t, err != nil, "kind %q, key %q: %s", kind, key, path)
	}
}
