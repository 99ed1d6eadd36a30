// All problems: data of data/NAME.json as the table of problem.go says. a, b and exponential say the family.
data {
  int n;
  vector[n] a;
  vector[n] b;
  int exponential;
  real mu;
  matrix[n, n] K;
}
parameters {
  vector[n] z;
}
transformed parameters {
  vector[n] x = mu + cholesky_decompose(K) * z;
}
model {
  z ~ std_normal();
  target += dot_product(a, x) - dot_product(b, exponential ? exp(x) : log1p_exp(x));
}
