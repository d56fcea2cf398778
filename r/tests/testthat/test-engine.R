skip_without_engine <- function() {
  command <- getOption("statsclaw.command", Sys.getenv("STATSCLAW"))
  skip_if(!nzchar(Sys.which(if (nzchar(command)) command else "statsclaw")), "the engine is not installed")
}

test_that("a study is written, run, read and judged, and agrees with base R", {
  skip_without_engine()
  mc <- function(...) suppressMessages(mc_study(...))
  functions <- eval(quote({
    z <- 1.96
    make <- function(k) {
      force(k)
      function(data, cell) {
        if (k < 1 && data[[1L]] > 4) stop("too large: \u65e5\u672c")
        m <- mean(data)
        se <- k * sd(data) / sqrt(cell$n)
        list(mu = list(estimate = m, se = se, low = m - z * se, high = m + z * se))
      }
    }
    list(draw = function(cell) rnorm(cell$n, 1, 2), methods = list(right = make(1), half = make(0.5)))
  }), new.env(parent = globalenv()))
  study <- mc(file.path(tempfile(), "cov"), grid = list(n = c(10, 40)), draw = functions$draw,
    methods = functions$methods, truth = list(mu = 1), replications = 60, seed = 7,
    criteria = list(mc_criterion("C1", "coverage", "half", "mu", low = 0.93, high = 0.97)))
  expect_output(mc_run(study, workers = 1), "done: 120 replications, 120 of them now")

  d <- mc_results(study, streams = TRUE)
  expect_identical(nrow(d), 2L * 2L * 60L)
  ok <- d[d$status == "ok", ]
  known <- mc_summary(study, "coverage")
  again <- aggregate(low <= truth & truth <= high ~ method + cell_name, ok, mean)
  both <- merge(known, again, by = c("method", "cell_name"))
  expect_equal(both$value, both[[ncol(both)]], tolerance = 1e-12)

  row <- ok[5L, ]
  RNGkind("L'Ecuyer-CMRG", "Inversion", "Rejection")
  assign(".Random.seed", as.integer(strsplit(row$data_stream, " ")[[1L]]), globalenv())
  expect_identical(mean(rnorm(row$n, 1, 2)), row$estimate)

  failed <- mc_failures(study)
  expect_true(nrow(failed) > 0L && all(failed$method == "half") && all(grepl("\u65e5\u672c", failed$problem)))
  expect_identical(mc_verdict(study)$verdict, "FAIL")
  expect_true(all(file.exists(mc_plot(study, open = FALSE))))

  found <- tryCatch(mc_summary(file.path(dirname(study$file), "none.toml")), statsclaw_error = function(e) e)
  expect_match(conditionMessage(found), "^there is no study file")
  expect_identical(found$status, 4L)
})

test_that("a verdict prints what is wrong, failures behind a gap are listed, and a misspelt field is told", {
  skip_without_engine()
  folder <- tempfile()
  made <- function(name, method, ...) {
    suppressMessages(mc_study(file.path(folder, name), grid = list(n = c(10, 40)), draw = function(cell) rnorm(cell$n),
      methods = list(m = method), truth = list(mu = 0), replications = 120, seed = 7, ...))
  }
  half <- eval(quote(function(data, cell) {
    se <- 0.5 * sd(data) / sqrt(cell$n)
    list(mu = list(estimate = mean(data), se = se, low = mean(data) - 2 * se, high = mean(data) + 2 * se))
  }), globalenv())
  study <- made("half", half, criteria = list(mc_criterion("C1", "coverage", "m", "mu", low = 0.2, high = 0.99)))
  quiet <- capture.output(mc_run(study, workers = 1))
  found <- mc_verdict(study)
  expect_match(attr(found, "wrong"), "standard errors of mu by m are", all = FALSE)
  expect_output(print(found), "Significantly wrong")
  expect_named(attr(found, "unnoticed"), c("criterion", "perturbation", "direction", "rule", "smallest"))
  expect_true(nrow(attr(found, "unnoticed")) > 0L)

  never <- made("never", eval(quote(function(data, cell) stop("no licence")), globalenv()))
  stopped <- tryCatch(mc_run(never, workers = 2), statsclaw_error = function(e) conditionMessage(e))
  expect_match(stopped, "run with redo = TRUE, or go on with go_on = TRUE; see mc_failures\\(\"")
  expect_true(nrow(mc_failures(never)) >= 20L && all(grepl("no licence", mc_failures(never)$problem)))

  misspelt <- eval(quote(function(data, cell) list(mu = list(estimate = mean(data), se = list(std.error = 2)$std.eror))), globalenv())
  study <- made("misspelt", misspelt, criteria = list(mc_criterion("SE", "se_ratio", "m", "mu", low = 0.9, high = 1.1)))
  stopped <- tryCatch(mc_run(study, workers = 1), statsclaw_error = function(e) conditionMessage(e))
  expect_match(stopped, "the criterion SE needs mu.se, which m has not given")
})

