# BYM2 by TMB: random effects are the total and the structured part, the intercept and the slope; sd and mixing have no
# prior. The structured part sums to 0 by a penalty. The compiled template stays in the folder of the user's cache.
suppressMessages({library(TMB); library(Matrix)})
a <- read.csv("areas.csv"); g <- read.csv("edges.csv"); n <- nrow(a)
here <- dirname(normalizePath(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE))))
cache <- file.path(tools::R_user_dir("expfam-peers", "cache")); dir.create(cache, recursive = TRUE, showWarnings = FALSE)
cpp <- file.path(here, "bym2.cpp"); name <- paste0("bym2_", tools::md5sum(cpp)); so <- dynlib(file.path(cache, name))
if (!file.exists(so)) {
	own <- file.path(cache, paste0(name, ".cpp"))
	file.copy(cpp, own, overwrite = TRUE)
	compile(own)
}
dyn.load(so)
w <- sparseMatrix(c(g$i, g$j), c(g$j, g$i), x = 1, dims = c(n, n))
q <- Diagonal(n, rowSums(w)) - w
# Scaled so that the geometric mean of the marginal variances is 1 (Riebler et al. 2016), by the inverse of a factor.
root <- Cholesky(forceSymmetric(q + Diagonal(n, 1e-6)), LDL = FALSE)
ones <- solve(root, rep(1, n))
v <- diag(solve(root, Diagonal(n))) - as.vector(ones)^2 / sum(ones)
q <- as(as(q * exp(mean(log(v))), "generalMatrix"), "CsparseMatrix")
f <- MakeADFun(list(y = a$y, e = a$e, x = a$x, Q = q), list(eta = rep(0, n), u = rep(0, n), mu = 0, b = 0, logsd = -1, logit = 0),
	random = c("eta", "u", "mu", "b"), DLL = name, silent = TRUE)
o <- nlminb(f$par, f$fn, f$gr)
s <- sdreport(f)
at <- names(s$par.random) == "eta"
eta <- s$par.random[at]; sd <- sqrt(s$diag.cov.random[at])
write.csv(exp(data.frame(median = eta, low = eta - 1.96 * sd, high = eta + 1.96 * sd)), "estimate.csv", row.names = FALSE)
