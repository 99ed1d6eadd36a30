package faults

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/internal/must"
)

// rightResults are what a run without faults draws and trains.
func rightResults(t *testing.T) (draws, network string) {
	draws = must.Get(whatDraws())(t)
	network = must.Get(whatNetwork())(t)
	return draws, network
}

// Processes are killed while they write, sample and train. Whole files are left, and the next run has the right result.
func TestKills(t *testing.T) {
	a := newArea("kills")
	all := must.Get(versions())(t)
	draws, network := rightResults(t)
	dir := t.TempDir()
	must.Do(t, writeOld(dir, all))
	for range cases(2, 110) {
		after := time.Duration(a.rng.IntN(int(300 * time.Millisecond)))
		a.try(t, fmt.Sprintf("writing, killed after %v", after), func() error {
			kill(t, process("write", dir, t.TempDir()), after)
			return torn(dir, all)
		})
	}
	again := map[string]struct {
		want string
		run  func() (string, error)
	}{
		"sample": {draws, func() (string, error) { return drawn(diffusion.Sample(few, poisson, data, sampled())) }},
		"train":  {network, func() (string, error) { return learned(learn.Train(few, trained())) }},
	}
	for range cases(1, 60) {
		name := pick(a.rng, "sample", "train")
		kills := 1 + a.rng.IntN(3) // of one run, in one store
		storeDir := t.TempDir()
		a.try(t, fmt.Sprintf("%s, killed %d times", name, kills), func() error {
			for range kills {
				kill(t, process(name, "", storeDir), time.Duration(a.rng.IntN(int(400*time.Millisecond))))
			}
			got, err := inStore(storeDir, again[name].run)
			if err != nil {
				return lose("the next run fails: %v", err)
			}
			if got != again[name].want {
				return wrong("the next run has another result")
			}
			return nil
		})
	}
}

// A disk is full: old files stay whole, and results are returned.
func TestFullDisks(t *testing.T) {
	a := newArea("full disks")
	all := must.Get(versions())(t)
	draws, network := rightResults(t)
	for range cases(1, 30) {
		dir, limit := t.TempDir(), a.rng.IntN(60_000)
		must.Do(t, writeOld(dir, all))
		out, err := process("full", fmt.Sprint(limit, " ", dir), t.TempDir()).Output()
		said := strings.Split(printed(out), "\n")
		for i, w := range writers() {
			a.try(t, fmt.Sprintf("%s in %d bytes", w.name, limit), func() error {
				if err != nil || i >= len(said) {
					return lose("the process ended: %v", err)
				}
				data, err := os.ReadFile(filepath.Join(dir, w.name))
				failed := said[i] != "ok"
				switch {
				case err != nil:
					return lose("gone: %v", err)
				case failed && !bytes.Equal(data, all[w.name][0]):
					return lose("%s, and the old file is torn", said[i])
				case !failed && !bytes.Equal(data, all[w.name][1]):
					return lose("no error, and the new file is not there")
				case failed:
					return refused(fmt.Errorf("%s", said[i]))
				}
				return nil
			})
		}
	}
	results := map[string]string{"sample": draws, "train": network}
	for _, name := range []string{"sample", "train"} {
		for range cases(1, 20) {
			limit, want := a.rng.IntN(3000), results[name]
			a.try(t, fmt.Sprintf("%s in %d bytes", name, limit), func() error {
				out, err := process(name, fmt.Sprint(limit), t.TempDir()).Output()
				if err != nil {
					return lose("the result is thrown away: %v", err)
				}
				if printed(out) != want {
					return wrong("another result")
				}
				return nil
			})
		}
	}
}

// writeFull writes all files once, where none may be longer than a limit.
func writeFull(args string) error {
	var limit uint64
	var dir string
	if _, err := fmt.Sscan(args, &limit, &dir); err != nil {
		return err
	}
	if err := limitFiles(limit); err != nil {
		return err
	}
	begin()
	for _, w := range writers() {
		if err := w.write(filepath.Join(dir, w.name), 1); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println("ok")
	}
	return nil
}
