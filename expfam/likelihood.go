package expfam

// Likelihood is p(y | x₀) = ∏ⱼ p(yⱼ | θⱼ = g⁻¹(x₀ⱼ)).
type Likelihood struct {
	Family Family
	Link   Link // default: Family.DefaultLink()
}
