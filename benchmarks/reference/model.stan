// All problems: data of data/NAME.json. The table of scores.go says a, b and A of the families; A is exp (1), exp(−η) (2), η²/2 (3) or
// log(1 + exp) (4). H is the identity if a datum is of its cell. Known standard deviations and lengths have the spread 0.
data {
  int n;
  int m;
  vector[m] a;
  vector[m] b;
  vector[m] y;
  int cumulant;
  matrix[m, n] H;
  int sums;
  real mu;
  matrix[n, n] correlation; // K/sd², if the length is known
  matrix[n, n] distance;
  vector<lower=0>[3] median; // of sd, length and the dispersion of family nb2
  vector<lower=0>[3] spread;
}
parameters {
  vector[n] z;
  vector[3] t; // of what is known it is idle
}
transformed parameters {
  vector[3] logs = log(median) + spread .* t;
  vector[n] x;
  {
    matrix[n, n] K = spread[2] > 0 ? exp(-distance / exp(logs[2])) : correlation;
    x = mu + exp(logs[1]) * (cholesky_decompose(K) * z);
  }
}
model {
  vector[m] eta = sums ? log(H * exp(x)) : H * x;
  z ~ std_normal();
  t ~ std_normal();
  if (spread[3] > 0) {
    real k = exp(-logs[3]);
    target += sum(lgamma(y + k)) - m * lgamma(k) + dot_product(y, eta - log(k)) - dot_product(y + k, log1p_exp(eta - log(k)));
  } else {
    vector[m] A = cumulant == 1 ? exp(eta) : cumulant == 2 ? exp(-eta) : cumulant == 3 ? square(eta) / 2 : log1p_exp(eta);
    target += dot_product(a, eta) - dot_product(b, A);
  }
}
