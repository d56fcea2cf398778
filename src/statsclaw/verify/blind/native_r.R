# The validation of this package: calls, what is expected of their answers, and how far they may be off.
#
# Made from the frozen criteria of the package's specification; all numbers stand in validation-questions.R beside this
# file. A change of the package that breaks a test here changes results. It needs testthat.

questions <- eval(parse(testthat::test_path("validation-questions.R"), keep.source = FALSE), baseenv())
package <- questions$package
ids <- vapply(questions$calls, function(row) row$id, 0)
row_of <- function(call) questions$calls[[match(call, ids)]]
no_value <- function(...) stop(structure(class = c("no_value", "error", "condition"),
  list(message = paste0(...), call = NULL)))

# ---- asking ---------------------------------------------------------------------------------------------------------

# Calls that follow each other. `kept`: what they returned; `answers`: what was seen of it.
new_chain <- function(number) {
  chain <- list(kept = new.env(), answers = new.env())
  for (row in questions$calls) {
    if (row$chain == number) assign(as.character(row$id), ask(row, chain$kept), chain$answers)
  }
  chain
}
chains <- new.env()
answered <- function(call) {
  number <- as.character(row_of(call)$chain)
  if (is.null(chains[[number]])) assign(number, new_chain(row_of(call)$chain), chains)
  chains[[number]]$answers[[as.character(call)]]
}

ask <- function(row, kept) {
  answer <- list(warnings = list(), said = character(), changed = FALSE)
  noted <- function(w) {
    answer$warnings[[length(answer$warnings) + 1L]] <<- condition_of(w)
    tryInvokeRestart("muffleWarning")
  }
  heard <- function(m) {
    answer$said <<- c(answer$said, conditionMessage(m))
    tryInvokeRestart("muffleMessage")
  }
  perform <- function() {
    known <- list(answer = function(call, ...) Reduce(part_of, list(...), kept[[as.character(call)]]))
    given <- valued(row$given, known)
    random <- vapply(given, inherits, NA, "generator")
    for (seed in c(row$seed, lapply(given[random], unclass))) {
      RNGkind("Mersenne-Twister", "Inversion", "Rejection")
      set.seed(if (abs(seed) <= .Machine$integer.max) seed else seed %% .Machine$integer.max)
    }
    given <- given[!random]
    before <- lapply(given, content)
    value <- withCallingHandlers(returned(row, given, valued(row$on, known)), warning = noted, message = heard)
    answer$changed <<- !identical(before, lapply(given, content))
    assign(as.character(row$id), value, kept)
    answer["value"] <<- list(if (is.null(row$fields)) value else fields_of(value, row$fields))
    NULL
  }
  printed <- utils::capture.output(problem <- tryCatch(perform(), error = condition_of))
  answer$error <- problem
  answer$said <- c(answer$said, printed)
  answer
}
condition_of <- function(condition) list(class = class(condition)[[1L]], message = conditionMessage(condition))

# What an argument holds; code and environments are not looked into.
content <- function(value) if (!holds_code(value)) serialize(value, NULL, version = 2L)
holds_code <- function(value) {
  if (is.list(value)) return(any(vapply(unclass(value), holds_code, NA)))
  is.function(value) || is.environment(value) || isS4(value) || is.language(value)
}

