package arviz

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"time"
)

// attributes returns the attributes that ArviZ gives every group, and attributes that say how
// the posterior was made. The seed is text, because JSON numbers cannot hold every uint64.
func (d Data) attributes(l *layout) map[string]any {
	info := d.Posterior.Info
	out := map[string]any{
		"created_at":                time.Now().UTC().Format("2006-01-02T15:04:05.000000-07:00"),
		"creation_library":          library,
		"creation_library_version":  version(),
		"creation_library_language": "Go",
		"inference_library":         library,
		"inference_library_version": version(),
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
		out["chains"] = fmt.Sprintf("1 chain of independent draws, because %d is prime; 4 would divide %d", l.draws,
			l.draws/4*4)
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
	localVariance = "local_variance_"  // of the data; see [expfam.LocalVariance]
)

// version returns the version of this module in the program.
func version() string {
	const path = "github.com/expfam/lab"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if info.Main.Path == path && info.Main.Version != "" {
		return info.Main.Version
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return "unknown"
}
