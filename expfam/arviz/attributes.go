package arviz

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/expfam/lab/expfam/internal/zarr"
	"github.com/expfam/lab/internal/version"
)

// attributes returns the attributes that ArviZ gives every group, and attributes that say how
// the posterior was made. The seed is text, because JSON numbers cannot hold every uint64.
func (d Data) attributes(l *layout) map[string]any {
	info := d.Posterior.Info
	out := map[string]any{
		"created_at":                time.Now().UTC().Format("2006-01-02T15:04:05.000000-07:00"),
		"creation_library":          library,
		"creation_library_version":  version.Version,
		"creation_library_language": "Go",
		"inference_library":         library,
		"inference_library_version": version.Version,
		"sample_dims":               []string{"chain", "draw"},
		"method":                    info.Method,
		"engine":                    info.Engine,
		"seed":                      strconv.FormatUint(info.Seed, 10),
		"sampling_time":             info.Seconds,
		"likelihood":                d.Posterior.Likelihood.String(),
		"first_draw":                info.First,
		"run":                       info.Run,
		"evaluations":               info.Evaluations,
		"products":                  info.Products,
		"compile_time":              info.Compile,
		"memory":                    info.Memory,
		"chains":                    fmt.Sprintf("%d chains folded from independent draws", l.chains),
		"markov_chains":             info.Chains,
		"missing_data":              info.Missing,
		"grid_rows":                 info.Rows,
		"grid_columns":              info.Cols,
		"quantity":                  info.Quantity,
	}
	if l.chains == 1 {
		out["chains"] = fmt.Sprintf("1 chain of independent draws, because %d are not several chains of equal length; "+
			"%d would make 4", l.draws, max(l.draws/4*4, 8))
	}
	if info.Chains > 0 {
		out["chains"] = fmt.Sprintf("%d Markov chains", info.Chains)
	}
	if v := info.Local; v != nil && !math.IsNaN(v.Ratio) && !math.IsInf(v.Ratio, 0) {
		out[localVariance+"ratio"], out[localVariance+"more"] = v.Ratio, v.More
		out[localVariance+"less"], out[localVariance+"replicates"] = v.Less, v.Replicates
	}
	if c := info.Certificate; c != nil {
		out["certificate"], out["certificate_verdict"] = c.String(), c.Verdict()
		if text, err := json.Marshal(c); err == nil { // it has no NaN
			out[certificate] = string(text)
		}
	} else if info.Uncertified != "" {
		out[uncertified] = info.Uncertified
	}
	for _, name := range slices.Sorted(maps.Keys(info.Diagnostics)) {
		if v := info.Diagnostics[name]; !math.IsNaN(v) && !math.IsInf(v, 0) { // JSON has neither
			out[diagnostic+name] = v
		}
	}
	return out
}

const (
	library       = "expfam"
	diagnostic    = "diagnostic_"
	certificate   = "certificate_json" // an [expfam.Certificate]
	uncertified   = "no_certificate"   // why there is none
	localVariance = "local_variance_"  // of the data; see [expfam.LocalVariance]
)

// claim is a name of an array, with what the array is for a person who chooses names.
type claim struct{ name, what, help string }

const (
	renameAxis = "give the axis of the grid another Name"
	renameData = "give the data another of the Names"
)

// dimensions returns the dimensions of the draws and of the maps.
func (l *layout) dimensions() []claim {
	out := []claim{{"chain", "the dimension of chains", ""}, {"draw", "the dimension of draws", ""}}
	if len(l.coefficients) > 0 {
		out = append(out, claim{"coefficient", "the dimension of coefficients", ""})
	}
	for _, a := range l.axes {
		if l.grid.Rows > 0 {
			out = append(out, claim{a.Name, "an axis of the grid", renameAxis})
		} else {
			out = append(out, claim{a.Name, "the dimension of cells", ""})
		}
	}
	return out
}

// distinct returns an error if two arrays of a group would have the same name, or if a name cannot be that of a folder.
func (l *layout) distinct(groups []zarr.Group, sets []set) error {
	claims := l.dimensions()
	for i, s := range sets {
		for _, other := range sets[:i] {
			if s.name == other.name {
				return collision(claim{s.name, "a data set", renameData}, claim{s.name, "a data set", renameData})
			}
		}
		if s.dims[0] != l.dims[0] || len(s.dims) != len(l.dims) {
			claims = append(claims, claim{s.dims[0], "the dimension of data that are not a map without gaps", ""})
		}
	}
	for i, c := range claims {
		if err := zarr.CheckName(c.name); err != nil {
			return fmt.Errorf("%s: %w; %s", c.what, err, c.help)
		}
		for _, other := range claims[:i] {
			if other.name == c.name {
				return collision(other, c)
			}
		}
	}
	for _, s := range sets {
		claims = append(claims, claim{s.name, "a data set", renameData})
		if err := zarr.CheckName(s.name); err != nil {
			return fmt.Errorf("a data set: %w; %s", err, renameData)
		}
	}
	for _, g := range groups {
		seen, dims := map[string]bool{}, map[string]bool{}
		for _, a := range g.Arrays {
			for _, dim := range a.Dims {
				dims[dim] = true
			}
		}
		for _, a := range g.Arrays {
			coordinate := len(a.Dims) == 1 && a.Dims[0] == a.Name
			if !seen[a.Name] && (coordinate || !dims[a.Name]) {
				seen[a.Name] = true
				continue
			}
			var both []claim
			for _, c := range claims {
				if c.name == a.Name {
					both = append(both, c)
				}
			}
			for len(both) < 2 {
				both = append(both, claim{a.Name, "a variable of the group " + g.Name, ""})
			}
			return collision(both[0], both[1])
		}
	}
	return nil
}

// collision is the error of two arrays of one name.
func collision(a, b claim) error {
	help := cmp.Or(b.help, a.help, renameAxis+", or "+renameData)
	if a.what == b.what {
		return fmt.Errorf("the name %q stands for %s and for another one; %s", a.name, a.what, help)
	}
	return fmt.Errorf("the name %q stands for %s and for %s; %s", a.name, a.what, b.what, help)
}