returned <- function(row, given, on) {
  name <- row[["function"]]
  switch(row$what,
    exports = sort(grep("^[.]__", getNamespaceExports(package), invert = TRUE, value = TRUE), method = "radix"),
    text = paste(utils::capture.output(print(given[[1L]])), collapse = "\n"),
    signature = signature_of(getExportedValue(package, name)),
    if (is.null(on)) invoked(name, getExportedValue(package, name), given) else method_called(name, on, given)
  )
}
# A method of an answer: a function that it holds, or the generic of that name.
method_called <- function(name, on, given) {
  own <- if (is.environment(on) || is.list(on)) fields_of(on, name)[[name]]
  if (is.function(own)) return(invoked(name, own, given))
  generic <- if (name %in% getNamespaceExports(package)) getExportedValue(package, name)
  if (is.null(generic)) generic <- get(name, parent.env(asNamespace(package)), mode = "function")
  invoked(name, generic, c(list(on), given))
}
# The call is made of names, so that match.call() shows what a person would have written.
invoked <- function(name, f, given) {
  frame <- new.env(parent = globalenv())
  assign(name, f, frame)
  symbols <- paste0("argument", seq_along(given))
  for (i in seq_along(given)) assign(symbols[[i]], given[[i]], frame)
  arguments <- structure(lapply(symbols[seq_along(given)], as.name), names = names(given))
  eval(as.call(c(list(as.name(name)), arguments)), frame)
}
signature_of <- function(f) {
  rows <- as.list(formals(args(f)))
  dots <- match("...", names(rows), nomatch = length(rows))
  lapply(seq_along(rows), function(i) {
    default <- if (!identical(rows[[i]], quote(expr = ))) paste(deparse(rows[[i]], 500L), collapse = " ")
    list(name = names(rows)[[i]], default = default, keyword_only = i > dots)
  })
}
fields_of <- function(value, names) {
  if (isS4(value)) {
    names <- intersect(names, methods::slotNames(value))
    return(sapply(names, function(name) methods::slot(value, name), simplify = FALSE))
  }
  if (is.environment(value)) return(mget(intersect(names, ls(value, all.names = TRUE)), envir = value))
  bare <- if (is.function(value)) list() else as.list(unclass(value))
  bare[intersect(names, names(bare))]
}
part_of <- function(value, name) {
  found <- fields_of(value, name)
  if (!length(found)) no_value("the answer has no ", name)
  found[[1L]]
}

# ---- from questions to values ---------------------------------------------------------------------------------------

seen <- function(call, ...) {
  answer <- answered(call)
  if (!is.null(answer$error)) no_value(row_of(call)[["function"]], " failed: ", answer$error$message)
  Reduce(part_of, list(...), answer$value)
}
valued <- function(expression, known = list(answer = seen)) {
  words <- list(
    data = function(name) valued(questions$data[[name]], known),
    generator = function(seed) structure(seed, class = "generator"),
    span = function(start, stop, step) structure(list(start = start, stop = stop, step = step), class = "span"),
    do = function(name, of, with) tryCatch(do.call(known_work[[name]], c(of, with)), error = function(e) {
      if (inherits(e, "no_value")) stop(e)
      no_value(name, " cannot be calculated from it: ", conditionMessage(e))
    })
  )
  eval(expression, c(words, known), globalenv())
}

# ---- calculating with answers: shapes, places and axes as in the questions, which count from 0 ----------------------

dims <- function(x) if (!is.null(dim(x))) dim(x) else if (length(x) == 1L) integer() else length(x)
shaped <- function(values, size) if (length(size) > 1L) array(values, size) else as.vector(values)

numbers <- function(x) {
  if (is.list(x) && !is.object(x) && is.null(names(x))) return(stacked(lapply(x, numbers)))
  if (!(is.numeric(x) || is.logical(x) || is.complex(x)) || is.factor(x)) {
    no_value(class(x)[[1L]], " where numbers are expected")
  }
  values <- as.vector(unclass(x))
  shaped(if (is.complex(x)) values else as.double(values), dims(x))
}
stacked <- function(parts) {
  if (!length(parts)) return(numeric())
  size <- dims(parts[[1L]])
  if (!all(vapply(parts, function(part) identical(dims(part), size), NA))) no_value("parts of different shapes")
  if (!length(size)) return(unlist(parts))
  aperm(array(unlist(parts), c(size, length(parts))), c(length(size) + 1L, seq_along(size)))
}

