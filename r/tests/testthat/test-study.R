made_of <- function(...) {
  file <- file.path(tempfile(), "cov")
  suppressMessages(mc_study(file, draw = function(cell) 1, methods = list(m = function(data, cell) list(mu = 1)),
    truth = list(mu = 1), seed = 1, ...))
  readLines(paste0(file, ".toml"))
}

test_that("replications are written by cell, from a table or a function", {
  grid <- list(n = c(20, 50), kind = c("a", "b"))
  lines <- made_of(grid = grid, replications = c(all = 500, "n=20" = 2000))
  at <- match("[replications]", lines)
  expect_identical(lines[at + 1:2], c("all = 500", "\"n=20\" = 2000"))
  expect_false(any(grepl("^replications =", lines)))
  lines <- made_of(grid = grid, replications = function(cell) 1000 * cell$n / (1 + (cell$kind == "b")))
  at <- match("[replications]", lines)
  expect_identical(lines[at + 1:4], c("\"n=20,kind=a\" = 20000", "\"n=20,kind=b\" = 10000", "\"n=50,kind=a\" = 50000",
    "\"n=50,kind=b\" = 25000"))
  expect_true("replications = 7" %in% made_of(replications = 7))
  expect_match(made_of(replications = function(cell) 7), "^all = 7$", all = FALSE)
  expect_error(made_of(replications = c(1, 2)), "one value")
})
