package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/internal/storedir"
)

// clean executes the verb clean: it shows the library's store of results, and makes it smaller.
func clean(_ context.Context, args []string) error {
	flags := newFlags("clean")
	max := storedir.Size(-1)
	flags.Func("max", "`SIZE`, such as 2GB: remove the results that were not used for longest until so much is left",
		max.Set)
	all := flags.Bool("all", false, "remove all results")
	dry := flags.Bool("n", false, "only say what would be removed")
	if err := parse(flags, args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("clean takes no arguments, got %q", flags.Args())
	case *all && max >= 0:
		return errors.New("clean takes -max or -all, not both")
	case *all:
		max = 0
	}
	dir, err := storedir.Dir()
	if err != nil {
		return err
	}
	return cleanStore(os.Stdout, dir, max, *dry)
}

// cleanStore shows a store. Unless max is negative or the run is dry, it removes the results that were not used for
// longest until at most max is left.
func cleanStore(out io.Writer, dir string, max storedir.Size, dry bool) error {
	entries, err := storedir.List(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", dir, amount(entries))
	listKinds(out, entries)
	if max < 0 {
		if len(entries) > 0 {
			fmt.Fprintf(out, "nothing was removed: use %s or %s\n", quoted("clean -max SIZE"), quoted("clean -all"))
		}
		return nil
	}
	gone, done := storedir.Excess(entries, max, nil), "would remove"
	if !dry {
		gone, err = storedir.Remove(gone)
		done = "removed"
	}
	fmt.Fprintf(out, "%s %s\n", done, amount(gone))
	listKinds(out, gone)
	return err
}

// amount returns the number and the size of the results, and of the other files among the entries.
func amount(entries []storedir.Entry) string {
	var results, unfinished, leftovers []storedir.Entry
	for _, e := range entries {
		switch {
		case e.Leftover:
			leftovers = append(leftovers, e)
		case e.Unfinished():
			unfinished = append(unfinished, e)
		case e.Kind == storedir.Longest: // no result of its own
		default:
			results = append(results, e)
		}
	}
	text := fmt.Sprintf("%s in %d results", storedir.Total(results), len(results))
	if len(unfinished) > 0 {
		text += fmt.Sprintf(", %s in %d files of unfinished runs", storedir.Total(unfinished), len(unfinished))
	}
	if len(leftovers) > 0 {
		text += fmt.Sprintf(", %s in %d files left by interrupted ones", storedir.Total(leftovers), len(leftovers))
	}
	return text
}

// listKinds writes a line for each kind of entry, by name.
func listKinds(out io.Writer, entries []storedir.Entry) {
	kinds := map[string][]storedir.Entry{}
	var names []string
	for _, e := range entries {
		if kinds[e.Kind] == nil {
			names = append(names, e.Kind)
		}
		kinds[e.Kind] = append(kinds[e.Kind], e)
	}
	slices.Sort(names)
	for _, name := range names {
		of := kinds[name]
		fmt.Fprintf(out, "  %-12s %6d  %9s  last used %s to %s\n", name, len(of), storedir.Total(of),
			of[0].Used.Format(time.DateOnly), of[len(of)-1].Used.Format(time.DateOnly))
	}
}

// checkStore returns the doctor's line about the store of results.
func checkStore(context.Context, *installer) []finding {
	f := finding{name: "store"}
	dir, err := storedir.Dir()
	var entries []storedir.Entry
	if err == nil {
		entries, err = storedir.List(dir)
	}
	if _, errStat := os.Stat(dir); err == nil && errStat == nil {
		err = safefile.Try(dir, 4096)
	}
	max, errMax := storedir.Max()
	if err = errors.Join(err, errMax); err != nil {
		f.remedy = err.Error() + ": results are not kept as they should be; set " + storedir.Env +
			" to a folder that can be written"
		return []finding{f}
	}
	bound := "no bound"
	if max > 0 {
		bound = "at most " + max.String()
	}
	f.detail = fmt.Sprintf("%s, %s (%s)  %s", amount(entries), bound, storedir.MaxEnv, dir)
	return []finding{f}
}