spread_to <- function(x, size) {
  own <- c(rep(1L, length(size) - length(dims(x))), dims(x))
  if (any(own != size & own != 1L)) no_value("shapes that do not fit each other")
  places <- Map(function(n, k) if (n == 1L) rep(1L, k) else seq_len(k), own, size)
  if (length(size)) do.call(`[`, c(list(array(x, own)), places, drop = FALSE)) else x
}
pairwise <- function(f) function(left, right) {
  left <- numbers(left)
  right <- numbers(right)
  rank <- max(length(dims(left)), length(dims(right)))
  padded <- lapply(list(left, right), function(x) c(rep(1L, rank - length(dims(x))), dims(x)))
  size <- ifelse(padded[[1L]] == 1L, padded[[2L]], padded[[1L]])
  shaped(f(as.vector(spread_to(left, size)), as.vector(spread_to(right, size))), size)
}
elementwise <- function(f) function(of) shaped(f(as.vector(numbers(of))), dims(numbers(of)))
reduced <- function(f) function(of, axis = NULL, ...) {
  x <- numbers(of)
  size <- dims(x)
  if (!length(x)) no_value("there are no numbers to reduce")
  if (is.null(axis) || length(size) <= 1L) return(unname(f(as.vector(x), ...)))
  found <- apply(x, setdiff(seq_along(size), axis %% length(size) + 1L), f, ...)
  unname(if (length(dim(found)) == 1L) as.vector(found) else found)
}
variance <- function(x, divisor = 1) sum((x - mean(x))^2) / (length(x) - divisor)
both_texts <- function(f, usual) function(left, right) {
  if (is.character(left) || is.character(right)) f(left, right) else usual(left, right)
}

element <- function(of, at) {
  if (length(at) == 1L && is.character(at[[1L]])) return(part_of(of, at[[1L]]))
  if (is.list(of) && length(at) == 1L) {
    where <- place(at[[1L]], length(of))
    return(if (is.numeric(at[[1L]])) of[[where]] else unname(of)[where])
  }
  x <- if (is.character(of)) of else numbers(of)
  size <- if (length(dims(x))) dims(x) else 1L
  if (length(at) > length(size)) no_value("more places than dimensions")
  at <- c(at, rep(list(structure(list(), class = "span")), length(size) - length(at)))
  places <- Map(place, at, size)
  several <- vapply(at, function(one) is.list(one) && !inherits(one, "span"), NA)
  if (sum(several) > 1L) {
    if (!all(several)) no_value("places that only Python knows")
    return(array(x, size)[do.call(cbind, places)])
  }
  kept <- vapply(at, is.list, NA)
  shaped(do.call(`[`, c(list(array(x, size)), places, drop = FALSE)), lengths(places)[kept])
}
place <- function(one, n) {
  if (inherits(one, "span")) return(in_span(one, n))
  if (is.list(one)) one <- unlist(one)
  if (is.logical(one)) return(which(one))
  one <- ifelse(one < 0, one + n, one) + 1L
  if (any(one < 1L | one > n)) no_value("there is no such element")
  one
}
in_span <- function(span, n) {
  step <- if (is.null(span$step)) 1L else span$step
  bound <- function(at, otherwise, low, high) {
    if (is.null(at)) otherwise else min(max(if (at < 0) at + n else at, low), high)
  }
  if (step > 0) {
    from <- bound(span$start, 0L, 0L, n)
    to <- bound(span$stop, n, 0L, n) - 1L
    return(if (from <= to) seq(from, to, step) + 1L else integer())
  }
  from <- bound(span$start, n - 1L, -1L, n - 1L)
  to <- bound(span$stop, -1L, -1L, n - 1L) + 1L
  if (from >= to) seq(from, to, step) + 1L else integer()
}

