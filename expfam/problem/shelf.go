package problem

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/store"
)

// Shelf is a folder of posteriors that take long to draw. It ships with a lesson. The name of a posterior's file holds
// a hash of all that determines the posterior: the likelihood, the data, the prior, the guidance, the method, the seed
// and the number of draws. If a reader changes any of these, the posterior is drawn again, and no wrong file is read.
type Shelf struct {
	Dir   string
	Fresh bool // draw everything, and replace the files
}

// Sample loads the posterior of the data set from the shelf, or else draws it by [diffusion.Sample].
func (s Shelf) Sample(d *Dataset, p expfam.Prior, sampler diffusion.Sampler) (*expfam.Posterior, error) {
	like := d.Case.Likelihood
	path := s.path(d.Case.Name, "safetensors", like, d.Obs, p, sampler)
	if !s.Fresh {
		post, err := expfam.LoadPosterior(path, like)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return post, err
		}
	}
	post, err := diffusion.Sample(p, like, d.Obs, sampler)
	if err != nil || !s.Fresh {
		return post, err
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return post, fmt.Errorf("problem: shelf: %w", err)
	}
	return post, post.Save(path)
}

// path returns the file of a posterior. Its hash uses the data with six digits, because the last digits are not the
// same on every processor.
func (s Shelf) path(name, extension string, like expfam.Likelihood, obs expfam.Observations, p expfam.Prior,
	sampler diffusion.Sampler) string {
	key := store.Key("shelf", like.String(), fmt.Sprintf("%.6g", obs), fmt.Sprint(p), fmt.Sprint(sampler.Guidance),
		fmt.Sprint(sampler.Method), sampler.Draws, sampler.Seed)
	name = strings.Trim(regexp.MustCompile("[^a-z0-9]+").ReplaceAllString(strings.ToLower(name), "-"), "-")
	return filepath.Join(s.Dir, fmt.Sprintf("%s-%.12s.%s", name, key, extension))
}
