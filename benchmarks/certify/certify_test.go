package certify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/certify"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

func TestMain(m *testing.M) { os.Exit(m.Run()) }

const chains = 4

// thinned is of how many draws the discrepancy has one, because it takes the square of their number: with four it takes
// several times the seconds of the certificate of all, and with seven as many.
var thinned = [...]int{4, 7}

// Gradients against central differences.
func TestGradients(t *testing.T) {
	for _, target := range Targets() {
		rng := rand.New(rand.NewPCG(1, 1))
		x, grad, spare := make([]float64, target.Dim), make([]float64, target.Dim), make([]float64, target.Dim)
		for k := range x {
			x[k] = 0.5 * rng.NormFloat64()
		}
		target.LogDensity(x, grad)
		for k, want := range grad {
			const h = 1e-5
			at := x[k]
			x[k] = at + h
			high := target.LogDensity(x, spare)
			x[k] = at - h
			low := target.LogDensity(x, spare)
			x[k] = at
			if got := (high - low) / (2 * h); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%s: gradient %d is %v, by differences %v", target.Name, k, want, got)
			}
		}
	}
}

// Exact draws are called wrong by at most one in a hundred, and wrong ones are found, beside the kernelised Stein
// discrepancy of some of the draws at the rate .01 and R-hat above 1.01. `go test ./certify -run Power -full -v`
// prints the table of docs/certify.md.
func TestPower(t *testing.T) {
	repeats, changed, each := fulltest.N(2, 60), fulltest.N(2, 12), 500 // changed: repeats with wrong draws
	targets := Targets()
	if !*fulltest.Full {
		targets = slices.DeleteFunc(targets, func(t Target) bool { return t.Dim > 10 })
	}
	peers := fulltest.N(0, 1) // times that the slow peer runs a case
	type count struct {
		all, wrong, doubtful, ksdAll, rhat int
		ksd                                [len(thinned)]int
	}
	table, exact := map[string]*count{}, map[string]*count{}
	// Of certificates: all, and those of the cases that the discrepancy has.
	var spent, beside time.Duration
	var peer [len(thinned)]time.Duration
	for at, target := range targets {
		for repeat := range repeats {
			rng := rand.New(rand.NewPCG(uint64(at), uint64(repeat)))
			right := must.Get(target.Sample(rng, chains, each))(t)
			for _, kind := range kinds() {
				if kind.name != "exact" && repeat >= changed {
					break
				}
				x := kind.of(target, rng, right)
				if x == nil || same(kind.name, target) {
					continue
				}
				c := chains
				if target.Lag == 0 && target.Draw != nil || x != right && !strings.HasPrefix(kind.name, "moved") &&
					!strings.HasPrefix(kind.name, "width") {
					c = 0
				}
				d := target.Certified(x, c)
				begin := processor()
				r := must.Get(certify.Check(d, certify.Options{}))(t)
				took := processor() - begin
				spent += took
				rows := []*count{row(table, kind.name)}
				if kind.name == "exact" {
					rows = append(rows, row(exact, strings.Split(target.Name, "/")[0]))
				}
				for _, n := range rows {
					n.all++
					if r.Verdict == certify.Wrong {
						n.wrong++
					}
					if r.Verdict == certify.Doubtful {
						n.doubtful++
					}
					if largestRHat(x, chains) > 1.01 {
						n.rhat++
					}
				}
				if testing.Verbose() && kind.name == "exact" && r.Verdict == certify.Wrong {
					t.Logf("%s, repeat %d:\n%v", target.Name, repeat, r)
				}
				if repeat < peers && target.Lag == 0 {
					beside += took
					for i, n := range thinned {
						begin := processor()
						p := discrepancy(rng, every(d.X, n), every(d.S, n), 199)
						peer[i] += processor() - begin
						for _, n := range rows {
							if p <= 0.01 {
								n.ksd[i]++
							}
						}
					}
					for _, n := range rows {
						n.ksdAll++
					}
				}
			}
		}
	}
	show := func(name string, n *count) {
		ksd := ""
		for i, k := range n.ksd {
			if n.ksdAll > 0 {
				ksd += fmt.Sprintf(" 1/%d of draws %.0f%%", thinned[i], 100*float64(k)/float64(n.ksdAll))
			}
		}
		t.Logf("%-14s %5d  wrong %5.1f%%  doubtful %5.1f%%  KSD of %d:%s  R-hat %.0f%%", name, n.all,
			100*float64(n.wrong)/float64(n.all), 100*float64(n.doubtful)/float64(n.all), n.ksdAll, ksd,
			100*float64(n.rhat)/float64(n.all))
	}
	for _, kind := range kinds() {
		show(kind.name, table[kind.name])
	}
	for name, n := range exact {
		show("exact "+name, n)
	}
	t.Logf("time of processors: certificates %v, of the cases with a discrepancy %v; discrepancies %v", spent,
		beside, peer)
	// Of N exact sets at the rate .01, more than .01 N + 3 √(.01 N) wrong ones are no chance.
	n := table["exact"]
	if most := 0.01*float64(n.all) + 3*math.Sqrt(0.01*float64(n.all)); float64(n.wrong) > most {
		t.Errorf("%d of %d exact sets are called wrong", n.wrong, n.all)
	}
	for name, least := range map[string]float64{"moved .3 sd": 0.9, "width .9": 0.7, "mean field": 0.5} {
		if n := table[name]; float64(n.wrong) < least*float64(n.all) {
			t.Errorf("%s: %d of %d are called wrong, want %.0f%%", name, n.wrong, n.all, 100*least)
		}
	}
}

// processor returns the time of processors that this process has taken, which other work on the machine hardly
// changes.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// every keeps every n-th row.
func every(m *mat.Dense, n int) *mat.Dense {
	rows, cols := m.Dims()
	out := mat.NewDense(rows/n, cols, nil)
	for i := range rows / n {
		out.SetRow(i, m.RawRowView(i*n))
	}
	return out
}

func row[T any](m map[string]*T, name string) *T {
	if m[name] == nil {
		m[name] = new(T)
	}
	return m[name]
}
