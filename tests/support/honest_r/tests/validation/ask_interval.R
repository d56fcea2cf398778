by_definition <- function(x, level = 0.95) {
  half <- qnorm((1 + level) / 2) * sd(x) / sqrt(length(x))
  c(mean(x), sd(x) / sqrt(length(x)), mean(x) - half, mean(x) + half)
}

scenario("S1", the_mean_of_drawn_numbers = function() {
  x <- rnorm(30)
  claim_close("C1", ask("plain_mean", x), mean(x))
})

scenario("S2", standard_error_and_limits = function() {
  x <- 5 * rnorm(30)
  found <- ask("mean_interval", x)
  claim_close("C2", c(found$mean, found$se, found$low, found$high), by_definition(x))
})

scenario("S3", a_shift_leaves_the_standard_error = function() {
  x <- 5 * rnorm(30)
  claim_close("C3", ask("mean_interval", x + 1000)$se, ask("mean_interval", x)$se)
})

scenario("S4", an_empty_vector_is_refused = function() {
  claim_raises("C4", ask("plain_mean", numeric(0)))
})

scenario("S5", one_number_is_refused = function() {
  claim_raises("C5", ask("mean_interval", 1))
})

scenario("S6", the_interval_has_its_fields = function() {
  claim_returns("C6", ask("mean_interval", c(1, 2, 4)))
})
