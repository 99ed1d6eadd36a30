package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/expfam/lab/expfam"
)

// peer is a script of another program with its argument, which reads the files of a problem in its folder and writes
// estimate.csv.
type peer struct{ name, script, argument string }

// estimate is a posterior of a rate or prevalence: its median and the ends of its 95% interval in every place, and the
// last line that the program printed.
type estimate struct {
	median, low, high []float64
	note              string
}

// of returns the estimate by draws.
func of(draws *expfam.Draws) estimate {
	low, high := draws.EqualTailed(0.95)
	return estimate{median: draws.Quantile(0.5), low: low, high: high}
}

func (p peer) run(interpreter, dir string, most time.Duration) (estimate, error) {
	path, err := filepath.Abs(filepath.Join("peers", p.script))
	if err != nil {
		return estimate{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	cmd := exec.CommandContext(ctx, interpreter, path, p.argument)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	printed, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return estimate{}, fmt.Errorf("stopped after %v", most)
	case err != nil:
		return estimate{}, fmt.Errorf("%s: %w", p.script, err)
	}
	e, err := readEstimate(filepath.Join(dir, "estimate.csv"))
	for line := range strings.Lines(string(printed)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "[GPBoost]") {
			e.note = line
		}
	}
	return e, err
}

// readEstimate reads the columns median, low and high below a header, and removes the file.
func readEstimate(path string) (e estimate, err error) {
	f, err := os.Open(path)
	if err != nil {
		return e, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil || len(records) == 0 || len(records[0]) != 3 {
		return e, fmt.Errorf("%s: %d lines (%w)", path, len(records), err)
	}
	for _, record := range records[1:] {
		var row [3]float64
		for k, text := range record {
			if row[k], err = strconv.ParseFloat(text, 64); err != nil {
				return e, fmt.Errorf("%s: %w", path, err)
			}
		}
		e.median, e.low, e.high = append(e.median, row[0]), append(e.low, row[1]), append(e.high, row[2])
	}
	return e, os.Remove(path)
}

// writeColumns writes columns of one length under their names.
func writeColumns(path string, names []string, columns ...[]float64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	if err := w.Write(names); err != nil {
		return err
	}
	for i := range columns[0] {
		record := make([]string, len(columns))
		for k, column := range columns {
			record[k] = strconv.FormatFloat(column[i], 'g', -1, 64)
		}
		if err := w.Write(record); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}
