package expfam

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Together returns the likelihood of several data sets on one field, each with its own family, link
// and operator: p(y₁, y₂, … | x₀) = p(y₁ | x₀) p(y₂ | x₀) ⋯. The observations of the first
// likelihood come first, then the observations of the second, and so on:
//
//	obsPoints, err := points.Observe(…)
//	obsDistricts, err := districts.Observe(…)
//	like := expfam.Together(points, districts)
//	post, err := diffusion.Sample(prior, like, slices.Concat(obsPoints, obsDistricts), s)
//
// The θ of its posterior is computed by the first link.
func Together(likes ...Likelihood) Likelihood {
	var out Likelihood
	if len(likes) > 0 {
		out.Family, out.Link = likes[0].Family, likes[0].link()
	}
	for _, l := range likes {
		if l.parts == nil {
			out.parts = append(out.parts, l)
		}
		out.parts = append(out.parts, l.parts...)
	}
	return out
}

// together checks all parts and makes them ready for use, as [Likelihood.Terms] does for one likelihood.
func (l Likelihood) together() (*Terms, error) {
	if l.Operator != nil {
		return nil, errors.New("likelihood: data sets together have no operator of their own; give one to each")
	}
	var parts []*Terms
	likes := make([]Likelihood, len(l.parts))
	for i, part := range l.parts {
		t, err := part.Terms()
		if err != nil {
			return nil, fmt.Errorf("data set %d: %w", i, err)
		}
		parts, likes[i] = append(parts, t), t.Likelihood
	}
	l.parts = likes
	out := *parts[0]
	out.Likelihood, out.parts = l, parts
	out.Link = parts[0].Link
	return &out, nil
}

// Parts returns the likelihoods that [Together] joined, in the order of their data, and l itself if it is one
// likelihood.
func (l Likelihood) Parts() []Likelihood {
	if l.parts == nil {
		return []Likelihood{l}
	}
	return slices.Clone(l.parts)
}

// only returns the one likelihood of [Together]. Several likelihoods are an error, because the data of each are reduced
// and drawn by its own family.
func (l Likelihood) only(what string) (Likelihood, error) {
	if n := len(l.parts); n > 1 {
		return l, fmt.Errorf("expfam: %s: %d data sets together, %v; %s each by its own likelihood, and join the "+
			"observations by slices.Concat", what, n, l, what)
	}
	return l.parts[0], nil
}

// names joins the names of the likelihoods of all data sets.
func (l Likelihood) names() string {
	var all []string
	for _, part := range l.parts {
		all = append(all, part.String())
	}
	return strings.Join(all, " and ")
}
