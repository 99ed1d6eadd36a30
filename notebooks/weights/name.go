//go:build ignore

// Name writes into the files of this folder which architecture their networks have: `go run name.go`. It is needed once,
// for files of a version whose Save did not write the architecture. Weights stay the same to the bit. For files of your
// own, call learn.Load with the network, and then Save.
package main

import (
	"fmt"
	"log"
	"path/filepath"

	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
)

func main() {
	for pattern, net := range map[string]nn.Network{
		"gp-experts-*.safetensors": nn.Experts{}, "gp-mlp-*.safetensors": nn.MLP{}, "images-*.safetensors": nn.UNet{Rows: 64, Columns: 64}} {
		text, err := nn.Describe(net)
		if err != nil {
			log.Fatal(err)
		}
		files, err := filepath.Glob(pattern)
		if err != nil {
			log.Fatal(err)
		}
		for _, path := range files {
			f, err := store.Read(path)
			if err != nil {
				log.Fatal(err)
			}
			if f.Meta["network"] != net.String() {
				log.Fatalf("%s holds %s, not %v", path, f.Meta["network"], net)
			}
			f.Meta["architecture"] = text
			if err := store.Write(path, f); err != nil {
				log.Fatal(err)
			}
			fmt.Println(path, text)
		}
	}
}
