# Values without meaning: finite, signed, irregular, of the declared type and shape, another at every call. They depend
# on the arguments, on the number of the call in this process (not in a study, whose processes share the calls by chance)
# and on STATSCLAW_STANDIN, never on the state of R's generator. Everything lives above base alone, so that no function of
# the package can hide what is used here.
.standin <- base::local({
  calls <- new.env()
  calls$number <- 0

  got <- function(value) tryCatch(value, error = function(e) NULL)

  checksum <- function(value, depth = 0) {
    if (depth > 20) return(0)
    if (is.list(value)) {
      parts <- vapply(unclass(value), checksum, 0, depth = depth + 1)
      return(sum(parts * (seq_along(parts) %% 97 + 1)) %% 2147483647)
    }
    if (is.numeric(value) || is.logical(value)) {
      bytes <- as.integer(serialize(as.numeric(value), NULL, version = 2))
    } else {
      bytes <- utf8ToInt(paste(utils::head(deparse(value), 2000), collapse = ""))
    }
    sum(as.numeric(bytes) * (seq_along(bytes) %% 65521 + 1), na.rm = TRUE) %% 2147483647
  }

  # n numbers in [0, 1) that follow from `seed` and `stream`
  uniform <- function(n, seed, stream) {
    if (n == 0) return(numeric(0))
    (abs(sin((seed %% 99991) * 0.7390851 + seq_len(n) * 12.9898 + stream * 78.233)) * 43758.5453) %% 1
  }

  numbers <- function(n, seed) {
    ifelse(uniform(n, seed, 1) < 0.5, -1, 1) * 10^(0.5 + 3 * uniform(n, seed, 2))
  }

  size <- function(text, arguments) {
    found <- regmatches(text, regexec("^(rows|cols|length)?\\(?([A-Za-z0-9_.]+)\\)?( ?[+-] ?[0-9]+)?$", text))[[1]]
    if (length(found) != 4) return(3)
    base <- if (grepl("^[0-9]+$", found[3]) && found[2] == "") as.numeric(found[3]) else {
      value <- arguments[[found[3]]]
      if (found[2] == "length") length(value)
      else if (found[2] == "rows") NROW(value)
      else if (found[2] == "cols") NCOL(value)
      else if (is.numeric(value) && length(value) == 1 && is.finite(value) && value == round(value)) value
      else NA
    }
    if (is.na(base) || (found[2] != "" && is.null(value))) return(3)
    offset <- if (nzchar(found[4])) as.numeric(gsub(" ", "", found[4])) else 0
    max(0, base + offset)
  }

  sizes <- function(shape, arguments) {
    found <- vapply(as.character(shape), function(text) got(size(text, arguments)), 0, USE.NAMES = FALSE)
    if (prod(found) > 2e6) pmin(found, 3) else found
  }

  plain <- function(kind, n, seed) {
    if (kind == "integer") return(as.integer(round(numbers(n, seed))))
    if (kind == "boolean") return(uniform(n, seed, 3) < 0.5)
    if (kind == "text") return(sprintf("standin-%d", as.integer(uniform(n, seed, 4) * 1e9)))
    numbers(n, seed)
  }

  made <- function(declared, arguments, seed) {
    kind <- declared[[1]]
    if (kind == "none") return(NULL)
    if (kind == "object") {
      fields <- if (length(declared) > 3) declared[[4]] else list()
      found <- lapply(seq_along(fields), function(i) made(fields[[i]], arguments, seed + 31 * i))
      names(found) <- names(fields)
      if (!is.null(declared[[3]])) class(found) <- declared[[3]]
      return(found)
    }
    shape <- sizes(declared[[2]], arguments)
    if (kind == "table") {
      shape <- c(shape, 3, 3)[if (length(shape) >= 2) 1:2 else if (length(shape) == 1) c(1, 2) else 1:2]
      columns <- lapply(seq_len(shape[2]), function(i) numbers(shape[1], seed + 31 * i))
      names(columns) <- paste0("V", seq_along(columns))
      return(as.data.frame(columns, row.names = seq_len(shape[1])))
    }
    if (kind == "list") return(as.list(numbers(c(shape, 3)[1], seed)))
    if (length(shape) == 0) return(plain(kind, if (kind == "array") 3 else 1, seed))
    values <- plain(kind, prod(shape), seed)
    if (length(shape) == 1) values else array(values, dim = shape)
  }

  value <- function(label, declared, arguments) {
    if (!nzchar(Sys.getenv("STATSCLAW_REPLICATIONS"))) calls$number <- calls$number + 1
    salt <- paste(label, Sys.getenv("STATSCLAW_STANDIN"))
    told <- tryCatch(checksum(c(list(salt), arguments)), error = function(e) 0)
    made(declared, arguments, (told + 7919 * calls$number) %% 2147483647)
  }

  with_methods <- function(object, methods) {
    label <- class(object)
    object <- c(unclass(object)[setdiff(names(object), names(methods))], methods)
    class(object) <- label
    object
  }

  environment()
}, envir = base::new.env(parent = base::baseenv()))
