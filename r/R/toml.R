# The few kinds of values that a study file holds.

toml_key <- function(key) if (grepl("^[A-Za-z0-9_-]+$", key)) key else toml_text(key)

toml_text <- function(text) {
  text <- gsub("\"", "\\\"", gsub("\\", "\\\\", enc2utf8(text), fixed = TRUE), fixed = TRUE)
  points <- utf8ToInt(text)
  control <- points < 32L | points == 127L
  words <- vapply(points, intToUtf8, "")
  words[control] <- sprintf("\\u%04X", points[control])
  paste0("\"", paste(words, collapse = ""), "\"")
}

# The shortest text that gives the same double again; whole numbers without a point.
toml_number <- function(number) {
  if (!is.finite(number)) stop("a study file holds finite numbers only, not ", number, call. = FALSE)
  if (number == round(number) && abs(number) < 2^53) return(sprintf("%.0f", number + 0))
  for (digits in 15:17) {
    text <- sprintf("%.*g", digits, number)
    if (as.numeric(text) == number) break
  }
  text
}

toml_scalar <- function(value) {
  if (is.factor(value)) value <- as.character(value)
  if (length(value) != 1L || is.na(value)) stop("a level, a truth or a bound must be one value, not NA", call. = FALSE)
  if (is.logical(value)) return(if (value) "true" else "false")
  if (is.character(value)) return(toml_text(value))
  if (is.numeric(value)) return(toml_number(value))
  stop("a study file holds numbers, texts and TRUE or FALSE, not ", class(value)[[1L]], call. = FALSE)
}

toml_array <- function(values) {
  if (is.factor(values)) values <- as.character(values)
  paste0("[", paste(vapply(values, toml_scalar, ""), collapse = ", "), "]")
}

toml_line <- function(key, value) paste(toml_key(key), "=", value)
