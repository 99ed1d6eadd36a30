// Command peers maps districts and a campaign of surveys by this library and by the programs that people use for it,
// one after the other in one run, and prints their seconds and errors:
//
//	cd benchmarks && go run ./peers -python python3 scotland 1024 3136 campaign
//
// A number stands for so many simulated districts. The command needs R with TMB and mgcv (Debian: r-cran-tmb,
// r-cran-mgcv), and a Python with pymc, nutpie, arviz and gpboost. A program that cannot be run, or that takes longer
// than -most, has a line with the reason. Seconds are those of a processor and those of waiting, with the start of the
// program and its compiler; TMB's template is compiled by the first run alone. The load of the machine is printed
// first.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// problem is data whose rates or prevalences are known, or known by a long chain.
type problem interface {
	// write writes the data for other programs into a folder.
	write(dir string) error
	// ours makes 500 draws.
	ours() (estimate, error)
	// peers are the scripts of other programs.
	peers() []peer
	// score describes an estimate beside what is known.
	score(estimate) string
}

// find returns the problem that an argument names.
func find(name string, seed uint64) (problem, error) {
	switch name {
	case "scotland":
		return scotland()
	case "campaign":
		return simulateCampaign(64, seed)
	}
	n, err := strconv.Atoi(name)
	if err != nil {
		return nil, fmt.Errorf("peers: problem %q; give scotland, campaign or a number of districts", name)
	}
	return simulateDistricts(n, seed)
}

// processor returns the seconds of processors that this process and its children have taken.
func processor() (seconds float64) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if err := syscall.Getrusage(who, &r); err != nil {
			log.Fatal(err)
		}
		seconds += time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
	}
	return seconds
}

func main() {
	log.SetFlags(0)
	python := flag.String("python", "python3", "the Python that has pymc, nutpie, arviz and gpboost")
	most := flag.Duration("most", 10*time.Minute, "how long a program may take")
	seed := flag.Uint64("seed", 1, "of the simulated problems")
	flag.Parse()
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Printf("load %s\n\n", strings.Fields(string(load))[0])
	}
	fmt.Println("| problem | program | processor, s | waiting, s | result |")
	fmt.Println("|---|---|---|---|---|")
	for _, name := range flag.Args() {
		p, err := find(name, *seed)
		if err != nil {
			log.Fatal(err)
		}
		dir, err := os.MkdirTemp("", "peers-")
		if err == nil {
			err = p.write(dir)
		}
		if err != nil {
			log.Fatal(err)
		}
		measure := func(program string, fit func() (estimate, error)) {
			began, used := time.Now(), processor()
			e, err := fit()
			waited, used := time.Since(began).Seconds(), processor()-used
			result := ""
			if err != nil {
				result = err.Error()
			} else {
				result = strings.TrimSuffix(p.score(e)+"; "+e.note, "; ")
			}
			fmt.Printf("| %s | %s | %.2f | %.2f | %s |\n", name, program, used, waited, result)
		}
		measure("expfam, 500 draws", p.ours)
		for _, other := range p.peers() {
			measure(other.name, func() (estimate, error) {
				interpreter := *python
				if filepath.Ext(other.script) == ".R" {
					interpreter = "Rscript"
				}
				return other.run(interpreter, dir, *most)
			})
		}
		if err := os.RemoveAll(dir); err != nil {
			log.Fatal(err)
		}
	}
}
