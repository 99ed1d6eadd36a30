package operator

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Kernel is the image of a single point: the weights of a [Convolution]. Your own kernel
// is a type with these methods, or a [Taps].
type Kernel interface {
	String() string
	// Taps returns the weights row by row, with the centre at row len/2 and column len/2. On a line there is one row.
	Taps(line bool) ([][]float64, error)
}

// Gaussian is the kernel with weights ∝ exp(−|u|²/(2 SD²)) at the cells u, with sum 1.
type Gaussian struct {
	SD float64 // in cells, default 1
	// Reach is the number of cells of the kernel on each side of its centre. Default: 4 SD,
	// rounded up, which leaves out 6e-5 of the weight.
	Reach int
}

func (k Gaussian) orDefault() Gaussian {
	k.SD = cmp.Or(k.SD, 1)
	k.Reach = cmp.Or(k.Reach, int(math.Ceil(min(4*k.SD, 1e6))))
	return k
}

func (k Gaussian) String() string {
	k = k.orDefault()
	return fmt.Sprintf("gaussian(sd %g, reach %d)", k.SD, k.Reach)
}

// Taps implements [Kernel].
func (k Gaussian) Taps(line bool) ([][]float64, error) {
	k = k.orDefault()
	if !(k.SD > 0) || k.Reach < 1 || k.Reach > maxReach {
		return nil, fmt.Errorf("operator: a Gaussian kernel with SD %g and Reach %d; the SD must be positive and "+
			"the Reach 1 to %d cells", k.SD, k.Reach, maxReach)
	}
	profile, sum := make([]float64, 2*k.Reach+1), 0.0
	for i := range profile {
		u := float64(i-k.Reach) / k.SD
		profile[i] = math.Exp(-u * u / 2)
		sum += profile[i]
	}
	for i := range profile {
		profile[i] /= sum
	}
	return outer(profile, line), nil
}

// maxReach bounds the reach of a kernel, so that a mistake of units does not fill the memory.
const maxReach = 1 << 12

// Box is the mean of N cells, or on a grid of N × N cells. With an even N there is one
// cell more before the centre than behind it.
type Box struct {
	N int // default 3
}

func (k Box) orDefault() Box {
	k.N = cmp.Or(k.N, 3)
	return k
}

func (k Box) String() string { return fmt.Sprintf("box(%d)", k.orDefault().N) }

// Taps implements [Kernel].
func (k Box) Taps(line bool) ([][]float64, error) {
	k = k.orDefault()
	if k.N < 1 || k.N > 2*maxReach {
		return nil, fmt.Errorf("operator: a box kernel of %d cells; give 1 to %d, or 0 for 3", k.N, 2*maxReach)
	}
	profile := slices.Repeat([]float64{1 / float64(k.N)}, k.N)
	return outer(profile, line), nil
}

// outer returns the outer product of a profile with itself, or on a line the profile.
func outer(profile []float64, line bool) [][]float64 {
	if line {
		return [][]float64{profile}
	}
	taps := make([][]float64, len(profile))
	for i, v := range profile {
		taps[i] = make([]float64, len(profile))
		for j, w := range profile {
			taps[i][j] = v * w
		}
	}
	return taps
}

// Motion is the blur of a camera that moves at a constant speed along a straight line.
// The weight of a cell is the share of the line that lies in the cell.
type Motion struct {
	Length float64 // in cells, default 5
	// Angle is counter-clockwise from the direction of a row, in degrees; on a line it is 0.
	Angle float64
}

func (k Motion) orDefault() Motion {
	k.Length = cmp.Or(k.Length, 5)
	return k
}

func (k Motion) String() string {
	k = k.orDefault()
	return fmt.Sprintf("motion(length %g, %g°)", k.Length, k.Angle)
}

// Taps implements [Kernel].
func (k Motion) Taps(line bool) ([][]float64, error) {
	k = k.orDefault()
	if !(k.Length > 0 && k.Length <= 2*maxReach) || math.IsNaN(k.Angle) || math.IsInf(k.Angle, 0) {
		return nil, fmt.Errorf("operator: a motion kernel of length %g at %g°; the length must be positive and at "+
			"most %d cells", k.Length, k.Angle, 2*maxReach)
	}
	if line && k.Angle != 0 {
		return nil, fmt.Errorf("operator: a motion kernel at %g° on a line; there the angle is 0", k.Angle)
	}
	sin, cos := sincos(k.Angle)
	halfRows, halfCols := int(math.Ceil(k.Length/2*math.Abs(sin)-0.5-1e-12)),
		int(math.Ceil(k.Length/2*math.Abs(cos)-0.5-1e-12))
	halfRows, halfCols = max(halfRows, 0), max(halfCols, 0)
	rows, cols := 2*halfRows+1, 2*halfCols+1
	taps := make([][]float64, rows)
	for i := range taps {
		taps[i] = make([]float64, cols)
	}
	// The centre of the kernel, in coordinates of cells with x to the right and y downward.
	x, y := float64(cols)/2, float64(rows)/2
	segment{x - k.Length/2*cos, y + k.Length/2*sin, x + k.Length/2*cos, y - k.Length/2*sin}.cells(rows, cols,
		func(r, c int, length float64) {
			taps[r][c] += length / k.Length
		})
	return taps, nil
}

// Taps is a kernel that is given by its weights, row by row, with the centre at row len/2 and column len/2. The weights
// are not normalised: for a blur that keeps the total they must have the sum 1.
type Taps [][]float64

func (k Taps) String() string {
	cols := 0
	if len(k) > 0 {
		cols = len(k[0])
	}
	return fmt.Sprintf("%d×%d taps", len(k), cols)
}

// Taps implements [Kernel].
func (k Taps) Taps(bool) ([][]float64, error) { return k, nil }

// tapsOf returns the weights of a kernel, after a check.
func tapsOf(k Kernel, line bool) ([][]float64, error) {
	taps, err := k.Taps(line)
	if err != nil {
		return nil, err
	}
	if len(taps) == 0 || len(taps[0]) == 0 {
		return nil, fmt.Errorf("operator: the kernel %v has no taps; give at least one weight", k)
	}
	if line && len(taps) != 1 {
		return nil, fmt.Errorf("operator: the kernel %v has %d rows on a line; give one, or the Rows of a grid", k,
			len(taps))
	}
	for i, row := range taps {
		if len(row) != len(taps[0]) {
			return nil, fmt.Errorf("operator: the kernel %v has %d weights in row %d and %d in row 0; all rows "+
				"must be as long", k, len(row), i, len(taps[0]))
		}
		for j, w := range row {
			if math.IsNaN(w) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("operator: the kernel %v has the weight %g in row %d, column %d; weights "+
					"must be finite", k, w, i, j)
			}
		}
	}
	return taps, nil
}

// sincos returns the sine and the cosine of an angle in degrees. They are exact at multiples of
// 90°, where rays run along the borders of cells.
func sincos(degrees float64) (sin, cos float64) {
	turn := math.Mod(degrees, 360)
	if turn < 0 {
		turn += 360
	}
	quarter := math.Floor(turn / 90)
	sin, cos = math.Sincos((turn - 90*quarter) * math.Pi / 180)
	switch quarter {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}
