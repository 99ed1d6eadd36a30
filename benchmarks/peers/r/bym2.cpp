// BYM2 with Poisson counts: eta ~ N(mu + b x + sd sqrt(mixing) u, sd^2 (1 - mixing)), u intrinsic, scaled precision Q.
#include <TMB.hpp>
template<class Type> Type objective_function<Type>::operator() () {
  DATA_VECTOR(y); DATA_VECTOR(e); DATA_VECTOR(x); DATA_SPARSE_MATRIX(Q);
  PARAMETER_VECTOR(eta); PARAMETER_VECTOR(u); PARAMETER(mu); PARAMETER(b); PARAMETER(logsd); PARAMETER(logit);
  Type sd = exp(logsd), mixing = invlogit(logit);
  Type f = -dnorm(mu, Type(0), Type(3), true) - dnorm(b, Type(0), Type(1), true);
  f -= dnorm(u.sum(), Type(0), Type(0.001 * u.size()), true);
  f += Type(0.5) * (u * (Q * u.matrix()).array()).sum();
  vector<Type> centre = mu + b * x + sd * sqrt(mixing) * u, rate = e * exp(eta);
  f -= dnorm(eta, centre, sd * sqrt(1 - mixing), true).sum();
  f -= dpois(y, rate, true).sum();
  return f;
}
