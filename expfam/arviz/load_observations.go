package arviz

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/zarr"
)

// observations returns the terms of all data sets, nil if none were written.
func observations(t *zarr.Tree, post *expfam.Posterior) (expfam.Observations, error) {
	g, ok := t.Group("constant_data")
	if !ok {
		return nil, nil
	}
	seen, err := post.Seen()
	if err != nil {
		return nil, err
	}
	names := namesOf(t)
	if len(names) != len(seen) {
		return nil, fmt.Errorf("%d data sets are written, the likelihood has %d", len(names), len(seen))
	}
	var all expfam.Observations
	for i, p := range seen {
		_, n := p.Dims()
		suffix := ""
		if len(seen) > 1 {
			suffix = "_" + names[i]
		}
		stat, _ := g.Array("statistic" + suffix)
		base, _ := g.Array("log_base_measure" + suffix)
		size := sizeOf(g, p.Likelihood.Family, suffix)
		obs := make(expfam.Observations, n)
		at := func(k int) int { return k }
		if len(stat.Dims) == 1 {
			if c, ok := g.Array(stat.Dims[0]); ok && strings.HasPrefix(c.Name, "datum") {
				numbers, _ := c.Data.([]int64)
				at = func(k int) int {
					if k >= len(numbers) || numbers[k] < 0 || numbers[k] >= int64(n) {
						return -1
					}
					return int(numbers[k])
				}
			}
		}
		s, b, z := stat.Floats(), base.Floats(), size.Floats()
		if len(s) == 0 || len(s) > n || len(b) != len(s) || len(z) != len(s) {
			return nil, fmt.Errorf("%d statistics, %d sizes and %d base measures of %d data", len(s), len(z), len(b), n)
		}
		for k := range s {
			j := at(k)
			if j < 0 {
				return nil, fmt.Errorf("datum %d of %s has no number below %d", k, names[i], n)
			}
			obs[j] = expfam.Term{Stat: s[k], Size: z[k], Base: b[k]}
		}
		all = append(all, obs...)
	}
	for _, t := range all {
		if math.IsNaN(t.Stat + t.Size + t.Base) {
			return nil, errors.New("an observation is NaN")
		}
	}
	return all, nil
}

// namesOf returns the names of the data sets in the order in which they were written.
func namesOf(t *zarr.Tree) []string {
	raw, _ := t.Attributes["data_sets"].([]any)
	var names []string
	for _, v := range raw {
		name, _ := v.(string)
		names = append(names, name)
	}
	return names
}

// sizeNamer is a family that has a word for the size of a term, such as "exposure" or "trials".
type sizeNamer interface{ SizeName() string }

// sizeOf returns the array with the sizes of the terms, whose name depends on the family.
func sizeOf(g zarr.Group, family expfam.Family, suffix string) zarr.Array {
	name := "size"
	if f, ok := family.(sizeNamer); ok {
		name = f.SizeName()
	}
	a, _ := g.Array(name + suffix)
	return a
}
