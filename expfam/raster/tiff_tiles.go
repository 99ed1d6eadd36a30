package raster

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/expfam/lab/expfam/grid"
)

// tiled is a raster of some resolution, cut into packed tiles of wide × high cells: row after row of the first band
// from the north, then those of the next one.
type tiled struct {
	w, h, wide, high int
	tiles            [][]byte
	size             int // of all tiles
}

const tileSide = 256

// levels returns the layers in all their resolutions, and the size of all tiles.
func (l Layers) levels() (levels []tiled, size int, err error) {
	for _, layer := range l.Layers {
		values, err := l.northUp(layer)
		if err != nil {
			return nil, 0, err
		}
		for k, w, h := 0, l.Grid.Cols, l.Grid.Rows; ; k++ {
			if k == len(levels) {
				sixteens := func(n int) int { return min(tileSide, (n+15)/16*16) } // TIFF 6.0, section 15
				levels = append(levels, tiled{w: w, h: h, wide: sixteens(w), high: sixteens(h)})
			}
			before := levels[k].size
			if err := levels[k].add(values); err != nil {
				return nil, 0, err
			}
			if size += levels[k].size - before; size > math.MaxInt32 {
				return nil, 0, fmt.Errorf("raster: the GeoTIFF would be larger than 2 GB; write fewer layers to a file")
			}
			if max(w, h) <= tileSide {
				break
			}
			values, w, h = halved(values, w, h)
		}
	}
	return levels, size, nil
}

// northUp returns the values of a layer from the north-western cell on, NaN where there are none.
func (l Layers) northUp(layer Layer) ([]float32, error) {
	f := grid.Field{Grid: l.Grid}
	values := make([]float32, l.Grid.Len())
	for i := range values {
		j := f.Index(i%l.Grid.Cols, l.Grid.Rows-1-i/l.Grid.Cols)
		values[i] = float32(math.NaN())
		if l.Grid.Inside(j) {
			values[i] = float32(layer.Values[j])
		}
		if math.IsInf(float64(values[i]), 0) {
			return nil, fmt.Errorf("raster: layer %q, cell %d is %g; single precision holds at most %g; scale the "+
				"values", layer.Name, j, layer.Values[j], math.MaxFloat32)
		}
	}
	return values, nil
}

// halved returns the means of two by two cells, of those that are there.
func halved(values []float32, w, h int) ([]float32, int, int) {
	halfW, halfH := (w+1)/2, (h+1)/2
	out := make([]float32, halfW*halfH)
	for i := range out {
		sum, n := 0.0, 0.0
		for y := i / halfW * 2; y < min(h, i/halfW*2+2); y++ {
			for x := i % halfW * 2; x < min(w, i%halfW*2+2); x++ {
				if v := float64(values[y*w+x]); v == v {
					sum, n = sum+v, n+1
				}
			}
		}
		out[i] = float32(sum / n)
	}
	return out, halfW, halfH
}

// add packs the tiles of a band. Tiles reach beyond the raster, with NaN.
func (t *tiled) add(values []float32) error {
	tile := make([]float32, t.wide*t.high)
	for top := 0; top < t.h; top += t.high {
		for left := 0; left < t.w; left += t.wide {
			for i := range tile {
				tile[i] = float32(math.NaN())
				if x, y := left+i%t.wide, top+i/t.wide; x < t.w && y < t.h {
					tile[i] = values[y*t.w+x]
				}
			}
			var packed bytes.Buffer
			z := zlib.NewWriter(&packed)
			if err := binary.Write(z, binary.LittleEndian, tile); err != nil {
				return err
			}
			if err := z.Close(); err != nil {
				return err
			}
			t.tiles, t.size = append(t.tiles, packed.Bytes()), t.size+packed.Len()
		}
	}
	return nil
}

// tags returns the tags that say how the cells are written. The tiles end at the place end.
func (t *tiled) tags(overview bool, bands int, end uint32) (tags []tiffEntry) {
	each := func(v uint16, n int) []uint16 { return slices.Repeat([]uint16{v}, n) }
	at := end - uint32(t.size)
	var offsets, sizes []uint32
	for _, tile := range t.tiles {
		offsets, sizes = append(offsets, at), append(sizes, uint32(len(tile)))
		at += uint32(len(tile))
	}
	if overview {
		tags = append(tags, tiffEntry{tagSubfile, []uint32{1}}) // of lower resolution
	}
	tags = append(tags,
		tiffEntry{tagWidth, []uint32{uint32(t.w)}},
		tiffEntry{tagHeight, []uint32{uint32(t.h)}},
		tiffEntry{tagBits, each(32, bands)},
		tiffEntry{tagCompression, each(8, 1)}, // deflate
		tiffEntry{tagPhotometric, each(1, 1)}, // black is 0
		tiffEntry{tagSamples, each(uint16(bands), 1)},
		tiffEntry{tagPlanar, each(2, 1)}, // band after band
		tiffEntry{tagTileWidth, each(uint16(t.wide), 1)},
		tiffEntry{tagTileHeight, each(uint16(t.high), 1)},
		tiffEntry{tagTileOffsets, offsets},
		tiffEntry{tagTileBytes, sizes})
	if bands > 1 {
		tags = append(tags, tiffEntry{tagExtraSamples, each(0, bands-1)})
	}
	return append(tags, tiffEntry{tagSampleFormat, each(3, bands)}) // floating point
}
