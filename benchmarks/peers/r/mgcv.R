# A Markov random field of mgcv, of reduced rank, with its smoothing parameter by REML.
suppressMessages(library(mgcv))
a <- read.csv("areas.csv"); g <- read.csv("edges.csv"); n <- nrow(a)
nb <- lapply(split(c(g$j, g$i), factor(c(g$i, g$j), levels = seq_len(n))), as.character)
a$area <- factor(seq_len(n))
fit <- gam(y ~ s(area, bs = "mrf", xt = list(nb = nb), k = min(300, n)) + offset(log(e)), family = poisson, data = a,
	method = "REML")
p <- predict(fit, newdata = transform(a, e = 1), se.fit = TRUE, unconditional = TRUE)
write.csv(data.frame(p$fit, p$se.fit), "eta.csv", row.names = FALSE)
