package zarr

import (
	"errors"
	"fmt"
	"slices"
)

// node is the content of a zarr.json. Groups have the first four fields. Arrays have the others too.
type node struct {
	Format       int            `json:"zarr_format"`
	Type         string         `json:"node_type"` // "group" or "array"
	Attributes   map[string]any `json:"attributes"`
	Consolidated *consolidated  `json:"consolidated_metadata,omitempty"`

	Shape      []int    `json:"shape,omitempty"`
	DataType   string   `json:"data_type,omitempty"`
	ChunkGrid  *named   `json:"chunk_grid,omitempty"`
	ChunkKey   *named   `json:"chunk_key_encoding,omitempty"`
	Fill       any      `json:"fill_value,omitempty"`
	Codecs     []named  `json:"codecs,omitempty"`
	Dimensions []string `json:"dimension_names,omitempty"`
	// Transformers are of an extension of the format; arrays that have any are refused.
	Transformers []any `json:"storage_transformers,omitempty"`
}

// consolidated repeats all nodes of a tree in the node of its root. Without it zarr-python warns.
type consolidated struct {
	Kind           string          `json:"kind"`
	MustUnderstand bool            `json:"must_understand"`
	Metadata       map[string]node `json:"metadata"`
}

// named is a setting of an array: a name with its parameters.
type named struct {
	Name          string         `json:"name"`
	Configuration map[string]any `json:"configuration,omitempty"`
}

// groupNode returns the node of a group.
func groupNode(attributes map[string]any) node {
	if attributes == nil {
		attributes = map[string]any{}
	}
	return node{Format: 3, Type: "group", Attributes: attributes}
}

// node returns the node of an array.
func (a Array) node() node {
	n := groupNode(a.Attributes)
	n.Type, n.Shape, n.Dimensions = "array", a.Shape, a.Dims
	n.DataType, _, _ = a.kind()
	n.Fill = map[string]any{float: "NaN", whole: 0, truth: false, text: ""}[n.DataType]
	n.ChunkGrid = &named{"regular", map[string]any{"chunk_shape": a.chunk()}}
	n.ChunkKey = &named{"default", map[string]any{"separator": "/"}}
	n.Codecs = append(codecs(n.DataType), named{Name: crc32c})
	return n
}

// chunk returns the shape of the part of an array that a file holds.
func (a Array) chunk() []int {
	chunk := slices.Clone(a.Shape)
	for i := range a.Split {
		chunk[i] = 1
	}
	return chunk
}

// split returns the number of leading axes along which an array is cut into files. It refuses files of other shapes,
// and files with other names, than those of [Write].
func (n node) split() (split int, err error) {
	if n.ChunkGrid == nil || n.ChunkGrid.Name != "regular" {
		return 0, errors.New("it has no regular chunks; open it in Python")
	}
	k := n.ChunkKey
	if k == nil || k.Name != "default" || k.Configuration["separator"] != nil && k.Configuration["separator"] != "/" {
		return 0, errors.New("its chunks have other names than those that expfam writes; open it in Python")
	}
	raw, _ := n.ChunkGrid.Configuration["chunk_shape"].([]any)
	same := func(i int, want int) bool { f, is := raw[i].(float64); return is && f == float64(want) }
	if len(raw) == len(n.Shape) {
		for split < len(raw) && same(split, 1) && n.Shape[split] > 1 {
			split++
		}
		for i := split; len(raw) == len(n.Shape); i++ {
			if i == len(raw) {
				return split, nil
			}
			if !same(i, n.Shape[i]) {
				break
			}
		}
	}
	return 0, fmt.Errorf("chunks of shape %s of an array of shape %s are not as expfam writes them; open it in Python",
		brief(raw), brief(n.Shape))
}