known_work <- list(
  part = element,
  mean = reduced(mean), median = reduced(stats::median), total = reduced(sum), smallest = reduced(min),
  largest = reduced(max), var = reduced(variance), sd = reduced(function(x, divisor = 1) sqrt(variance(x, divisor))),
  quantile = reduced(function(x, probability) stats::quantile(x, unlist(probability), names = FALSE)),
  cov = function(of) drop(stats::var(numbers(of))), cor = function(of) stats::cor(as.matrix(numbers(of))),
  sorted = function(of) sort(as.vector(numbers(of)), na.last = TRUE),
  transposed = function(of) if (length(dims(of)) > 1L) aperm(numbers(of)) else numbers(of),
  diag = function(of) if (length(dims(of)) > 1L) diag(numbers(of)) else diag(numbers(of), length(of)),
  abs = elementwise(abs), sqrt = elementwise(sqrt), exp = elementwise(exp), log = elementwise(log),
  eigenvalues = function(of) rev(eigen(numbers(of), symmetric = TRUE, only.values = TRUE)$values),
  solve = function(left, right) solve(numbers(left), numbers(right)),
  matmul = function(left, right) {
    found <- numbers(left) %*% numbers(right)
    if (length(dims(left)) > 1L && length(dims(right)) > 1L) found else as.vector(found)
  },
  plus = pairwise(`+`), minus = pairwise(`-`), times = pairwise(`*`), over = pairwise(`/`), power = pairwise(`^`),
  below = pairwise(`<`), `at most` = pairwise(`<=`),
  equal = both_texts(identical, pairwise(`==`)),
  different = both_texts(function(left, right) !identical(left, right), pairwise(`!=`)),
  length = function(of) if (is.character(of) && length(of) == 1L) nchar(of) else NROW(of),
  shape = function(of) as.double(dims(if (is.list(of)) numbers(of) else of)),
  names = function(of) if (length(dim(of)) > 1L && !is.data.frame(of)) unname(dimnames(of)) else names(of)
)

# ---- comparing ------------------------------------------------------------------------------------------------------

fit_together <- function(left, right) {
  identical(as.integer(dims(left)), as.integer(dims(right))) || (length(left) == 1L && length(right) == 1L)
}
same <- function(left, right) {
  if (is.null(left) || is.null(right)) return(is.null(left) && is.null(right))
  if (is.factor(left)) left <- as.character(left)
  if (is.factor(right)) right <- as.character(right)
  if (is.character(left) && is.character(right)) {
    return(fit_together(left, right) && identical(as.vector(left), as.vector(right)))
  }
  if (is.list(left) && is.list(right) && !(is.null(names(left)) && is.null(names(right)))) {
    return(identical(names(left), names(right)) && all(as.logical(Map(same, unclass(left), unclass(right)))))
  }
  pair <- tryCatch(list(numbers(left), numbers(right)), no_value = function(e) NULL)
  if (is.null(pair)) {
    if (!is.list(left) && !is.list(right)) return(is.recursive(left) && identical(class(left), class(right)))
    return(length(left) == length(right) && all(as.logical(Map(same, as.list(left), as.list(right)))))
  }
  fit_together(pair[[1L]], pair[[2L]]) &&
    all(ifelse(is.na(pair[[1L]]) | is.na(pair[[2L]]), is.na(pair[[1L]]) & is.na(pair[[2L]]), pair[[1L]] == pair[[2L]]))
}

# All numbers of both sides in one order; lists may hold parts of different shapes.
paired <- function(left, right) {
  pair <- tryCatch(list(numbers(left), numbers(right)), no_value = identity)
  if (inherits(pair, "no_value")) {
    if (!(is.list(left) && is.list(right) && length(left) == length(right))) stop(pair)
    pairs <- Map(paired, unname(left), unname(right))
    return(lapply(1:2, function(side) unlist(lapply(pairs, `[[`, side))))
  }
  if (!fit_together(pair[[1L]], pair[[2L]])) {
    shown <- vapply(pair, function(x) paste(dims(x), collapse = " x "), "")
    no_value("its shape is ", shown[[1L]], ", and ", shown[[2L]], " is expected")
  }
  if (!length(pair[[1L]])) no_value("there is nothing to compare")
  lapply(pair, function(x) if (any(vapply(pair, is.complex, NA))) c(Re(x), Im(x)) else as.vector(x))
}
far_off <- function(observed, expected, rule) {
  pair <- paired(observed, expected)
  left <- pair[[1L]]
  right <- pair[[2L]]
  gap <- abs(left - right)
  near <- if (!is.null(rule$lre)) {
    pmin(15, -log10(gap / ifelse(right == 0, 1, abs(right)))) >= rule$lre
  } else {
    gap - rule$absolute - rule$relative * abs(right) <= 0
  }
  alike <- (is.na(left) & is.na(right)) | (left == right) %in% TRUE
  held <- alike | (near & is.finite(left) & is.finite(right)) %in% TRUE
  worst <- match(FALSE, held)
  if (is.na(worst)) "" else sprintf("%.17g where %.17g is expected", left[[worst]], right[[worst]])
}
everywhere <- function(held) length(held) > 0L && all(held %in% TRUE)
all_finite <- function(value) {
  parts <- if (is.list(value) && !is.null(names(value))) value else list(value)
  otherwise <- function(e) if (length(parts) > 1L) NULL else stop(e)
  found <- lapply(parts, function(part) tryCatch(numbers(part), no_value = otherwise))
  everywhere(is.finite(unlist(found)))
}

