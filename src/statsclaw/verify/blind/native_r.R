# The validation of this package: calls, what is expected of their answers, and how far they may be off.
#
# Made from the frozen criteria of the package's specification; all numbers stand in validation-questions.json beside this
# file. A change of the package that breaks a test here changes results. testthat runs it with other tests, whose helpers
# reach it there. Started as a program it is alone with the installed package, and needs no testthat:
#
#     Rscript --vanilla tests/testthat/test-validation.R

# ---- reading: JSON is taken apart and never evaluated ---------------------------------------------------------------

read_json <- function(path) {
  lines <- readLines(path, encoding = "UTF-8", warn = FALSE)
  pattern <- "\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|[-+.0-9A-Za-z]+|[][{}:,]"
  tokens <- unlist(regmatches(lines, gregexpr(pattern, lines, perl = TRUE)))
  at <- 0L
  following <- function() tokens[[at <<- at + 1L]]
  parts <- function(end, named) {
    found <- list()
    labels <- character()
    while ((token <- following()) != end) {
      if (token == ",") next
      if (named) {
        labels <- c(labels, unquoted(token))
        following()
        token <- following()
      }
      found[length(found) + 1L] <- list(valued(token))
    }
    if (named) structure(found, names = labels) else found
  }
  valued <- function(token) {
    switch(substr(token, 1L, 1L),
      `{` = parts("}", TRUE), `[` = parts("]", FALSE), `"` = unquoted(token), t = TRUE, f = FALSE, n = NULL,
      if (grepl("^-?[0-9]{1,9}$", token)) as.integer(token) else as.numeric(token)
    )
  }
  valued(following())
}
unquoted <- function(token) {
  inner <- substr(token, 2L, nchar(token) - 1L)
  if (!grepl("\\", inner, fixed = TRUE)) return(inner)
  pieces <- regmatches(inner, gregexpr("\\\\u[0-9a-f]{4}|\\\\.|[^\\\\]+", inner, perl = TRUE))[[1L]]
  short <- c(n = 10L, r = 13L, t = 9L, b = 8L, f = 12L)
  codes <- unlist(lapply(pieces, function(piece) {
    if (!startsWith(piece, "\\")) return(utf8ToInt(piece))
    if (startsWith(piece, "\\u")) return(strtoi(substr(piece, 3L, 6L), 16L))
    letter <- substr(piece, 2L, 2L)
    if (letter %in% names(short)) short[[letter]] else utf8ToInt(letter)
  }))
  intToUtf8(codes, allow_surrogate_pairs = TRUE)
}

