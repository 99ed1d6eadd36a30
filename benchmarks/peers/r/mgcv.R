# A Markov random field of mgcv, of reduced rank, with its smoothing parameter by REML.
suppressMessages(library(mgcv))
a <- read.csv("areas.csv"); g <- read.csv("edges.csv"); n <- nrow(a)
nb <- lapply(split(c(g$j, g$i), factor(c(g$i, g$j), levels = seq_len(n))), as.character)
a$area <- factor(seq_len(n))
formula <- y ~ s(area, bs = "mrf", xt = list(nb = nb), k = min(300, floor(0.9 * n))) + offset(log(e))
if (any(a$x != 0)) formula <- update(formula, ~ . + x)
fit <- gam(formula, family = poisson, data = a, method = "REML")
p <- predict(fit, newdata = transform(a, e = 1), se.fit = TRUE, unconditional = TRUE)
write.csv(exp(data.frame(median = p$fit, low = p$fit - 1.96 * p$se.fit, high = p$fit + 1.96 * p$se.fit)), "estimate.csv",
	row.names = FALSE)