as_expected <- function(claim, rule, came) {
  own <- is.null(claim$error) && is.null(claim$message)
  error <- if (is.null(claim$error)) rule$error else claim$error
  message <- c(if (own) rule$message else claim$message, "")[[1L]]
  fits <- function(one) one$class == error && grepl(message, one$message, fixed = TRUE)
  if (any(as.logical(lapply(came, fits)))) return("")
  shown <- paste(vapply(came, function(one) paste0(one$class, ": ", one$message), ""), collapse = "; ")
  sprintf("[%s] came where %s with '%s' is expected", shown, error, message)
}
about_call <- function(claim, rule) {
  answer <- answered(claim$call)
  if (claim$rule == "raises") return(as_expected(claim, rule, if (!is.null(answer$error)) list(answer$error)))
  if (claim$rule == "repeatable") {
    again <- new_chain(row_of(claim$call)$chain)$answers[[as.character(claim$call)]]
    alike <- vapply(c("value", "error", "warnings"), function(part) same(answer[[part]], again[[part]]), NA)
    return(if (all(alike)) "" else "asked again, it answers something else")
  }
  if (!is.null(answer$error)) return(paste("it failed:", answer$error$message))
  said <- c(answer$said, vapply(answer$warnings, `[[`, "", "message"))
  switch(claim$rule,
    warns = as_expected(claim, rule, answer$warnings),
    untouched = if (answer$changed) "an argument was changed" else "",
    silent = if (any(nzchar(trimws(said)))) paste("it said:", paste(said, collapse = " ")) else "",
    ""
  )
}
# What is wrong, in words; nothing where the claim is true.
problem_of <- function(claim, rule) {
  if (!is.null(claim$call)) return(about_call(claim, rule))
  observed <- valued(claim$observed)
  expected <- valued(claim$expected)
  if (claim$rule == "close") return(far_off(observed, expected, rule))
  held <- switch(claim$rule,
    value = {
      values <- numbers(observed)
      everywhere(is.finite(values) & values >= c(rule$low, -Inf)[[1L]] & values <= c(rule$high, Inf)[[1L]])
    },
    between = everywhere(known_work$`at most`(expected[[1L]], observed)) &&
      everywhere(known_work$`at most`(observed, expected[[2L]])),
    less = everywhere(known_work$below(observed, expected)),
    contains = is.character(observed) && length(observed) == 1L && grepl(expected, observed, fixed = TRUE),
    finite = all_finite(observed),
    same = same(observed, expected)
  )
  if (held) "" else paste0("not ", claim$rule, ": ", paste(utils::capture.output(utils::str(observed)), collapse = " "))
}

labels <- vapply(questions$claims, function(claim) {
  paste0(claim$case, " ", claim$criterion, if (!is.null(claim$left_out)) " (left out)")
}, "")
for (label in unique(labels)) {
  testthat::test_that(label, {
    claims <- questions$claims[labels == label]
    if (!is.null(claims[[1L]]$left_out)) testthat::skip(claims[[1L]]$left_out)
    rule <- questions$criteria[[claims[[1L]]$criterion]]
    wrong <- vapply(claims, function(claim) tryCatch(problem_of(claim, rule), no_value = conditionMessage), "")
    testthat::expect(all(wrong == ""), paste0(rule$quantity, ": ", paste(wrong[wrong != ""], collapse = "; ")))
  })
}
