package kubernetes

import (
	"os"
	"testing"

	"sigs.k8s.io/yaml"
)

// The values for JupyterHub are those of a chart, whose schema is not among Kubernetes' types: what is checked is that
// they are YAML without a key twice.
func TestValues(t *testing.T) {
	raw, err := os.ReadFile("../jupyterhub.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var values struct {
		Singleuser map[string]any `json:"singleuser"`
	}
	if err := yaml.UnmarshalStrict(raw, &values); err != nil || values.Singleuser["cmd"] != "jupyterhub-singleuser" {
		t.Errorf("%v, error %v", values, err)
	}
}
