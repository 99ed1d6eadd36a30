package graph

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/internal/nearest"
	"github.com/expfam/lab/internal/safefile"
)

// ReadGAL reads a list of neighbours in GeoDa's format .gal, as spdep and PySAL write it. The first line has the number
// of areas, or 0, that number, the name of the layer and the name of its column of codes. Then each area has a line
// with its code and its number of neighbours, and a line with their codes. Codes are text: "01001" keeps its 0.
func ReadGAL(path string) (*Neighbours, error) {
	text, err := safefile.Read(path, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	n, err := decodeGAL(text)
	if err != nil {
		return nil, fmt.Errorf("graph: %s: %w", path, err)
	}
	return n, nil
}

func decodeGAL(text []byte) (*Neighbours, error) {
	head, body, _ := strings.Cut(strings.TrimPrefix(string(text), "\ufeff"), "\n")
	words := strings.Fields(head)
	if len(words) >= 4 && words[0] == "0" {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil, errors.New("it is empty; its first line has the number of areas")
	}
	areas, err := strconv.Atoi(words[0])
	if err != nil || areas < 1 || areas > len(text) {
		return nil, fmt.Errorf("its first line, %.60q, has no number of areas", head)
	}
	n := &Neighbours{Of: make([][]int, areas)}
	codes, place := make([][]string, areas), map[string]int{}
	scan := bufio.NewScanner(bytes.NewReader([]byte(body)))
	scan.Buffer(nil, len(text)+1)
	scan.Split(bufio.ScanWords)
	next := func() (string, bool) { ok := scan.Scan(); return scan.Text(), ok }
	for i := range areas {
		code, ok := next()
		count, more := next()
		if !ok || !more {
			return nil, fmt.Errorf("it ends after %d of %d areas; copy the complete file", i, areas)
		}
		if at, twice := place[code]; twice {
			return nil, fmt.Errorf("areas %d and %d both have the code %q; give every area its own", at, i, code)
		}
		place[code] = i
		n.Names = append(n.Names, code)
		k, err := strconv.Atoi(count)
		if err != nil || k < 0 || k > areas {
			return nil, fmt.Errorf("area %s has %q neighbours; the number of neighbours follows the code", code, count)
		}
		for range k {
			of, ok := next()
			if !ok {
				return nil, fmt.Errorf("it ends among the neighbours of area %s; copy the complete file", code)
			}
			codes[i] = append(codes[i], of)
		}
	}
	if rest, more := next(); more {
		return nil, fmt.Errorf("%q follows the last of %d areas; the first line has their number", rest, areas)
	}
	for i, of := range codes {
		for _, code := range of {
			j, found := place[code]
			if !found {
				return nil, fmt.Errorf("area %s has the neighbour %q, which is no area; the nearest codes are %s",
					n.Names[i], code, nearest.List(code, n.Names, 3))
			}
			n.Of[i] = append(n.Of[i], j)
		}
	}
	checked, err := n.checked()
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "graph: "))
	}
	return checked, nil
}
