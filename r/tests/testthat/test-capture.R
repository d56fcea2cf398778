# Functions are made as a user makes them: below the global environment, not below this package.
made <- function(code) eval(code, new.env(parent = globalenv()))

run_text <- function(f) {
  state <- new_capture("x")
  text <- function_text(f, state, "f")
  list(f = eval(parse(text = text), new.env(parent = globalenv())), text = text, state = state)
}

test_that("what a closure holds travels with it, each its own", {
  makers <- made(quote({
    make <- function(k) function(x) helper(x) * k
    helper <- function(x) x + shift
    shift <- 0.1 + 0.2
    list(make(2), make(3))
  }))
  first <- run_text(makers[[1L]])
  second <- run_text(makers[[2L]])
  expect_match(first$text, "k <- 2")
  expect_identical(first$f(1), (1 + (0.1 + 0.2)) * 2)
  expect_identical(second$f(1), (1 + (0.1 + 0.2)) * 3)
})

test_that("long values are saved, exact ones written, packages named, unknown names told", {
  f <- made(quote({
    big <- seq(0, 1, length.out = 1000)
    exact <- 1 / 3
    function(d) sum(big) + exact + with(d, colmn) + nofunction(d) + MASS::huber(d)$mu
  }))
  found <- run_text(made(quote(function(x) x + 1)))
  expect_identical(found$text, "function(x) x + 1")
  state <- new_capture("x")
  text <- function_text(f, state, "f")
  expect_identical(names(state$saved), "x.big.rds")
  expect_setequal(state$missing, c("colmn", "nofunction()"))
  expect_true("MASS" %in% state$packages)
  value <- sub(".*exact <- ([^\n]*)\n.*", "\\1", text)
  expect_identical(eval(parse(text = value)), 1 / 3)
})

test_that("functions of packages and primitives are named, connections are refused", {
  state <- new_capture("x")
  expect_identical(function_text(stats::median, state, "f"), "stats::median")
  expect_identical(function_text(sum, state, "f"), "sum")
  f <- made(quote({
    con <- textConnection("a")
    function(x) readLines(con)
  }))
  expect_error(function_text(f, state, "f"), "`con` is of class textConnection, which cannot be saved")
})

test_that("functions that call themselves and each other end", {
  f <- made(quote({
    even <- function(n) n == 0 || odd(n - 1)
    odd <- function(n) n != 0 && even(n - 1)
    even
  }))
  expect_true(run_text(f)$f(10))
})

test_that("JSON of the engine is read", {
  found <- read_json('[{"a": 1.5e-3, "b": [true, null, NaN, -Infinity], "c": "x\\n\\u00e4 \\"q\\" \\ud83d\\ude00/", "d": {}, "e": []}]')
  expect_identical(found[[1L]]$a, 0.0015)
  expect_identical(found[[1L]]$b, list(TRUE, NULL, NaN, -Inf))
  expect_identical(found[[1L]]$c, "x\n\u00e4 \"q\" \U0001f600/")
  expect_length(found[[1L]], 5L)
})

test_that("study files hold numbers as they are", {
  expect_identical(toml_scalar(0.1), "0.1")
  expect_identical(as.numeric(toml_scalar(1 / 3)), 1 / 3)
  expect_identical(toml_scalar(1e5), "100000")
  expect_identical(toml_scalar("a\"\\\n"), "\"a\\\"\\\\\\u000A\"")
  expect_error(toml_scalar(NA), "not NA")
})

test_that("files of a person are not touched", {
  folder <- tempfile()
  write <- function(seed) {
    mc_study(file.path(folder, "s"), draw = function(cell) 1, methods = list(a = function(data, cell) list(mu = data)),
      truth = list(mu = 1), replications = 2, seed = seed)
  }
  study <- suppressMessages(write(1))
  before <- readLines(study$file)
  suppressMessages(write(2))
  expect_false(identical(before, readLines(study$file)))
  cat("# mine\n", file = study$code, append = TRUE)
  expect_error(write(3), "was edited since")
})

test_that("without the engine it says how to install it", {
  old <- options(statsclaw.command = "no-such-program")
  on.exit(options(old))
  found <- tryCatch(mc_run("x.toml"), statsclaw_error = function(e) e)
  expect_match(conditionMessage(found), "pip install ./statsclaw")
  expect_identical(found$status, 8L)
})

test_that("what the engine says is put in the words of R", {
  expect_identical(in_r("  once more: statsclaw mc run s.toml --redo"), "  once more: mc_run(\"s.toml\", redo = TRUE)")
  expect_identical(in_r("see `statsclaw mc failures 'my study.toml'`."), "see mc_failures(\"my study.toml\").")
  expect_identical(in_r("run the study: statsclaw mc run /a.b/s.toml --out x/y."), "run the study: mc_run(\"/a.b/s.toml\", out = \"x/y\").")
  expect_identical(in_r("with --redo (again) or --accept; to look: --out s.results."),
    "with redo = TRUE (again) or accept = TRUE; to look: out = \"s.results\".")
  expect_identical(in_r("give another folder with --out."), "give another folder with `out`.")
  expect_identical(in_r("--json and --format csv give both."), "mc_summary() gives both.")
  expect_identical(in_r("add a [[criterion]] to its file."), "add criteria = list(mc_criterion(...)) to mc_study().")
})

test_that("a grid is a list of axes, and an edited file is run by the name of its study", {
  write <- function(grid, file = tempfile()) {
    suppressMessages(mc_study(file, grid = grid, draw = function(cell) 1, methods = list(a = function(data, cell) list(mu = 1)),
      truth = list(mu = 1), replications = 2, seed = 1))
  }
  expect_error(write(expand.grid(n = c(20, 50), e = c("a", "b"))), "not a data frame of cells")
  expect_error(write(list(n = c(20, 20))), "`grid\\$n` has the level 20 twice")
  study <- write(list(n = 20))
  cat("# mine\n", file = study$code, append = TRUE)
  expect_error(write(list(n = 20), study$file), paste0("mc_run(\"", study$file, "\")"), fixed = TRUE)
})

test_that("commands with quoted and one-digit options are put in the words of R", {
  expect_identical(in_r("statsclaw mc replay s.toml --cell 'n=20, k=1' --rep 0"), "mc_replay(\"s.toml\", cell = \"n=20, k=1\", replication = 0)")
  expect_identical(in_r("statsclaw mc replay s.toml --cell n=20,k=1 --rep 17 --method hl."),
    "mc_replay(\"s.toml\", cell = \"n=20,k=1\", replication = 17, method = \"hl\").")
})

test_that("wrong usage and ways out are in the words of R", {
  expect_identical(in_r("Invalid value for '--workers' / '-w': too small. Fix: see `statsclaw mc run --help`."),
    "Invalid value for `workers`: too small. Fix: see ?mc_run.")
  expect_identical(in_r("see `statsclaw mc figures --help`."), "see ?mc_plot.")
  expect_identical(in_r("Fix: make it, or give another --to."), "Fix: make it, or give another `file`.")
  expect_match(in_r("Fix: return Estimate(draws=\u2026) and write truth={\"mu\": lambda data, cell: data[\"mu\"]}."),
    "truth = list(mu = function(data, cell) data$mu)", fixed = TRUE)
  expect_error(mc_criterion("A", "emspe", "m"), "did you mean \"empse\"")
})
