package cluster

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strings"
	"text/template"
	"time"

	"github.com/expfam/lab/deploy/slurm"
)

// Kubernetes writes the manifest of a job: an indexed Job, whose completion i is share i, and a Job of the merge, whose
// pod waits for the marks of all shares on the volume. The notebooks and the scripts of deploy/slurm go along as a
// ConfigMap. Kubernetes starts a share again that failed, so nobody needs to watch.
type Kubernetes struct {
	Image   string
	Claim   string // name of the claim of a volume that all nodes may write
	Storage string // size of the claim, such as 10Gi, if the manifest makes it; "": it is there
	CPUs    int    // whole processors of a share
	Memory  string // of a share, such as 4Gi
	GPUs    int    // of a share
	Retries int    // how often a share is started again
	// Deadline is how long all shares may take, and the merge with its wait.
	Deadline time.Duration
}

//go:embed kubernetes.yaml
var manifest string

var manifestTemplate = template.Must(template.New("kubernetes.yaml").Funcs(template.FuncMap{
	"json": func(v string) (string, error) { // a JSON string is a YAML string
		text, err := json.Marshal(v)
		return string(text), err
	},
}).Parse(manifest))

// mostOfConfig is what a ConfigMap may hold, less some room.
const mostOfConfig = 1 << 20 * 9 / 10

// Manifest returns the manifest of a job in YAML. Folder is where containers mount the volume.
func (k Kubernetes) Manifest(j Job, folder string) (string, error) {
	if !path.IsAbs(folder) || path.Clean(folder) != folder {
		return "", fmt.Errorf("-out %s is where containers mount the volume: give a path such as /home/lab/draws",
			folder)
	}
	same := j // what makes it the same job
	same.Sbatch, same.Share.Timeout = nil, ""
	description, err := json.MarshalIndent(same, "", "  ")
	if err != nil {
		return "", err
	}
	files := map[string]string{jobFile: string(description) + "\n", "share.sh": slurm.Share,
		"run-share.sh": k.script(j, folder, "share-$EXPFAM_SHARE", "share.sh", j.Share, quote(j.Over))}
	notebooks := map[string]string{"share.ipynb": j.Share.Notebook}
	if j.Merge != nil {
		files["merge.sh"] = slurm.Merge
		files["run-merge.sh"] = k.script(j, folder, mergeName, "merge.sh", *j.Merge)
		files["wait.sh"] = fmt.Sprintf("#!/bin/sh\n# Waits for all shares.\ni=0\n"+
			"while [ $i -lt %d ]; do\n\tif [ -e %s/log/share-$i.done ]; then i=$((i + 1)); else sleep 5; fi\ndone\n",
			j.Shares, quote(folder))
		notebooks["merge.ipynb"] = j.Merge.Notebook
	}
	size := 0
	for name, from := range notebooks {
		text, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		files[name] = string(text)
		size += len(text)
	}
	if size > mostOfConfig {
		return "", fmt.Errorf("the notebooks have %d bytes, and a ConfigMap at most %d: clear their outputs", size,
			mostOfConfig)
	}
	var out bytes.Buffer
	err = manifestTemplate.Execute(&out, struct {
		Job
		Kubernetes
		Files         map[string]string
		Folder, Store string
		Deadline      int
	}{j, k, files, folder, path.Join(folder, "store"), int(k.Deadline.Seconds())})
	return out.String(), err
}

// script returns what a container runs. Of a folder with another job it takes nothing, and what is done is not done
// again, because Kubernetes may start a pod twice.
func (k Kubernetes) script(j Job, folder, mark, script string, p Program, words ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\nmkdir -p %[1]s/log && cd %[1]s || exit\n", quote(folder))
	fmt.Fprintf(&b, "[ -e %[1]s ] || { cp /job/%[1]s .%[2]s-$$ && mv .%[2]s-$$ %[1]s; } || exit\n", jobFile, mark)
	fmt.Fprintf(&b, "cmp %[1]s /job/%[1]s || { echo 'the volume has another job at -out: take another'; exit 1; }\n",
		jobFile)
	fmt.Fprintf(&b, "[ ! -e log/%s.done ] || exit 0\n", mark)
	notebook := "/job/" + strings.TrimSuffix(script, ".sh") + ".ipynb"
	words = append([]string{"exec sh", "/job/" + script, "expfam", quote(folder)}, append(words, notebook)...)
	for _, flag := range p.args() {
		words = append(words, quote(flag))
	}
	return b.String() + strings.Join(words, " ") + "\n"
}
