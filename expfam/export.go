package expfam

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/store"
)

// Save writes the draws of x₀ and the Info; [LoadPosterior] reads the file. An existing
// file is replaced completely or not at all.
func (p *Posterior) Save(path string) error {
	f, err := p.File()
	if err != nil {
		return err
	}
	// The name of an operator does not contain its weights, so the file contains what it makes of the first draw. The
	// draws of derived quantities may not have the cells of the operator, and have no such θ.
	if l := p.Likelihood; l.Operator != nil || l.parts != nil {
		if theta, err := l.Theta(p.X.RawRowView(0)); err == nil {
			f.Tensors = append(f.Tensors, store.Tensor{Name: firstTheta, Shape: []int{len(theta)}, Data: theta})
		}
	}
	return store.Write(path, f)
}

// LoadPosterior reads a posterior that [Posterior.Save] wrote. The file holds the names of its
// family and its link, and like must have the same names. If it has operators, the file also holds θ of
// every datum at the first draw, which like must give too, to a millionth: other weights are refused.
func LoadPosterior(path string, like Likelihood) (*Posterior, error) {
	f, err := store.Read(path)
	if err != nil {
		return nil, err
	}
	p, err := like.Restore(f)
	if err == nil {
		err = p.sameTheta(f)
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	return p, nil
}

// sameTheta compares θ of every datum at the first draw with the numbers in a file. Files of earlier versions have
// none.
func (p *Posterior) sameTheta(f *store.File) error {
	t, _ := f.Tensor(firstTheta)
	want, ok := t.Data.([]float64)
	if !ok {
		return nil
	}
	theta, err := p.Likelihood.Theta(p.X.RawRowView(0))
	if err != nil {
		return fmt.Errorf("expfam: load posterior: %w", err)
	}
	if len(theta) != len(want) {
		return fmt.Errorf("expfam: load posterior: the likelihood has %d data, and had %d when the file was "+
			"written; give the operator of that time", len(theta), len(want))
	}
	for k, v := range want {
		// Other processors round otherwise. NaN, outside of the domain of a link, is equal to NaN.
		if d := math.Abs(theta[k] - v); theta[k] != v && !(d <= 1e-6*math.Abs(v)+1e-12) &&
			!(math.IsNaN(theta[k]) && math.IsNaN(v)) {
			return fmt.Errorf("expfam: load posterior: theta of datum %d at the first draw is %.6g, and was %.6g "+
				"when the file was written; give the operator and the link of that time", k, theta[k], v)
		}
	}
	return nil
}

const (
	firstTheta = "theta/first" // name of the tensor with θ of every datum at the first draw
	diagnostic = "diagnostic/" // prefix of metadata names
	statistic  = "stats/"      // prefix of tensors with one number per draw
	// names of the tensors with the draws and the prior of parameter %d
	parameterDraws, parameterPrior = "parameter/%d/draws", "parameter/%d/prior"
)

// File returns the posterior as a file of [store.Store].
func (p *Posterior) File() (*store.File, error) {
	if p == nil || p.X == nil {
		return nil, errNoDraws
	}
	if err := p.Latent().Check(); err != nil {
		return nil, err
	}
	info := p.Info
	info.Diagnostics = nil // may hold NaN, which JSON cannot
	text, err := json.Marshal(info)
	if err != nil {
		return nil, fmt.Errorf("expfam: save posterior: %w", err)
	}
	meta := map[string]string{"info": string(text)}
	meta["family"], meta["link"] = likelihoodNames(p.Likelihood)
	for name, value := range p.Info.Diagnostics {
		meta[diagnostic+name] = strconv.FormatFloat(value, 'g', -1, 64)
	}
	draws, cells := p.Dims()
	flat := make([]float64, 0, draws*cells)
	for i := range draws {
		flat = append(flat, p.X.RawRowView(i)...)
	}
	if err := p.checkParameters(); err != nil {
		return nil, err
	}
	named := make([]ParameterDraws, len(p.Parameters)) // without numbers
	for i, q := range p.Parameters {
		named[i] = ParameterDraws{Name: q.Name, Unit: q.Unit, Law: q.Law}
	}
	if len(named) > 0 {
		text, err := json.Marshal(named)
		if err != nil {
			return nil, fmt.Errorf("expfam: save posterior: %w", err)
		}
		meta["parameters"] = string(text)
	}
	f := &store.File{
		Meta:    meta,
		Tensors: []store.Tensor{{Name: "x0", Shape: []int{draws, cells}, Data: flat}},
	}
	for _, name := range slices.Sorted(maps.Keys(p.Stats)) {
		if n := len(p.Stats[name]); n != draws {
			return nil, fmt.Errorf("expfam: save posterior: Stats has %d numbers of %s for %d draws", n, name, draws)
		}
		f.Tensors = append(f.Tensors, store.Tensor{Name: statistic + name, Shape: []int{draws}, Data: p.Stats[name]})
	}
	for i, q := range p.Parameters {
		f.Tensors = append(f.Tensors,
			store.Tensor{Name: fmt.Sprintf(parameterDraws, i), Shape: []int{draws}, Data: q.Draws},
			store.Tensor{Name: fmt.Sprintf(parameterPrior, i), Shape: []int{len(q.Prior)}, Data: q.Prior})
	}
	p.coordinates.write(f)
	return f, nil
}

// Restore returns the posterior in a file that [Posterior.File] made. It refuses a like that
// is not the likelihood of the file.
func (like Likelihood) Restore(f *store.File) (*Posterior, error) {
	x, ok := f.Tensor("x0")
	flat, isFloat := x.Data.([]float64)
	if !ok || !isFloat || len(x.Shape) != 2 || len(flat) == 0 {
		return nil, errors.New("expfam: load posterior: no draws in the file; it is not a posterior")
	}
	family, link := likelihoodNames(like)
	if f.Meta["family"] != family || f.Meta["link"] != link {
		return nil, fmt.Errorf("expfam: load posterior: made with %s and link %s, not with %s and %s; give the "+
			"likelihood it was made with", f.Meta["family"], f.Meta["link"], family, link)
	}
	like.Link = like.link()
	p := &Posterior{X: mat.NewDense(x.Shape[0], x.Shape[1], flat), Likelihood: like,
		coordinates: readCoordinates(f, x.Shape[0])}
	if err := p.Latent().Check(); err != nil { // File writes no draws with NaN or infinite values
		return nil, fmt.Errorf("expfam: load posterior: %w", err)
	}
	if err := json.Unmarshal([]byte(f.Meta["info"]), &p.Info); err != nil {
		return nil, fmt.Errorf("expfam: load posterior: info: %w", err)
	}
	for _, t := range f.Tensors {
		name, is := strings.CutPrefix(t.Name, statistic)
		values, isFloat := t.Data.([]float64)
		if !is || !isFloat || len(values) != x.Shape[0] {
			continue
		}
		if p.Stats == nil {
			p.Stats = map[string][]float64{}
		}
		p.Stats[name] = values
	}
	for name, text := range f.Meta {
		name, is := strings.CutPrefix(name, diagnostic)
		if !is {
			continue
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("expfam: load posterior: diagnostic %s: %w", name, err)
		}
		if p.Info.Diagnostics == nil {
			p.Info.Diagnostics = map[string]float64{}
		}
		p.Info.Diagnostics[name] = value
	}
	var err error
	if err = p.RestoreParameters(f); err == nil {
		err = p.checkParameters()
	}
	if err != nil {
		return nil, fmt.Errorf("expfam: load posterior: %w", err)
	}
	return p, nil
}

// RestoreParameters sets the parameters to those in a file that [Posterior.File] made. Files of earlier versions have
// none.
func (p *Posterior) RestoreParameters(f *store.File) error {
	text, ok := f.Meta["parameters"]
	if !ok {
		return nil
	}
	var all []ParameterDraws
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	for i := range all {
		draws, _ := f.Tensor(fmt.Sprintf(parameterDraws, i))
		prior, _ := f.Tensor(fmt.Sprintf(parameterPrior, i))
		all[i].Draws, _ = draws.Data.([]float64)
		all[i].Prior, _ = prior.Data.([]float64)
	}
	p.Parameters = all
	return nil
}

// likelihoodNames returns the two texts by which likelihoods are told apart.
func likelihoodNames(like Likelihood) (family, link string) {
	if like.Family != nil {
		family = like.Family.String()
	}
	if g := like.link(); g != nil {
		link = g.String()
	}
	if like.parts != nil || like.Operator != nil {
		link = like.String()
	}
	return family, link
}
