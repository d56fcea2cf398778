# Questions to a package, and what to expect of its answers, written before anybody has heard one. The R side of
# statsclaw_ask.py.
#
#   scenario("S1", drawn_numbers = function() {      # R's generator is seeded with the stream of S1
#     x <- rnorm(30)
#     fit <- ask("interval", x, level = 0.9)         # a promise: it has no value here
#     claim_close("C1", fit$mean, mean(x))
#     claim_raises("C4", ask("interval", numeric()))
#   })
#
# The whole list is in docs/reference/questions.md. The file is sourced into an environment that holds statsclaw_wire.R;
# `author_names` is what an author sees of it.

book <- new.env(parent = emptyenv())
book$scenarios <- list()
book$calls <- list()
book$claims <- list()
book$scenario <- book$case <- book$file <- ""
book$place <- globalenv()

misasked <- function(...) {
  stop(structure(class = c("Misasked", "error", "condition"), list(message = sprintf(...), call = NULL)))
}

add_call <- function(row) {
  id <- length(book$calls)
  row <- c(row, list(id = id, scenario = book$scenario, case = book$case, at = written_at()))
  encode(row)
  book$calls[[id + 1L]] <- row
  promise(extra("answer", list(call = id, path = list())))
}

add_claim <- function(criterion, rule, ...) {
  criterion <- as.character(criterion)
  if (!nzchar(book$scenario)) misasked("%s is claimed outside of a scenario", criterion)
  where <- list(criterion = criterion, scenario = book$scenario, case = book$case, file = book$file, rule = rule,
                at = written_at())
  row <- c(where, lapply(list(...), node))
  encode(row)
  book$claims[[length(book$claims) + 1L]] <- row
  invisible()
}

# The place in the file with the questions where the author wrote it; "" where it is not known.
written_at <- function() {
  if (book$scenario == "study") return("")  # of which there are many
  for (call in rev(sys.calls())) {
    ref <- attr(call, "srcref")
    if (is.null(ref) || !nzchar(book$file)) next
    if (endsWith(attr(ref, "srcfile")$filename, book$file)) return(sprintf("%s:%d", book$file, as.integer(ref[[1L]])))
  }
  ""
}

# ---- promises -------------------------------------------------------------------------------------------------------

# What the package will answer, or a part of it, or what is calculated from it. An environment, so that c() and list()
# keep it whole.
promise <- function(node) {
  found <- new.env(parent = emptyenv())
  assign("node", node, found)
  lockEnvironment(found, bindings = TRUE)
  structure(found, class = "statsclaw_answer")
}
is_promise <- function(x) inherits(x, "statsclaw_answer")
node_of <- function(x) get("node", x)
holds_promise <- function(x) is_promise(x) || (typeof(x) == "list" && any(vapply(unclass(x), holds_promise, NA)))

# A value with the promises in it written out.
node <- function(value) {
  if (is_promise(value)) return(node_of(value))
  if (typeof(value) != "list" || is_extra(value) || is.data.frame(value)) return(value)
  if (!is.null(dim(value))) misasked("answers cannot be put into a matrix; use list() or c()")
  lapply(value, node)
}

below <- function(x, name) {
  found <- node_of(x)
  if (found$kind == "do" && found$value$name == "part") return(calculate("part", list(x), list(at = list(name))))
  if (found$kind != "answer") misasked("a calculated value has no part '%s'", name)
  promise(extra("answer", list(call = found$value$call, path = c(found$value$path, list(name)))))
}

calculate <- function(name, operands, settings = empty_names()) {
  promise(extra("do", list(name = name, of = lapply(operands, node), with = settings)))
}

# ---- elements: R counts from 1, questions from 0 --------------------------------------------------------------------

FULL <- list(slice = list(NULL, NULL, NULL))
is_single_text <- function(x) is.character(x) && length(x) == 1L && !is.na(x)

