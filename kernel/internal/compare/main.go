// Compare says whether a notebook that was executed again has the outputs that it had:
//
//	go run ./kernel/internal/compare COMMITTED EXECUTED
//
// Every cell must have the same kinds of outputs with the same words, progress bars apart. Of the numbers in them,
// times apart, nine tenths must agree within a twentieth: sums of floating-point numbers differ with the processor's
// instructions. Times are numbers with a unit of time, tables headed "Seconds" and last columns headed "seconds" or
// "time (s)".
package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expfam/lab/kernel/internal/ipynb"
)

const (
	tolerance = 0.05
	share     = 0.9
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: compare COMMITTED EXECUTED")
		os.Exit(2)
	}
	agree, all, err := compare(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
	fmt.Printf("%d of %d numbers agree\n", agree, all)
}

// compare counts the numbers of two notebooks' outputs and those that agree.
func compare(committed, executed string) (agree, all int, err error) {
	a, err := ipynb.Read(committed)
	if err != nil {
		return 0, 0, err
	}
	b, err := ipynb.Read(executed)
	if err != nil {
		return 0, 0, err
	}
	if len(a.Cells) != len(b.Cells) {
		return 0, 0, fmt.Errorf("%d cells, %d in %s", len(a.Cells), len(b.Cells), executed)
	}
	for i := range a.Cells {
		wordsA, numbersA := contents(a.Cells[i])
		wordsB, numbersB := contents(b.Cells[i])
		if !slices.Equal(wordsA, wordsB) {
			return agree, all, fmt.Errorf("cell %d (id %s) says\n%s\nand said\n%s", i+1, a.Cells[i].ID,
				strings.Join(wordsB, "\n"), strings.Join(wordsA, "\n"))
		}
		for k := range numbersA {
			if all++; near(numbersA[k], numbersB[k]) {
				agree++
			}
		}
	}
	if float64(agree) < share*float64(all) {
		return agree, all, fmt.Errorf("only %d of %d numbers in %s are within %g of what they were", agree, all,
			executed, tolerance)
	}
	return agree, all, nil
}

var (
	number   = regexp.MustCompile(`[-−]?\d+(\.\d+)?(e[-+]?\d+)?`)
	duration = regexp.MustCompile(`(\d+(\.\d+)? ?(ns|µs|ms|s|min|h)\b ?)+`)
)

// contents returns the words of a cell's outputs and the numbers in them. In the words each number is a # and each
// space one blank. Of a figure the words beside it and its media types count.
func contents(c *ipynb.Cell) (words, numbers []string) {
	for _, out := range c.Outputs {
		text := cmp.Or(out.Text, out.Content("text/plain"))
		text = duration.ReplaceAllString(untimed(text), " (time) ")
		if !strings.HasPrefix(text, "Seconds ") { // a table of times
			numbers = append(numbers, number.FindAllString(text, -1)...)
		}
		text = strings.Join(strings.Fields(number.ReplaceAllString(text, " # ")), " ")
		if text == "" && len(out.Data) == 1 { // a progress bar, which quick work and stored results do not have
			continue
		}
		kinds := make([]string, 0, len(out.Data))
		for kind := range out.Data {
			kinds = append(kinds, kind)
		}
		slices.Sort(kinds)
		words = append(words, fmt.Sprintf("%s %s %v: %s", out.Type, out.Name, kinds, text))
	}
	return words, numbers
}

var (
	lastTimes = regexp.MustCompile(`\s(seconds|time \(s\))\s*$`)
	lastWord  = regexp.MustCompile(`\s\S+\s*$`)
)

// untimed returns a text whose tables are without their last columns if these are times.
func untimed(text string) string {
	lines := strings.Split(text, "\n")
	for i, inside := 0, false; i < len(lines); i++ {
		if inside && strings.TrimSpace(lines[i]) != "" {
			lines[i] = lastWord.ReplaceAllString(lines[i], "")
		} else {
			inside = lastTimes.MatchString(lines[i])
		}
	}
	return strings.Join(lines, "\n")
}

// near reports whether two printed numbers agree within the tolerance and a unit of the last digit.
func near(a, b string) bool {
	x, errA := strconv.ParseFloat(strings.Replace(a, "−", "-", 1), 64)
	y, errB := strconv.ParseFloat(strings.Replace(b, "−", "-", 1), 64)
	_, digits, _ := strings.Cut(a, ".")
	unit := math.Pow(10, -float64(len(digits)))
	if digits == "" || strings.Contains(a, "e") { // counts, and numbers whose last digit is small
		unit = 0
	}
	return errA == nil && errB == nil && math.Abs(x-y) <= tolerance*math.Max(math.Abs(x), math.Abs(y))+unit
}
