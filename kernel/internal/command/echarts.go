package command

import (
	"os"
	"path/filepath"
)

// echartsPart is ECharts, which makes figures interactive; without it they are images. JupyterLab serves what lies in a
// folder of labextensions at {base_url}lab/extensions/, and needs no package.json for that.
var echartsPart = part{name: "ECharts", line: "ECharts", pin: echartsPackage, without: "figures stay static",
	files: echartsFiles, path: echartsPath, usable: func(path string) (string, error) {
		_, err := os.Stat(path)
		return "", err
	}}

const (
	echartsFile = "echarts.min.js"
	echartsEnv  = "EXPFAM_ECHARTS" // a file elsewhere, for pages; the figures' package reads it too
)

// echartsFiles are the files of the package that are kept. The licences go where the program goes.
var echartsFiles = []member{{"package/dist/" + echartsFile, echartsFile}, {"package/LICENSE", "LICENSE"},
	{"package/NOTICE", "NOTICE"}, {"package/licenses/LICENSE-d3", "LICENSE-d3"}}

// echartsDir returns the folder in which figures look for ECharts.
func echartsDir() (string, error) {
	dir, err := dataDir()
	return filepath.Join(dir, "labextensions", frontEndName), err
}

// echartsSource reads ECharts for embedding; nil means that there is none.
func echartsSource() []byte {
	paths := []string{os.Getenv(echartsEnv)}
	if dir, err := echartsDir(); err == nil {
		paths = append(paths, filepath.Join(dir, echartsFile))
	}
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil && len(data) > 0 {
			return data
		}
	}
	return nil
}

func echartsPath() (string, error) {
	dir, err := echartsDir()
	return filepath.Join(dir, echartsFile), err
}
