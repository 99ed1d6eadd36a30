package storedir

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// Size is a number of bytes.
type Size int64

// DefaultMax is the bound of a store if [MaxEnv] is not set.
const DefaultMax Size = 20e9

var units = []struct {
	name  string
	bytes float64
}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}, {"b", 1}}

// ParseSize reads a number with a unit, such as 2GB, 1.5 TB or 500MiB. A number without a unit is in bytes.
func ParseSize(text string) (Size, error) {
	number, unit := strings.ToLower(strings.TrimSpace(text)), 1.0
	for _, u := range units {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if v *= unit; err != nil || !(v >= 0 && v < math.MaxInt64) {
		return 0, fmt.Errorf("size %q: give a number with kB, MB, GB or TB, such as 2GB", text)
	}
	return Size(v), nil
}

// Set reads the size from text, so that a Size can be the value of a flag.
func (s *Size) Set(text string) (err error) {
	*s, err = ParseSize(text)
	return err
}

// String returns the size with three digits and a unit.
func (s Size) String() string {
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if v := float64(s) / u.bytes; v >= 0.9995 {
			return fmt.Sprintf("%.3g %s", v, u.name)
		}
	}
	return fmt.Sprintf("%d B", int64(s))
}

// Max returns the bound that $EXPFAM_STORE_MAX sets, else [DefaultMax]. 0 means no bound. If the variable cannot be
// read, Max returns the default and an error.
func Max() (Size, error) {
	text := os.Getenv(MaxEnv)
	if text == "" {
		return DefaultMax, nil
	}
	size, err := ParseSize(text)
	if err != nil {
		return DefaultMax, fmt.Errorf("%s: %w", MaxEnv, err)
	}
	return size, nil
}
