# What a package of R offers: Rscript --vanilla from_package.R OUTPUT PACKAGE [FUNCTION]
# OUTPUT gets lines "key<TAB>value". A function that is named is tried once with the data that the study will draw.
local({
  arguments <- commandArgs(trailingOnly = TRUE)
  package <- arguments[[2L]]
  output <- file(arguments[[1L]], "wb")
  say <- function(key, value) {
    line <- paste0(key, "\t", gsub("[\t\r\n]+", " ", paste(value, collapse = " ")), "\n")
    writeBin(charToRaw(enc2utf8(line)), output)
  }
  done <- function() {
    close(output)
    quit("no", 0L, FALSE)
  }
  loaded <- tryCatch(loadNamespace(package), error = function(e) e)
  if (inherits(loaded, "error")) {
    say(if (nzchar(system.file(package = package))) "broken" else "missing", conditionMessage(loaded))
    done()
  }
  exports <- sort(getNamespaceExports(package))
  exports <- exports[vapply(exports, function(name) is.function(getExportedValue(package, name)), NA)]
  exports <- exports[make.names(exports) == exports & !grepl("<-", exports, fixed = TRUE)]
  for (name in exports) say("function", name)
  wanted <- if (length(arguments) > 2L) arguments[[3L]] else if (length(exports) == 1L) exports else NULL
  if (is.null(wanted) || !wanted %in% exports) done()
  f <- getExportedValue(package, wanted)
  parts <- as.list(formals(args(f)))
  needed <- names(parts)[vapply(parts, function(each) is.symbol(each) && !nzchar(as.character(each)), NA)]
  needed <- setdiff(needed, "...")
  if (!length(needed)) needed <- setdiff(names(parts), "...")[1L]
  needed <- needed[!is.na(needed)]
  if ("formula" %in% needed && "data" %in% names(parts)) needed <- c("formula", "data")
  drawn <- if (any(c("formula", "data") %in% needed)) {
    c("x <- rnorm(cell$n)", "data.frame(x = x, y = 1 + 2 * x + rnorm(cell$n))")
  } else if (length(needed) < 2L) {
    "rnorm(cell$n, mean = 1, sd = 2)"
  } else {
    others <- sprintf("%s = rnorm(cell$n, mean = 1, sd = 2)", needed)
    sprintf("list(%s)", paste(others, collapse = ", "))
  }
  given <- vapply(needed, function(name) {
    if (name == "formula") "y ~ x" else if (name == "data" || length(needed) < 2L) "data" else paste0("data$", name)
  }, "")
  call <- sprintf("%s::%s(%s)", package, wanted, paste(needed, "=", given, collapse = ", "))
  options <- setdiff(names(parts), c(needed, "..."))
  say("call", call)
  for (line in drawn) say("draw", line)
  defaults <- vapply(options, function(name) {
    if (is.symbol(parts[[name]])) name else paste0(name, " = ", deparse(parts[[name]])[[1L]])
  }, "")
  say("options", paste(defaults, collapse = ", "))
  say("version", as.character(getNamespaceVersion(package)))
  set.seed(1)
  cell <- list(n = 50)
  fit <- tryCatch({
    setTimeLimit(elapsed = 20)
    data <- eval(parse(text = drawn), list(cell = cell))
    suppressWarnings(eval(parse(text = call), list(data = data)))
  }, error = function(e) e)
  setTimeLimit()
  if (inherits(fit, "error")) say("trouble", conditionMessage(fit))
  number <- function(text, length = 1L) {
    value <- tryCatch(suppressWarnings(eval(parse(text = text), list(fit = fit))), error = function(e) NULL)
    is.numeric(value) && length(value) == length && all(is.finite(value))
  }
  first <- function(key, texts, length = 1L) {
    fitting <- texts[vapply(texts, number, NA, length = length)]
    if (length(fitting)) say(key, fitting[[1L]])
  }
  slope <- if ("formula" %in% needed) "coef(fit)[[\"x\"]]"
  first("estimate", c(slope, "fit$estimate[[1]]", "coef(fit)[[1]]", "fit[[1]]", "as.numeric(fit)[1]"))
  first("se", c(if (length(slope)) "sqrt(vcov(fit)[\"x\", \"x\"])", "fit$se[[1]]", "fit$std.error[[1]]", "fit$stderr[[1]]",
    "fit[[\"se\"]]"))
  for (ends in list(c("fit$conf.int[[1]]", "fit$conf.int[[2]]"), c("fit$low[[1]]", "fit$high[[1]]"),
    c("fit$lower[[1]]", "fit$upper[[1]]"), c("fit$ci[[1]]", "fit$ci[[2]]"), c("fit[[\"low\"]]", "fit[[\"high\"]]"))) {
    if (number(ends[[1L]]) && number(ends[[2L]])) {
      say("low", ends[[1L]])
      say("high", ends[[2L]])
      break
    }
  }
  done()
})
