package command

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"

	"github.com/expfam/lab/kernel/internal/ipynb"
)

// record is what an installation remembers about itself, in install.json beside kernel.json.
type record struct {
	Workspace string `json:"workspace"`           // key of the workspace whose cache was warmed
	Onnx      string `json:"onnx,omitempty"`      // path of the library that install put in place and -remove removes
	OnnxError string `json:"onnxError,omitempty"` // why there is none

	// Took is how long the announced steps took here last, in seconds.
	Took map[string]float64 `json:"took,omitempty"`

	ECharts      string `json:"echarts,omitempty"`      // version that install put in place and -remove removes
	EChartsError string `json:"echartsError,omitempty"` // why there is none

	XLA        string `json:"xla,omitempty"` // path of the plugin that install -xla put in place and -remove removes
	XLAVersion string `json:"xlaVersion,omitempty"`
}

func (in *installer) record() record {
	var rec record
	data, err := os.ReadFile(filepath.Join(in.dir, "install.json"))
	if err == nil && json.Unmarshal(data, &rec) != nil {
		return record{} // damaged: do everything again
	}
	return rec
}

func (in *installer) remember(rec record) error {
	if len(in.took) > 0 {
		rec.Took = maps.Clone(rec.Took)
		if rec.Took == nil {
			rec.Took = map[string]float64{}
		}
		maps.Copy(rec.Took, in.took)
	}
	data, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	return ipynb.WriteFile(filepath.Join(in.dir, "install.json"), append(data, '\n'))
}