place <- function(i, drop) {
  if (holds_promise(i)) misasked("which elements to take must be known while questions are written")
  if (!is.null(dim(i)) || is.object(i)) misasked("take elements by vectors of places")
  if (is_single_text(i)) return(i)
  if (is.character(i)) misasked("take elements by name one at a time")
  if (anyNA(i) || !(is.numeric(i) || is.logical(i))) misasked("take elements by numbers or truth values")
  if (is.logical(i)) return(as.list(i))
  if (any(i == 0 | i != trunc(i))) misasked("elements are counted 1, 2, 3")
  if (any(i < 0)) return(without(i))
  i <- as.integer(i)
  if (length(i) == 1L && drop) return(i - 1L)
  if (length(i) && all(diff(i) == 1L)) return(list(slice = list(i[[1L]] - 1L, i[[length(i)]], NULL)))
  as.list(i - 1L)
}
# How many elements there are is not known, so only the first ones can be left out.
without <- function(i) {
  left_out <- sort.int(unique(-as.integer(i)))
  if (!identical(left_out, seq_along(left_out))) {
    misasked("only the first elements of an answer can be left out, x[-1] or x[-(1:100)]: its length is not known yet")
  }
  list(slice = list(length(left_out), NULL, NULL))
}
# Several lists of places mean rows and columns in R, so one follows the other.
elements <- function(x, places) {
  many <- vapply(places, function(one) is.list(one) && is.null(names(one)), NA)
  if (length(places) == 1L || !any(many)) return(calculate("part", list(x), list(at = places)))
  for (k in which(many)) {
    at <- rep(list(FULL), length(places))
    at[[k]] <- places[[k]]
    x <- calculate("part", list(x), list(at = at))
    places[[k]] <- FULL
  }
  if (all(vapply(places, identical, NA, FULL))) x else calculate("part", list(x), list(at = places))
}

unknown <- function(...) {
  misasked("an answer is not known while questions are written: claim something about it instead")
}
impossible <- function(what) misasked("'%s' of an answer is not possible; see claim_observe", what)
unchangeable <- function(x, ..., value) misasked("an answer cannot be changed")
OPERATIONS <- list(
  `+` = "plus", `-` = "minus", `*` = "times", `/` = "over", `^` = "power", `<` = "below", `<=` = "at most",
  `>` = "below", `>=` = "at most", `==` = "equal", `!=` = "different"
)

promise_methods <- list(
  `$` = function(x, name) below(x, name),
  `[[` = function(x, ..., exact = TRUE) {
    given <- list(...)
    if (length(given) == 1L && is_single_text(given[[1L]])) return(below(x, given[[1L]]))
    elements(x, lapply(given, place, TRUE))
  },
  `[` = function(x, ..., drop = TRUE) {
    written <- as.list(substitute(list(...)))[-1L]
    absent <- vapply(written, identical, NA, quote(expr = ))
    if (all(absent) && length(absent) <= 1L) return(x)
    places <- lapply(seq_along(written), function(i) if (absent[[i]]) FULL else place(...elt(i), drop))
    if (length(places) == 1L && is_single_text(places[[1L]])) return(below(x, places[[1L]]))
    elements(x, places)
  },
  Ops = function(e1, e2) {
    if (nargs() == 1L) {
      return(switch(.Generic, `-` = calculate("times", list(-1, e1)), `+` = e1, impossible(.Generic)))
    }
    name <- OPERATIONS[[.Generic]]
    if (is.null(name)) impossible(.Generic)
    calculate(name, if (.Generic %in% c(">", ">=")) list(e2, e1) else list(e1, e2))
  },
  Math = function(x, ...) {
    if (!.Generic %in% c("abs", "sqrt", "exp", "log")) impossible(.Generic)
    if (...length()) misasked("'%s' of an answer takes nothing else", .Generic)
    calculate(.Generic, list(x))
  },
  Summary = function(..., na.rm = FALSE) {
    name <- switch(.Generic, sum = "total", min = "smallest", max = "largest", impossible(.Generic))
    if (...length() != 1L) misasked("'%s' takes one answer", .Generic)
    calculate(name, list(..1), list(axis = NULL))
  },
  `$<-` = unchangeable, `[<-` = unchangeable, `[[<-` = unchangeable,
  as.double = unknown, as.integer = unknown, as.logical = unknown, as.character = unknown, is.na = unknown,
  as.vector = unknown, as.list = unknown, unique = unknown, rep = unknown, rev = unknown, all.equal = unknown,
  length = function(x) misasked("the length of an answer is not known while questions are written; see length_of"),
  dim = function(x) misasked("the dimensions of an answer are not known while questions are written; see dim_of"),
  names = function(x) misasked("the names of an answer are not known while questions are written; see names_of"),
  print = function(x, ...) cat("<an answer that nobody knows yet>\n"),
  format = function(x, ...) "<an answer that nobody knows yet>"
)
register <- function() {
  for (name in names(promise_methods)) registerS3method(name, "statsclaw_answer", promise_methods[[name]], baseenv())
}

# ---- scenarios and calls --------------------------------------------------------------------------------------------

# No argument has a name, so none of an author's can be taken for it.
scenario <- function(...) {
  given <- list(...)
  if (length(given) < 2L || !is_single_text(given[[1L]]) || !are_named_functions(given[-1L])) {
    misasked('write scenario("S1", what_it_is_about = function() ...)')
  }
  for (i in seq_along(given)[-1L]) {
    row <- list(name = given[[1L]], case = names(given)[[i]], f = given[[i]], file = book$file, place = book$place)
    book$scenarios[[length(book$scenarios) + 1L]] <- row
  }
  invisible()
}
are_named_functions <- function(parts) {
  !is.null(names(parts)) && all(nzchar(names(parts))) && all(vapply(parts, is.function, NA))
}

