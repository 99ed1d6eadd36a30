package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
)

// methods are samplers of package diffusion by name.
var methods = map[string]diffusion.Sampler{
	"ours":  {},                                                        // its default
	"dps":   {Guidance: diffusion.DPS{}, Method: diffusion.Paper},      // diffusion posterior sampling, steps of the paper
	"paper": {Guidance: diffusion.Evidence{}, Method: diffusion.Paper}, // its evidence by quadrature
}

// costs is the file of a folder of draws with a line NAME,EVALUATIONS,SECONDS for each problem: evaluations of the
// density and its gradient by all draws together, and seconds of processors, which do not depend on what else runs.
const costs = "costs.csv"

// drawAll draws 2,000 draws by a method from the named problems, or from all.
func drawAll(method, dir string, names []string) error {
	s, known := methods[method]
	if !known {
		return fmt.Errorf("no method %q; take ours, dps or paper", method)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return each(names, func(p *Problem) error {
		if method != "ours" && len(p.Unknown) > 0 {
			return nil // it has no unknown numbers
		}
		obs, err := p.observations()
		if err != nil {
			return err
		}
		prior, err := p.prior()
		if err != nil {
			return err
		}
		s.Draws, s.Seed, s.Fresh = 2000, 1, true
		began := cpu()
		post, err := diffusion.Sample(prior, p.likelihood(), obs, s)
		if err != nil {
			fmt.Printf("%s: %v\n", p.Name, err)
			return nil // the table has no entry
		}
		if err := write(filepath.Join(dir, p.Name+".npz"), p.columns(post), post.Info.Chains); err != nil {
			return err
		}
		file, err := os.OpenFile(filepath.Join(dir, costs), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = fmt.Fprintf(file, "%s,%s,%.1f\n", p.Name, evaluations(post.Info, s.Draws), cpu()-began)
		return err
	})
}

// costOf returns the evaluations and the seconds of a folder's draws as text, or nothing if the folder has none.
func costOf(dir, name string) string {
	text, err := os.ReadFile(filepath.Join(dir, costs))
	if err != nil {
		return ""
	}
	found := ""
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSpace(line), ","); len(f) == 3 && f[0] == name {
			found = fmt.Sprintf("; %s, %s s", f[1], f[2])
		}
	}
	return found
}

// evaluations returns the evaluations of the score of the prior and of the density by all draws; "" if they are not
// counted.
func evaluations(info expfam.Info, draws int) string {
	if info.Evaluations == 0 {
		return ""
	}
	each := float64(info.Evaluations + info.Products)
	if step := info.Diagnostics["step"]; step > 0 {
		each += info.Diagnostics["transitions"] * math.Ceil(math.Pi/2/step) // trajectories have this length on average
	}
	return fmt.Sprintf("%.0f", each*float64(draws))
}

// cpu returns the seconds of processors that this process has taken.
func cpu() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