test_that("truths of the data, cells left out, comparisons, own metrics, tables, pages and replays", {
  skip_without_engine()
  folder <- tempfile()
  functions <- eval(quote({
    shift <- 0.25
    list(
      draw = function(cell) list(x = rnorm(cell$n), effect = rnorm(1)),
      truth = list(sate = function(data, cell) data$effect + shift, mu = 0),
      methods = list(
        mean = function(data, cell) list(sate = list(estimate = data$effect + shift), mu = list(estimate = mean(data$x))),
        twice = function(data, cell) list(sate = list(estimate = data$effect + shift), mu = list(estimate = 2 * mean(data$x)))
      )
    )
  }), new.env(parent = globalenv()))
  study <- suppressMessages(mc_study(file.path(folder, "s"), grid = list(n = c(10, 40), k = 1:2), draw = functions$draw,
    methods = functions$methods, truth = functions$truth, replications = 50, seed = 3,
    leave_out = list(list(n = 40, k = 2))))
  quiet <- capture.output(mc_run(study, workers = 1))
  expect_match(quiet, "3 cells", all = FALSE)
  status <- mc_status(study)
  expect_identical(status$done, c(50, 50, 50))
  bias <- mc_summary(study, "bias")
  expect_true(all(abs(bias$value[bias$parameter == "sate"]) < 1e-12))

  compared <- mc_compare(study, "twice", metric = c("bias", "relative_precision"))
  expect_identical(unique(compared$reference), "mean")
  d <- mc_results(study)
  mu <- d[d$parameter == "mu", ]
  gap <- with(mu[mu$cell == 0, ], estimate[method == "twice"] - estimate[method == "mean"])
  row <- compared[compared$cell == 0 & compared$metric == "bias" & compared$parameter == "mu", ]
  expect_equal(c(row$value, row$mcse), c(mean(gap), sd(gap) / sqrt(50)), tolerance = 1e-12)

  own <- mc_metric(study, function(estimate, truth) mean(estimate - truth))
  both <- merge(own, bias, by = c("cell_name", "method", "parameter"))
  expect_identical(nrow(both), nrow(bias))
  expect_equal(both$value.x, both$value.y, tolerance = 1e-12)
  expect_equal(both$mcse.x, both$mcse.y, tolerance = 1e-9)
  expect_error(mc_metric(study, function(estimat) 1), "no column \"estimat\" in mc_results\\(\\): did you mean \"estimate\"")

  expect_output(mc_table(study, "rmse", "latex"), "toprule")
  page <- mc_report(study, open = FALSE)
  expect_match(readLines(page, warn = FALSE), "<h2>Design</h2>", all = FALSE, fixed = TRUE)
  file <- file.path(folder, "d.csv")
  expect_output(mc_export(study, file), "wrote")
  expect_identical(nrow(read.csv(file)), nrow(d))
  expect_error(mc_export(study, file.path(folder, "d.xlsx")), "must end in .csv, .rds or .parquet")
  expect_output(mc_replay(study, list(n = 10, k = 2), 7, "mean"), "identical to what is stored")
})

test_that("the jackknife of many replications is that of blocks", {
  set.seed(1)
  x <- rexp(1000)
  found <- jackknife(function(estimate) mean(estimate)^2, data.frame(estimate = x))
  expect_identical(found[[1L]], mean(x)^2)
  expect_equal(found[[2L]], 2 * mean(x) * sd(x) / sqrt(1000), tolerance = 0.1)
  expect_identical(jackknife(function(estimate) mean(estimate), data.frame(estimate = 2))[[2L]], NA_real_)
})