ask <- function(...) {
  given <- list(...)
  labels <- names(given)
  if (is.null(labels)) labels <- character(length(given))
  called <- which(labels == "")
  on <- NULL
  if (length(called) && is_promise(given[[called[[1L]]]])) {
    on <- node_of(given[[called[[1L]]]])
    if (on$kind != "answer") misasked("a calculated value has no methods")
    given <- given[-called[[1L]]]
    labels <- labels[-called[[1L]]]
    called <- which(labels == "")
  }
  if (!length(called) || !is_single_text(given[[called[[1L]]]])) {
    misasked('a call begins with the name of a function: ask("fit", ...) or ask(fit, "predict", ...)')
  }
  row <- c(list(what = "call", `function` = given[[called[[1L]]]]), arguments_of(given[-called[[1L]]]))
  if (!is.null(on)) row$on <- on
  add_call(row)
}
arguments_of <- function(given) {
  labels <- names(given)
  if (is.null(labels)) labels <- character(length(given))
  if (anyDuplicated(labels[labels != ""])) misasked("an argument is given twice")
  given <- lapply(given, function(part) staying_lists(node(part)))
  named <- if (any(labels != "")) given[labels != ""] else empty_names()
  list(arguments = unname(given[labels == ""]), named = named)
}
whole_number <- function(x) if (abs(x) <= .Machine$integer.max) as.integer(x) else trunc(x)

seeded <- function(seed, answer) {
  id <- whole_call(answer)
  book$calls[[id + 1L]]$seed <- whole_number(seed)
  answer
}
generator <- function(seed, name = NULL) extra("generator", list(seed = whole_number(seed), name = name))
no_arguments <- list(arguments = list(), named = empty_names())
exports <- function() add_call(c(list(what = "exports", `function` = ""), no_arguments))
signature_of <- function(name) add_call(c(list(what = "signature", `function` = name), no_arguments))
text_of <- function(answer) {
  if (!is_promise(answer)) misasked("text_of wants an answer")
  add_call(list(what = "text", `function` = "", arguments = list(node_of(answer)), named = empty_names()))
}
whole_call <- function(answer) {
  found <- if (is_promise(answer)) node_of(answer)
  if (is.null(found) || found$kind != "answer" || length(found$value$path)) {
    misasked("this wants a whole call, not a part of its answer")
  }
  found$value$call
}

# ---- calculating with answers ---------------------------------------------------------------------------------------

along <- function(axis) if (!is.null(axis)) as.integer(axis) - 1L
reduced <- function(name, of, axis, ...) calculate(name, list(of), c(list(axis = along(axis)), list(...)))

spread <- function(name, of, axis, divisor) reduced(name, of, axis, divisor = as.integer(divisor))

rate <- function(of, axis = NULL) reduced("mean", of, axis)
total <- function(of, axis = NULL) reduced("total", of, axis)
smallest <- function(of, axis = NULL) reduced("smallest", of, axis)
largest <- function(of, axis = NULL) reduced("largest", of, axis)
length_of <- function(of) calculate("length", list(of))
dim_of <- function(of) calculate("shape", list(of))
names_of <- function(of) calculate("names", list(of))
sorted <- function(of) calculate("sorted", list(of))
transposed <- function(of) calculate("transposed", list(of))
matmul <- function(left, right) calculate("matmul", list(left, right))
eigenvalues_of <- function(of) calculate("eigenvalues", list(of))
solve_of <- function(left, right) {
  if (missing(right)) misasked("solve of an answer wants both sides: solve(a, b)")
  calculate("solve", list(left, right))
}
seconds_of <- function(answer) promise(extra("measured", list(call = whole_call(answer), what = "seconds")))
peak_of <- function(answer) promise(extra("measured", list(call = whole_call(answer), what = "peak")))

