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

test_that("a misspelt metric is an error at once, and a criterion is printed as a sentence", {
  expect_error(mc_criterion("A", "coverag", "m", "mu", low = 0.9), "criterion A: .*\"coverag\": did you mean \"coverage\"\\?")
  expect_error(mc_criterion("A", "xyz", "m"), "there are bias, ")
  expect_error(mc_criterion("A", "trend", "m", of = "rmsee", axis = "n"), "did you mean \"rmse\"")
  criterion <- mc_criterion("A", "coverage", "m", "mu", low = 0.9, high = 0.99, cells = list(n = c(20, 40), k = "a"))
  expect_output(print(criterion),
    "<criterion> A: coverage of mu by m between 0.9 and 0.99 in n = 20 or 40, k = a", fixed = TRUE)
  expect_output(print(mc_criterion("B", "bias", "m", "mu", high = 0.1, unit = "empse", minus = "k")),
    "<criterion> B: bias of mu by m minus k at most 0.1 EmpSE", fixed = TRUE)
  lines <- made_of(replications = 7, criteria = criterion)
  expect_true("[[criterion]]" %in% lines && "metric = \"coverage\"" %in% lines)
  expect_identical(made_of(replications = 7, criteria = list(criterion)), lines)
})

test_that("what the engine knows of studies can be said from R", {
  grid <- list(n = c(20, 50), kind = c("a", "b"))
  lines <- made_of(grid = grid, replications = function(cell) cell$n, leave_out = list(n = 20, kind = "b"),
    mcse = c(coverage = 0.005), common_random_numbers = TRUE, description = "a \"small\" one")
  expect_true("mcse = { coverage = 0.005 }" %in% lines)
  expect_true("leave_out = [{ n = 20, kind = \"b\" }]" %in% lines)
  expect_true("common_random_numbers = true" %in% lines)
  expect_true("description = \"a \\\"small\\\" one\"" %in% lines)
  at <- match("[replications]", lines)
  expect_identical(lines[at + 1:3], c("\"n=20,kind=a\" = 20", "\"n=50,kind=a\" = 50", "\"n=50,kind=b\" = 50"))
  lines <- made_of(grid = grid, replications = 7, leave_out = list(list(n = 20, kind = c("a", "b"))))
  expect_true("leave_out = [{ n = 20, kind = [\"a\", \"b\"] }]" %in% lines)
  expect_error(made_of(grid = grid, replications = 7, leave_out = list(list(m = 1))), "axis m, which `grid` does not have")
  expect_error(made_of(replications = 7, mcse = 0.005), "`mcse` needs names, such as c\\(coverage = 0.005\\)")
})
