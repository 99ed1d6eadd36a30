# A Gaussian process of mgcv (Matern with nu = 3/2, its range by REML among six) of reduced rank, with overdispersed counts.
suppressMessages(library(mgcv))
a <- read.csv("surveys.csv"); cells <- read.csv("cells.csv")
fits <- lapply(2^(1:6), function(range) gam(cbind(y, n - y) ~ s(row, col, bs = "gp", k = 200, m = c(3, range)),
	family = quasibinomial, data = a, method = "REML"))
fit <- fits[[which.min(sapply(fits, function(f) f$gcv.ubre))]]
p <- predict(fit, newdata = cells, se.fit = TRUE, unconditional = TRUE)
write.csv(plogis(as.matrix(data.frame(median = p$fit, low = p$fit - 1.96 * p$se.fit, high = p$fit + 1.96 * p$se.fit))),
	"estimate.csv", row.names = FALSE)
