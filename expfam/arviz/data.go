package arviz

import (
	"errors"
	"fmt"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/zarr"
)

// Data is a posterior with the data and the other quantities that ArviZ uses.
type Data struct {
	Posterior *expfam.Posterior
	// Obs are the data that the posterior was sampled from, one term per datum; the data sets of expfam.Together follow
	// each other. Default: groups that need the data are left out.
	Obs expfam.Observations
	// Grid has the positions of the cells: its axes, with their names and units, are the
	// dimensions of maps. Default: cells in a row, numbered from 0.
	Grid grid.Grid
	// Coefficients are the names of the last cells of x₀ if these are coefficients of
	// covariates, as under expfam.Product. The coefficients are written as beta, without a θ.
	Coefficients []string
	// Names are the names of the data sets. Default: y, or y0, y1 … for several data sets.
	Names []string
	// Labels are the labels of the data of all data sets, such as the names of districts. They are
	// the coordinate datum_label. Default none.
	Labels []string
	// Prior is the prior for the groups prior and prior_predictive. It is drawn from as often as
	// there are draws of the posterior. Default: these groups are left out.
	Prior expfam.Simulator
	// LogPrior is the log density of x₀ up to a constant, for example of gp.LogDensity, for the
	// group log_prior. Default: this group is left out.
	LogPrior func(x []float64) float64
	// Seed is the seed of replicated data and of draws of the prior.
	Seed uint64
	// Replace allows Save to replace a folder that it wrote earlier. Default: an existing folder is an error.
	Replace bool
}

// Save writes the folder completely or not at all. Even after the process is killed, dir is the
// old folder, the new one or missing. Numbers are float64, and [Load] returns the same draws.
//
// Independent draws are folded into chains, because diagnostics of chains need several; the attribute "chains" says so.
// There are four chains if four divides the number of draws. Otherwise their number is the first of 3, 2, 5, 7 and the
// larger ones that divides it, with at least two draws a chain. A prime number of draws is one chain, whose R-hat is
// not a number. The draws of hmc keep their chains.
//
// ArviZ has no missing data. So if some cells have no data, the observed data have a dimension
// "datum" instead of the axes of the map, with the place of each datum as its coordinates.
func (d Data) Save(dir string) error {
	tree, err := d.tree()
	if err == nil {
		err = zarr.Write(dir, tree, d.Replace)
	}
	if errors.Is(err, zarr.ErrExists) {
		err = errors.New("it exists already; set Replace, or choose another name")
	}
	if err != nil {
		return fmt.Errorf("arviz: save %s: %w", dir, err)
	}
	return nil
}

// tree returns the groups and attributes that Save writes.
func (d Data) tree() (*zarr.Tree, error) {
	if d.Posterior == nil {
		return nil, errors.New("there is no posterior; set Posterior")
	}
	if err := d.Posterior.Check(); err != nil {
		return nil, err
	}
	if d.Obs == nil && (d.Labels != nil || d.Names != nil) {
		return nil, fmt.Errorf("%d Labels and %d Names of data without the data; set Obs too", len(d.Labels),
			len(d.Names))
	}
	l, err := d.layout()
	if err != nil {
		return nil, err
	}
	tree := &zarr.Tree{Attributes: d.attributes(l)}
	tree.Groups = append(tree.Groups, l.field("posterior", d.Posterior, d.attributes(l)), l.sampleStats(d))
	var sets []set
	if d.Obs != nil {
		if sets, err = l.sets(d); err == nil {
			err = l.distinct(nil, sets)
		}
		if err != nil {
			return nil, err
		}
		groups, names, err := l.data(d, sets)
		if err != nil {
			return nil, err
		}
		tree.Groups = append(tree.Groups, groups...)
		tree.Attributes["data_sets"] = names
	}
	if d.LogPrior != nil {
		tree.Groups = append(tree.Groups, l.logPrior(d))
	}
	if d.Prior != nil {
		groups, err := l.prior(d)
		if err != nil {
			return nil, err
		}
		tree.Groups = append(tree.Groups, groups...)
	}
	return tree, l.distinct(tree.Groups, sets)
}
