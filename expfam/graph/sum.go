package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/nearest"
	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/operator"
)

// Sum is the formula of an additive model: each row of the data sees the sum of independent effects,
//
//	η_k = Σ_b (A_b x_b)_k,
//
// where x_b are the cells of block b, and A_b a matrix with few weights in a row. The blocks together have one sparse
// precision, with a block for each effect, and each effect has unknown numbers of its own. A Sum is both the prior of
// all cells, (x₁, x₂, …), and the operator (A₁ A₂ …):
//
//	effects := &graph.Sum{LevelSD: 10, Terms: []graph.Term{
//		graph.Group{Name: "village", Of: villages},
//		graph.Smooth{Name: "elevation", Of: metres}}}
//	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink, Operator: effects}
//	post, err := diffusion.Sample(gp.Unknown{Of: effects}, like, obs, diffusion.Sampler{})
//	curve, err := effects.Part(post, "elevation")
//
// post.Seen has the draws of η. The name of a block comes before the names of its unknown parameters: "village sd". Do
// not change a Sum after the first use.
type Sum struct {
	Terms []Term
	// Level and LevelSD are the mean and the standard deviation of a number that all rows share, which is a block of
	// one cell named "level" after the others. Default 0 and 0, no such block.
	Level, LevelSD float64

	once   sync.Once
	blocks []Block
	at     operator.Blocks
	err    error
}

// Term is a summand of a [Sum]: a [Block], or one of [Linear], [Group] and [Smooth], which make blocks of columns of
// data.
type Term interface{ block() (Block, error) }

// Block is any prior beside others. At has a row for each row of the data and a column for each cell of the prior.
type Block struct {
	Name string
	Of   gp.Family
	At   expfam.RowOperator
}

func (b Block) block() (Block, error) { return b, nil }

func (p *Sum) build() error {
	if len(p.Terms) == 0 {
		return errors.New("graph: Sum has no Terms; give Linear, Group, Smooth or Block")
	}
	if err := (effect{"Sum", "", nil, p.Level, p.LevelSD}).check(); err != nil {
		return err
	}
	if p.Level != 0 && p.LevelSD == 0 {
		return fmt.Errorf("graph: Sum has the Level %g and no LevelSD; give both, or an offset of the operator",
			p.Level)
	}
	var names []string
	terms := slices.Clone(p.Terms)
	for i := 0; i < len(terms); i++ {
		term := terms[i]
		if term == nil {
			return fmt.Errorf("graph: term %d of Sum is nil; give Linear, Group, Smooth or Block", i)
		}
		b, err := term.block()
		if err != nil {
			return err
		}
		if b.Name == "" || b.Of == nil || b.At == nil {
			return fmt.Errorf("graph: term %d of Sum, %q, lacks a Name, Of or At; give all three", i, b.Name)
		}
		for _, part := range []any{b.Of, b.At} {
			if c, ok := part.(interface{ Check() error }); ok {
				if err := c.Check(); err != nil {
					return fmt.Errorf("graph: term %q of Sum: %w", b.Name, err)
				}
			}
		}
		if _, cells := b.At.Dims(); cells != b.Of.Dim() {
			return fmt.Errorf("graph: term %q of Sum: %v looks at %d cells, and %v has %d", b.Name, b.At, cells, b.Of,
				b.Of.Dim())
		}
		if i == len(p.Terms)-1 && p.LevelSD > 0 {
			data, _ := b.At.Dims()
			terms = append(terms, Block{"level", Groups{Names: []string{"level"}, Level: p.Level, SD: p.LevelSD},
				&operator.Select{Cells: 1, Keep: make([]int, data)}})
		}
		p.blocks, p.at, names = append(p.blocks, b), append(p.at, b.At), append(names, b.Name)
	}
	if err := distinct("terms", names); err != nil {
		return err
	}
	return p.at.Check()
}

// Check refuses a sum without terms, and terms that are wrong, have the same name, or have different numbers of rows.
func (p *Sum) Check() error {
	p.once.Do(func() { p.err = p.build() })
	return p.err
}

// Rebuild makes the blocks again where a notebook has carried the exported fields to another program.
func (p *Sum) Rebuild() error { return p.Check() }

// made returns the blocks of a sum that Check accepts.
func (p *Sum) made() []Block {
	if err := p.Check(); err != nil {
		panic(err)
	}
	return p.blocks
}

func (p *Sum) String() string {
	var texts []string
	for _, b := range p.made() {
		texts = append(texts, fmt.Sprintf("%s: %v", b.Name, b.Of))
	}
	return "sum(" + strings.Join(texts, ", ") + ")"
}

// Dim returns the number of cells of all blocks.
func (p *Sum) Dim() (n int) {
	for _, b := range p.made() {
		n += b.Of.Dim()
	}
	return n
}

// Unknown returns the unknown numbers of all blocks; see [gp.Family].
func (p *Sum) Unknown() (all []law.Parameter) {
	for _, b := range p.made() {
		all = append(all, prefixed(b.Name, b.Of.Unknown())...)
	}
	return all
}

// Gaussian returns the prior of known numbers, with exact moments.
func (p *Sum) Gaussian() (*gp.Gaussian, error) { return gaussian(p) }

// Given returns the means one after the other and a covariance with a block for each term; see [gp.Family].
func (p *Sum) Given(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	if err := p.Check(); err != nil {
		return nil, nil, err
	}
	cov = mat.NewSymDense(p.Dim(), nil)
	for _, b := range p.blocks {
		n := min(len(b.Of.Unknown()), len(values))
		m, own, err := b.Of.Given(values[:n])
		if err != nil {
			return nil, nil, err
		}
		for i := range m {
			for j := range i + 1 {
				cov.SetSym(len(mean)+i, len(mean)+j, own.At(i, j))
			}
		}
		mean, values = append(mean, m...), values[n:]
	}
	return mean, cov, nil
}

// Sparse returns the sum by its precision, or an error if a block has none; see gp.Unknown.
func (p *Sum) Sparse() (*latent.Field, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	var fields []*latent.Field
	var numbers []int
	for _, b := range p.blocks {
		s, ok := b.Of.(interface {
			Sparse() (*latent.Field, error)
		})
		if !ok {
			return nil, fmt.Errorf("graph: term %q of Sum, %v, has no sparse precision", b.Name, b.Of)
		}
		f, err := s.Sparse()
		if err != nil {
			return nil, err
		}
		fields, numbers = append(fields, f), append(numbers, len(b.Of.Unknown()))
	}
	return latent.Beside(fields, numbers), nil
}

// Cells returns the numbers of the cells of a block.
func (p *Sum) Cells(name string) (cells []int, err error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	first := 0
	var names []string
	for _, b := range p.blocks {
		if b.Name == name {
			for i := range b.Of.Dim() {
				cells = append(cells, first+i)
			}
			return cells, nil
		}
		first, names = first+b.Of.Dim(), append(names, b.Name)
	}
	return nil, fmt.Errorf("graph: no term of Sum is named %q; the names are %s", name, nearest.List(name, names, 5))
}

// Part returns the posterior of a block, by its name.
func (p *Sum) Part(post *expfam.Posterior, name string) (*expfam.Posterior, error) {
	cells, err := p.Cells(name)
	if err != nil {
		return nil, err
	}
	return post.Part(cells)
}