is_program <- sys.nframe() == 0L
here <- if (is_program) dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[[1L]])) else "."
questions <- read_json(file.path(here, "validation-questions.json"))
package <- questions$package
if (is_program) suppressPackageStartupMessages(library(package, character.only = TRUE))
ids <- vapply(questions$calls, function(row) row$id, 0L)
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
  answer_of <- function(call, path) {
    value <- kept[[as.character(call)]]
    fields <- row_of(call)$fields
    Reduce(part_of, path, if (length(path) && !is.null(fields)) fields_of(value, fields) else value)
  }
  perform <- function() {
    given <- lapply(c(row$arguments, row$named), made, answer_of)
    random <- vapply(given, inherits, NA, "generator")
    for (seed in c(row$seed, lapply(given[random], unclass))) {
      RNGkind("Mersenne-Twister", "Inversion", "Rejection")
      set.seed(if (abs(seed) <= .Machine$integer.max) seed else seed %% .Machine$integer.max)
    }
    given <- given[!random]
    before <- lapply(given, content)
    value <- withCallingHandlers(returned(row, given, made(row$on, answer_of)), warning = noted, message = heard)
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
condition_of <- function(condition) list(class = class(condition), message = conditionMessage(condition))

# What an argument holds; code and environments are not looked into.
content <- function(value) if (!holds_code(value)) serialize(value, NULL, version = 2L)
holds_code <- function(value) {
  if (is.list(value)) return(any(vapply(unclass(value), holds_code, NA)))
  is.function(value) || is.environment(value) || isS4(value) || is.language(value)
}

# The class of what a call returns, where it has one. Only what the interface declares is ever called.
returned_class <- function(row) {
  table <- questions$functions
  if (!is.null(row$on)) {
    class <- if (is.null(row$on$path)) returned_class(row_of(row$on$answer))
    table <- if (!is.null(class)) questions$methods[[class, exact = TRUE]]
  }
  name <- row[["function"]]
  if (!(row$what %in% c("call", "signature") && name %in% names(table))) {
    stop("the interface does not declare ", name, call. = FALSE)
  }
  table[[name, exact = TRUE]]
}
returned <- function(row, given, on) {
  if (row$what == "exports") {
    return(sort(grep("^[.]__", getNamespaceExports(package), invert = TRUE, value = TRUE), method = "radix"))
  }
  if (row$what == "text") return(paste(utils::capture.output(print(given[[1L]])), collapse = "\n"))
  returned_class(row)
  name <- row[["function"]]
  if (!is.null(on)) return(method_called(name, on, given))
  f <- getExportedValue(package, name)
  if (row$what == "signature") signature_of(f) else invoked(name, f, given)
}
# A declared method of an answer: a function that it holds, or the generic of that name.
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
# The declared fields; of those that are objects themselves, theirs.
fields_of <- function(value, wanted) {
  names <- vapply(wanted, function(row) if (is.list(row)) row$name else row, "")
  found <- fields_by_name(value, names)
  for (row in wanted) {
    if (is.list(row) && !is.null(found[[row$name]])) found[[row$name]] <- fields_of(found[[row$name]], row$fields)
  }
  found
}
fields_by_name <- function(value, names) {
  if (isS4(value)) {
    names <- intersect(names, methods::slotNames(value))
    return(sapply(names, function(name) methods::slot(value, name), simplify = FALSE))
  }
  if (is.environment(value)) return(mget(intersect(names, ls(value, all.names = TRUE)), envir = value))
  bare <- if (is.function(value)) list() else as.list(unclass(value))
  bare[intersect(names, names(bare))]
}
# Names are those of lists, tables and vectors; of other objects only the declared fields are ever seen.
part_of <- function(value, name) {
  bare <- if (is.environment(value) || isS4(value) || is.function(value)) list() else as.list(unclass(value))
  if (!name %in% names(bare)) no_value("the answer has no ", name)
  bare[[name]]
}

# ---- from questions to values ---------------------------------------------------------------------------------------

seen <- function(call, path) {
  answer <- answered(call)
  if (!is.null(answer$error)) no_value(row_of(call)[["function"]], " failed: ", answer$error$message)
  Reduce(part_of, path, answer$value)
}
made <- function(node, answer = seen) {
  if (!is.list(node)) return(node)
  if (is.null(names(node))) return(lapply(node, made, answer))
  inner <- node[[1L]]
  of <- function() made(inner, answer)
  switch(names(node)[[1L]],
    answer = answer(inner, node$path),
    data = made(questions$data[[inner]], answer),
    dict = , list = lapply(inner, made, answer),
    number = as.numeric(inner),
    array = array_of(inner, node$dtype, node$shape),
    do = calculated(inner, lapply(node$of, made, answer), lapply(node$with, made_place, answer)),
    generator = structure(inner, class = "generator"),
    bytes = , bytearray = as.raw(strtoi(regmatches(inner, gregexpr("..", inner))[[1L]], 16L)),
    formula = formula_of(inner),
    masked = masked_of(of()), factor = factor_of(of()), named = named_of(of()), table = table_of(of()),
    series = series_of(of()),
    stop("a value of the kind ", names(node)[[1L]])
  )
}
# Places stand as they were written; other settings are values.
made_place <- function(part, answer) {
  if (is.list(part) && is.null(names(part))) return(lapply(part, made_place, answer))
  if (is.list(part) && "slice" %in% names(part)) part else made(part, answer)
}
calculated <- function(name, of, settings) {
  tryCatch(do.call(known_work[[name]], c(of, settings), quote = TRUE), error = function(e) {
    if (inherits(e, "no_value")) stop(e)
    no_value(name, " cannot be calculated from it: ", conditionMessage(e))
  })
}
array_of <- function(elements, kind, size) {
  if (kind == "text") {
    value <- vapply(elements, function(one) if (is.null(one)) NA_character_ else one, "")
  } else {
    texts <- strsplit(elements, " ", fixed = TRUE)[[1L]]
    value <- if (kind == "logical") as.logical(texts) else as.numeric(texts)
  }
  if (kind == "integer" && all(is.na(value) | abs(value) < 2^31)) value <- as.integer(value)
  if (kind == "complex") {
    pairs <- matrix(value, 2L)
    value <- complex(real = pairs[1L, ], imaginary = pairs[2L, ])
  }
  if (is.null(size)) value else array(value, unlist(size))
}
formula_of <- function(text) {
  found <- str2lang(text)
  if (!(is.call(found) && identical(found[[1L]], as.name("~")))) stop("a formula that is none")
  structure(found, class = "formula", .Environment = new.env(parent = globalenv()))
}
masked_of <- function(parts) replace(parts[[1L]], which(as.logical(parts[[2L]])), NA)
factor_of <- function(parts) {
  codes <- as.integer(parts$codes)
  codes[codes == 0L] <- NA
  structure(codes, levels = as.character(parts$levels), class = c(if (isTRUE(parts$ordered)) "ordered", "factor"))
}
named_of <- function(parts) {
  value <- parts$value
  if (is.null(dim(value))) {
    if (!is.null(parts$names)) names(value) <- as.character(parts$names)
  } else if (length(parts$names)) {
    labels <- lapply(parts$names, function(row) if (!is.null(row)) as.character(row))
    dimnames(value) <- if (is.null(parts$axes)) labels else structure(labels, names = as.character(parts$axes))
  }
  value
}
table_of <- function(parts) {
  columns <- lapply(parts$columns, column_of)
  count <- if (length(columns)) NROW(columns[[1L]]) else length(parts$index)
  index <- parts$index
  usable <- length(index) && length(index) == count && !anyDuplicated(index) && !anyNA(index)
  rows <- if (!usable) .set_row_names(count) else if (is.integer(index)) index else as.character(index)
  structure(columns, row.names = rows, class = "data.frame")
}
# A column of objects: missing ones are nothing or not a number.
column_of <- function(values) {
  if (!is.list(values)) return(values)
  absent <- vapply(values, function(part) is.null(part) || (is.atomic(part) && length(part) == 1L && is.na(part)), NA)
  values[absent] <- list(NA)
  if (all(absent)) as.character(unlist(values)) else unlist(values)
}
series_of <- function(parts) {
  value <- column_of(parts$values)
  if (is.character(parts$index)) structure(value, names = parts$index) else value
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
  fresh <- vapply(at, is.null, NA)
  at <- c(at, rep(list(list(slice = list(NULL, NULL, NULL))), length(size) - sum(!fresh)))
  fresh <- vapply(at, is.null, NA)
  places <- Map(place, at[!fresh], size)
  several <- vapply(at, function(one) is.list(one) && is.null(names(one)), NA)
  if (sum(several) > 1L) {
    if (!all(several)) no_value("places that only Python knows")
    return(array(x, size)[do.call(cbind, places)])
  }
  sizes <- rep(1L, length(at))
  sizes[!fresh] <- lengths(places)
  kept <- fresh | vapply(at, is.list, NA)
  shaped(do.call(`[`, c(list(array(x, size)), places, drop = FALSE)), sizes[kept])
}
place <- function(one, n) {
  if (!is.null(names(one))) return(in_span(one$slice, n))
  if (is.list(one)) one <- unlist(one)
  if (is.logical(one)) return(which(one))
  one <- ifelse(one < 0, one + n, one) + 1L
  if (any(one < 1L | one > n)) no_value("there is no such element")
  one
}
in_span <- function(span, n) {
  step <- if (is.null(span[[3L]])) 1L else span[[3L]]
  bound <- function(at, otherwise, low, high) {
    if (is.null(at)) otherwise else min(max(if (at < 0) at + n else at, low), high)
  }
  if (step > 0) {
    from <- bound(span[[1L]], 0L, 0L, n)
    to <- bound(span[[2L]], n, 0L, n) - 1L
    return(if (from <= to) seq(from, to, step) + 1L else integer())
  }
  from <- bound(span[[1L]], n - 1L, -1L, n - 1L)
  to <- bound(span[[2L]], -1L, -1L, n - 1L) + 1L
  if (from >= to) seq(from, to, step) + 1L else integer()
}

known_work <- list(
  part = element,
  mean = reduced(mean), median = reduced(stats::median), total = reduced(sum), smallest = reduced(min),
  largest = reduced(max), var = reduced(variance), sd = reduced(function(x, divisor = 1) sqrt(variance(x, divisor))),
  quantile = reduced(function(x, probability = 0.5) stats::quantile(x, unlist(probability), names = FALSE)),
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
# Of a list with names the numbers in it, of another one those of its parts; of anything else itself.
all_numbers <- function(value) {
  if (!is.list(value)) return(as.vector(numbers(value)))
  otherwise <- function(e) if (is.null(names(value))) stop(e)
  unlist(lapply(value, function(part) tryCatch(all_numbers(part), no_value = otherwise)), use.names = FALSE)
}

as_expected <- function(claim, rule, came) {
  own <- is.null(claim$error) && is.null(claim$message)
  error <- if (is.null(claim$error)) rule$error else claim$error
  message <- c(if (own) rule$message else claim$message, "")[[1L]]
  fits <- function(one) (is.null(error) || error %in% one$class) && grepl(message, one$message, fixed = TRUE)
  if (any(as.logical(lapply(came, fits)))) return("")
  shown <- paste(vapply(came, function(one) paste0(one$class[[1L]], ": ", one$message), ""), collapse = "; ")
  sprintf("[%s] came where %s with '%s' is expected", shown, c(error, "a condition")[[1L]], message)
}
# What must be the same when it is asked again; a text may name an object by its address.
settled <- function(answer) {
  lapply(list(answer$value, unlist(answer$error), unlist(answer$warnings)), function(part) {
    if (is.character(part)) gsub("(<[[:alnum:]_]+:| at) 0x[0-9a-fA-F]{6,16}>", "\\1>", part) else part
  })
}
about_call <- function(claim, rule) {
  answer <- answered(claim$call)
  if (claim$rule == "raises") return(as_expected(claim, rule, if (!is.null(answer$error)) list(answer$error)))
  if (claim$rule == "repeatable") {
    again <- new_chain(row_of(claim$call)$chain)$answers[[as.character(claim$call)]]
    return(if (same(settled(answer), settled(again))) "" else "asked again, it answers something else")
  }
  if (!is.null(answer$error)) {
    stated <- vapply(claim$refusals, function(row) {
      row[[1L]] %in% answer$error$class && grepl(row[[2L]], answer$error$message, fixed = TRUE)
    }, NA)
    return(if (any(stated)) "" else paste("it failed:", answer$error$message))
  }
  said <- c(answer$said, vapply(answer$warnings, `[[`, "", "message"))
  switch(claim$rule,
    warns = as_expected(claim, rule, answer$warnings),
    untouched = if (answer$changed) "an argument was changed" else "",
    silent = if (any(nzchar(trimws(said)))) paste("it said:", paste(said, collapse = " ")) else "",
    ""
  )
}
# In a text; of several texts one of them.
contains <- function(observed, text) {
  if (is.factor(observed)) observed <- as.character(observed)
  single <- is.character(observed) && length(observed) == 1L && is.null(names(observed)) && is.null(dim(observed))
  if (single) grepl(text, observed, fixed = TRUE) else any(vapply(as.list(observed), identical, NA, text))
}
# What is wrong, in words; nothing where the claim is true.
problem_of <- function(claim, rule) {
  if (!is.null(claim$call)) return(about_call(claim, rule))
  observed <- made(claim$observed)
  expected <- made(claim$expected)
  if (claim$rule == "close") return(far_off(observed, expected, rule))
  held <- switch(claim$rule,
    value = {
      values <- numbers(observed)
      everywhere(is.finite(values) & values >= c(rule$low, -Inf)[[1L]] & values <= c(rule$high, Inf)[[1L]])
    },
    between = everywhere(known_work$`at most`(expected[[1L]], observed)) &&
      everywhere(known_work$`at most`(observed, expected[[2L]])),
    less = everywhere(known_work$below(observed, expected)),
    contains = contains(observed, expected),
    finite = everywhere(is.finite(all_numbers(observed))),
    same = same(observed, expected)
  )
  if (held) "" else paste0("not ", claim$rule, ": ", paste(utils::capture.output(utils::str(observed)), collapse = " "))
}

rules <- lapply(questions$criteria, lapply, made)
judged <- function(claims) {
  rule <- rules[[claims[[1L]]$criterion]]
  wrong <- vapply(claims, function(claim) tryCatch(problem_of(claim, rule), error = conditionMessage), "")
  paste(wrong[wrong != ""], collapse = "; ")
}

labels <- vapply(questions$claims, function(claim) {
  paste0(claim$case, " ", claim$criterion, if (!is.null(claim$left_out)) " (left out)")
}, "")
if (is_program) {
  # One line for each case and criterion; 1 where something failed, or where nothing was compared.
  outcomes <- vapply(unique(labels), function(label) {
    claims <- questions$claims[labels == label]
    left_out <- claims[[1L]]$left_out
    why <- if (is.null(left_out)) judged(claims) else left_out
    outcome <- if (!is.null(left_out)) "SKIPPED" else if (why == "") "PASSED" else "FAILED"
    cat(outcome, " ", label, if (why != "") paste0(": ", why), "\n", sep = "")
    outcome
  }, "")
  counts <- table(factor(outcomes, c("PASSED", "FAILED", "SKIPPED")))
  cat(paste(counts, tolower(names(counts)), collapse = ", "), "\n", sep = "")
  quit("no", status = if (counts[["PASSED"]] > 0L && counts[["FAILED"]] == 0L) 0L else 1L)
}
for (label in unique(labels)) {
  testthat::test_that(label, {
    claims <- questions$claims[labels == label]
    if (!is.null(claims[[1L]]$left_out)) testthat::skip(claims[[1L]]$left_out)
    wrong <- judged(claims)
    testthat::expect(wrong == "", paste0(rules[[claims[[1L]]$criterion]]$quantity, ": ", wrong))
  })
}
