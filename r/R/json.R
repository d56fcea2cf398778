# JSON as the engine writes it, with NaN and Infinity. Objects and arrays become lists, null becomes NULL.
read_json <- function(text) {
  token <- "\"(?:[^\"\\\\]|\\\\.)*\"|[][{}:,]|-?[A-Za-z0-9.+-]+"
  tokens <- regmatches(text, gregexpr(token, text, perl = TRUE))[[1L]]
  at <- 0L
  following <- function() {
    at <<- at + 1L
    tokens[[at]]
  }
  value <- function(token = following()) {
    switch(substr(token, 1L, 1L), "{" = object(), "[" = array(), "\"" = string(token), scalar(token))
  }
  object <- function() {
    found <- list()
    while ((token <- following()) != "}") {
      if (token == ",") next
      at <<- at + 1L # the colon
      found[string(token)] <- list(value())
    }
    found
  }
  array <- function() {
    found <- list()
    while ((token <- following()) != "]") if (token != ",") found[length(found) + 1L] <- list(value(token))
    found
  }
  scalar <- function(token) {
    switch(token, true = TRUE, false = FALSE, null = NULL, "NaN" = NaN, Infinity = Inf, "-Infinity" = -Inf,
      as.numeric(token)
    )
  }
  value()
}

string <- function(token) {
  text <- substr(token, 2L, nchar(token) - 1L)
  if (!grepl("\\", text, fixed = TRUE)) return(text)
  # R reads the same escapes, but for \/ and the pairs of characters beyond the first plane
  pairs <- "\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}"
  while ((place <- regexpr(pairs, text)) > 0L) {
    pair <- regmatches(text, place)
    halves <- strtoi(c(substr(pair, 3L, 6L), substr(pair, 9L, 12L)), 16L)
    regmatches(text, place) <- intToUtf8(0x10000 + (halves[[1L]] - 0xD800) * 0x400 + halves[[2L]] - 0xDC00)
  }
  eval(str2lang(paste0("\"", gsub("\\/", "/", text, fixed = TRUE), "\"")), baseenv())
}
