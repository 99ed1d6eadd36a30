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

// shelfRevision is part of the names of files. Raise it when a change of the code alters the draws of an unchanged
// configuration, and draw the files of the lessons again.
const shelfRevision = 3

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
	return s.load(s.path(d.Case.Name, "safetensors", like, d.Obs, p, sampler), like, func() (*expfam.Posterior, error) {
		return diffusion.Sample(p, like, d.Obs, sampler)
	})
}

// Part is the posterior of some cells, such as those that were held out, because all draws of a large map would not
// ship with a lesson. It is loaded from the shelf, or else made of the draws of [diffusion.Sample].
func (s Shelf) Part(name string, cells []int, like expfam.Likelihood, obs expfam.Observations, p expfam.Prior,
	sampler diffusion.Sampler) (*expfam.Posterior, error) {
	path := s.path(name, "safetensors", like, obs, p, sampler, cells)
	return s.load(path, like, func() (*expfam.Posterior, error) {
		post, err := diffusion.Sample(p, like, obs, sampler)
		if err != nil {
			return nil, err
		}
		return post.Part(cells)
	})
}

// load loads a posterior, or draws it if there is no file.
func (s Shelf) load(path string, like expfam.Likelihood, draw func() (*expfam.Posterior, error)) (*expfam.Posterior,
	error) {
	if !s.Fresh {
		post, err := expfam.LoadPosterior(path, like)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return post, err
		}
	}
	post, err := draw()
	if err != nil || !s.Fresh {
		return post, err
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return post, fmt.Errorf("problem: shelf: %w", err)
	}
	return post, post.Save(path)
}

// path returns the file of a posterior. Its hash uses the data with six digits, because the last digits are not the
// same on every processor. It also uses what more there is.
func (s Shelf) path(name, extension string, like expfam.Likelihood, obs expfam.Observations, p expfam.Prior,
	sampler diffusion.Sampler, more ...any) string {
	key := store.Key(append([]any{"shelf", shelfRevision, like.String(), fmt.Sprintf("%.6g", obs), fmt.Sprint(p),
		fmt.Sprint(sampler.Guidance), fmt.Sprint(sampler.Method), sampler.Draws, sampler.Seed}, more...)...)
	name = strings.Trim(regexp.MustCompile("[^a-z0-9]+").ReplaceAllString(strings.ToLower(name), "-"), "-")
	return filepath.Join(s.Dir, fmt.Sprintf("%s-%.12s.%s", name, key, extension))
}