# The usual functions: of answers as above, of anything else as ever.
either <- function(of_answers, usual) {
  force(of_answers)
  force(usual)
  function(x, ...) if (holds_promise(x)) of_answers(x, ...) else usual(x, ...)
}
masks <- list(
  mean = either(function(x, axis = NULL) reduced("mean", x, axis), base::mean),
  median = either(function(x, axis = NULL) reduced("median", x, axis), stats::median),
  sd = either(function(x, axis = NULL, divisor = 1) spread("sd", x, axis, divisor), stats::sd),
  var = either(function(x, axis = NULL, divisor = 1) spread("var", x, axis, divisor), stats::var),
  quantile = either(function(x, probs, axis = NULL) reduced("quantile", x, axis, probability = probs), stats::quantile),
  cov = either(function(x) calculate("cov", list(x)), stats::cov),
  cor = either(function(x) calculate("cor", list(x)), stats::cor),
  colMeans = either(function(x) reduced("mean", x, 1L), base::colMeans),
  rowMeans = either(function(x) reduced("mean", x, 2L), base::rowMeans),
  colSums = either(function(x) reduced("total", x, 1L), base::colSums),
  rowSums = either(function(x) reduced("total", x, 2L), base::rowSums),
  sort = either(sorted, base::sort),
  t = either(transposed, base::t),
  diag = function(x = 1, ...) if (holds_promise(x)) calculate("diag", list(x)) else base::diag(x, ...),
  solve = function(a, b, ...) {
    if (holds_promise(a) || (!missing(b) && holds_promise(b))) solve_of(a, b) else base::solve(a, b, ...)
  },
  `%*%` = function(x, y) if (holds_promise(x) || holds_promise(y)) matmul(x, y) else base::`%*%`(x, y)
)

# ---- what is claimed ------------------------------------------------------------------------------------------------

claim_condition <- function(criterion, rule, answer, message, error) {
  text <- function(x) if (!is.null(x)) as.character(x)
  add_claim(criterion, rule, call = whole_call(answer), message = text(message), error = text(error))
}

claim_close <- function(criterion, observed, expected = NULL, part = "") {
  add_claim(criterion, "close", observed = observed, expected = expected, part = as.character(part))
}
claim_value <- function(criterion, observed) add_claim(criterion, "value", observed = observed)
claim_raises <- function(criterion, answer, message = NULL, error = NULL) {
  claim_condition(criterion, "raises", answer, message, error)
}
claim_warns <- function(criterion, answer, message = NULL, error = NULL) {
  claim_condition(criterion, "warns", answer, message, error)
}
claim_same <- function(criterion, observed, expected) {
  add_claim(criterion, "same", observed = observed, expected = expected)
}
claim_contains <- function(criterion, observed, fragment) {
  add_claim(criterion, "contains", observed = observed, expected = as.character(fragment))
}
claim_less <- function(criterion, smaller, larger) add_claim(criterion, "less", observed = smaller, expected = larger)
claim_between <- function(criterion, low, observed, high) {
  add_claim(criterion, "between", observed = observed, expected = list(low, high))
}
claim_finite <- function(criterion, observed) add_claim(criterion, "finite", observed = observed)
claim_untouched <- function(criterion, answer) add_claim(criterion, "untouched", call = whole_call(answer))
claim_repeatable <- function(criterion, answer) {
  book$calls[[whole_call(answer) + 1L]]$again <- TRUE
  add_claim(criterion, "repeatable", call = whole_call(answer))
}
claim_silent <- function(criterion, answer) add_claim(criterion, "silent", call = whole_call(answer))
claim_unchanged <- function(criterion, answer) add_claim(criterion, "unchanged", call = whole_call(answer))
claim_returns <- function(criterion, answer) add_claim(criterion, "returns", call = whole_call(answer))
claim_observe <- function(criterion, f, ...) {
  add_claim(criterion, "observe", `function` = top_level(substitute(f)), arguments = unname(list(...)))
}
claim_dialogue <- function(criterion, f, ...) {
  name <- top_level(substitute(f))
  for (one in criterion) {
    add_claim(one, "dialogue", `function` = name, arguments = unname(list(...)), together = as.list(criterion))
  }
}
top_level <- function(written) {
  name <- if (is.name(written)) as.character(written) else ""
  known <- nzchar(name) && exists(name, book$place, mode = "function", inherits = FALSE)
  # or from a file that was sourced
  if (!known && !(nzchar(name) && exists(name, globalenv(), mode = "function", inherits = FALSE))) {
    misasked("give a function that stands at the top level of the file, by its name")
  }
  name
}

author_names <- c(
  "scenario", "ask", "seeded", "generator", "exports", "signature_of", "text_of", "rate", "total", "smallest",
  "largest", "length_of", "dim_of", "names_of", "sorted", "transposed", "matmul", "eigenvalues_of", "solve_of",
  "seconds_of", "peak_of", "claim_close", "claim_value", "claim_raises", "claim_warns", "claim_same",
  "claim_contains", "claim_less", "claim_between", "claim_finite", "claim_unchanged", "claim_untouched",
  "claim_repeatable",
  "claim_silent", "claim_returns", "claim_observe", "claim_dialogue"
)
