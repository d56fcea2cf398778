# Plain values as bytes, so that every number arrives exactly as it was: the R side of statsclaw_wire.py.
# The format is in docs/reference/worker-protocol.md. Base R only. The file is sourced into an environment below
# baseenv(), so nothing that a package or an author defines reaches it.
#
#   encode(value)     a raw vector
#   decode(bytes)     lists stay lists, further kinds become `extra(kind, value)`
#   restored(value)   what was decoded, as an R program would have it
#   send(connection, value), receive(connection)    frames; NULL where the other side has closed

DEEPEST <- 60L
MISSING_TEXT <- -1L

extra <- function(kind, value) structure(list(kind = kind, value = value), class = "statsclaw_extra")
is_extra <- function(value) inherits(value, "statsclaw_extra")
empty_names <- function() structure(list(), names = character())

unsendable <- function(what) {
  stop(structure(class = c("unsendable", "error", "condition"), list(message = what, call = NULL)))
}
garbled <- function(what) {
  stop(structure(class = c("garbled", "error", "condition"), list(message = what, call = NULL)))
}

send <- function(connection, value) {
  bytes <- encode(value)
  writeBin(c(long_bytes(length(bytes)), bytes), connection)
  flush(connection)
}

receive <- function(connection) {
  size <- readBin(connection, "integer", 2L, size = 4L, endian = "little")
  if (length(size) < 2L) return(NULL)
  if (size[[2L]] != 0L || is.na(size[[1L]]) || size[[1L]] < 0L) garbled("a frame of two gigabytes or more")
  bytes <- readBin(connection, "raw", size[[1L]])
  if (length(bytes) < size[[1L]]) NULL else decode(bytes)
}

# ---- writing --------------------------------------------------------------------------------------------------------

encode <- function(value) unlist(written(value, 0L), use.names = FALSE)
# A value that is part of another one later: its bytes, which are then taken as they are.
encoded_before <- function(value) structure(encode(value), class = "statsclaw_written")

int_bytes <- function(x) writeBin(as.integer(x), raw(), size = 4L, endian = "little")
double_bytes <- function(x) writeBin(as.double(x), raw(), size = 8L, endian = "little")
# int64 from whole numbers below 2^53
long_bytes <- function(x) {
  high <- floor(x / 2^32)
  low <- x - high * 2^32
  words <- c(ifelse(low >= 2^31, low - 2^32, low), high)
  # -2^31 is R's missing integer, whose bytes are those of -2^31
  words[words == -2^31] <- NA
  writeBin(as.integer(words), raw(), size = 4L, endian = "little")
}
as_utf8 <- function(texts) {
  texts <- enc2utf8(texts)
  bad <- !is.na(texts) & !validUTF8(texts)
  if (any(bad)) texts[bad] <- iconv(texts[bad], "UTF-8", "UTF-8", sub = "byte")
  texts
}
text_bytes <- function(text) {
  if (is.na(text)) return(int_bytes(MISSING_TEXT))
  bytes <- charToRaw(as_utf8(text))
  c(int_bytes(length(bytes)), bytes)
}
# Many texts at once: where each length and each text begins is known before anything is copied.
texts_bytes <- function(texts) {
  if (!length(texts)) return(raw())
  missing <- is.na(texts)
  texts <- as_utf8(texts)
  texts[missing] <- ""
  sizes <- nchar(texts, type = "bytes")
  out <- raw(sum(sizes) + 4 * length(texts))
  at <- cumsum(c(0, sizes[-length(sizes)] + 4))
  heads <- rep(at, each = 4L) + 1:4
  out[heads] <- int_bytes(ifelse(missing, MISSING_TEXT, sizes))
  content <- charToRaw(paste(texts, collapse = ""))
  if (length(content)) out[-heads] <- content
  out
}

written <- function(value, depth) {
  if (depth > DEEPEST) unsendable("a value that is nested too deeply")
  if (is.null(value)) return(charToRaw("n"))
  if (inherits(value, "statsclaw_written")) return(unclass(value))
  if (is_extra(value)) {
    value <- unclass(value)
    return(list(charToRaw("x"), text_bytes(value$kind), written(value$value, depth + 1L)))
  }
  kind <- of_a_kind(value)
  if (!is.null(kind)) return(written(kind, depth))
  if (is.list(value)) return(list_written(value, depth))
  if (!is.atomic(value)) unsendable(paste("a", class(value)[[1L]]))
  if (is.raw(value)) return(written(extra("bytes", paste(format(value), collapse = "")), depth))
  labels <- labels_of(value)
  if (!is.null(labels)) return(written(labelled(value, labels), depth))
  if (length(value) == 1L && is.null(dim(value))) return(single_written(value, depth))
  array_written(value)
}

# What R has and the format has as a further kind; nothing for anything else.
of_a_kind <- function(value) {
  if (!is.object(value)) return(NULL)
  if (isS4(value)) unsendable(paste("a", class(value)[[1L]]))
  if (inherits(value, "factor")) {
    codes <- as.integer(value)
    codes[is.na(codes)] <- 0L
    parts <- list(levels = as.list(levels(value)), codes = as_array(codes))
    if (is.ordered(value)) parts$ordered <- TRUE
    labels <- names(value)
    found <- extra("factor", parts)
    return(if (is.null(labels)) found else extra("named", list(value = found, names = as.list(labels))))
  }
  if (inherits(value, "formula")) return(extra("formula", paste(deparse(value, 500L), collapse = " ")))
  if (is.data.frame(value)) return(table_of(value))
  if (inherits(value, c("Date", "POSIXt", "difftime"))) unsendable(paste("a", class(value)[[1L]]))
  NULL
}

table_of <- function(value) {
  rows <- attr(value, "row.names")
  automatic <- .row_names_info(value) < 0L
  columns <- lapply(unclass(value), function(column) {
    if (is.atomic(column) && !is.object(column) && is.null(dim(column))) as_array(column) else column
  })
  attr(columns, "row.names") <- NULL
  if (anyDuplicated(names(columns))) unsendable("a table with two columns of the same name")
  if (!length(columns)) columns <- empty_names()
  extra("table", list(columns = columns, index = if (automatic && length(columns)) NULL else as.list(rows)))
}

# A vector that is sent as an array even where it has one element. Its own names do not count in a table.
as_array <- function(value) {
  structure(list(as.vector(value)), class = "statsclaw_array")
}

labels_of <- function(value) {
  if (length(dim(value)) > 1L) dimnames(value) else names(value)
}
labelled <- function(value, labels) {
  if (length(dim(value)) <= 1L) {
    parts <- list(value = as_array(value), names = as.list(labels))
  } else {
    axes <- names(labels)
    rows <- unname(lapply(labels, function(row) if (!is.null(row)) as.list(row)))
    parts <- list(value = array(value, dim(value)), names = rows)
    if (!is.null(axes)) parts$axes <- as.list(axes)
  }
  extra("named", parts)
}

# A list without names would arrive as a vector where it holds single values only. This says that it is a list.
staying_lists <- function(value) {
  if (typeof(value) != "list" || is_extra(value) || is.data.frame(value) || !is.null(dim(value))) return(value)
  found <- lapply(value, staying_lists)
  if (is.null(names(value)) && are_single(value)) extra("named", list(value = found, names = NULL)) else found
}

list_written <- function(value, depth) {
  if (inherits(value, "statsclaw_array")) return(array_written(unclass(value)[[1L]]))
  if (is.pairlist(value)) value <- as.list(value)
  if (!is.null(dim(value))) unsendable("a matrix of lists")
  labels <- names(value)
  parts <- lapply(unclass(value), written, depth + 1L)
  names(parts) <- NULL
  if (is.null(labels)) return(list(charToRaw("l"), int_bytes(length(parts)), parts))
  if (anyNA(labels) || any(labels == "") || anyDuplicated(labels)) {
    return(written(extra("named", list(value = unname(unclass(value)), names = as.list(labels))), depth))
  }
  list(charToRaw("m"), int_bytes(length(parts)), .mapply(function(label, part) list(text_bytes(label), part),
    list(labels, parts), NULL))
}

single_written <- function(value, depth) {
  switch(typeof(value),
    double = c(charToRaw("d"), double_bytes(value)),
    integer = if (is.na(value)) array_written(value) else c(charToRaw("i"), int_bytes(c(value, -(value < 0L)))),
    logical = if (is.na(value)) array_written(value) else charToRaw(if (value) "t" else "f"),
    character = c(charToRaw("s"), text_bytes(value)),
    complex = written(extra("complex", as_array(c(Re(value), Im(value)))), depth),
    unsendable(paste("a", typeof(value)))
  )
}

array_written <- function(value) {
  sizes <- if (is.null(dim(value))) length(value) else dim(value)
  if (length(sizes) > 1L) value <- aperm(array(value, sizes))
  value <- as.vector(value)
  letter <- switch(typeof(value), double = "d", integer = "j", logical = "l", complex = "z", character = "s",
    unsendable(paste("an array of", typeof(value))))
  elements <- switch(letter,
    d = double_bytes(value),
    j = int_bytes(value),
    l = logical_bytes(value),
    z = writeBin(value, raw(), endian = "little"),
    s = texts_bytes(value)
  )
  list(charToRaw(paste0("a", letter)), int_bytes(c(length(sizes), sizes)), elements)
}
logical_bytes <- function(value) {
  value <- as.integer(value)
  value[is.na(value)] <- 2L
  as.raw(value)
}

# ---- reading --------------------------------------------------------------------------------------------------------

decode <- function(bytes) {
  source <- rawConnection(bytes, "rb")
  on.exit(close(source))
  value <- read_value(source, 0L)
  if (length(readBin(source, "raw", 1L))) garbled("bytes are left over")
  value
}

read_raw <- function(source, size) {
  if (is.na(size) || size < 0L) garbled("a negative size")
  found <- readBin(source, "raw", size)
  if (length(found) < size) garbled("it ends too early")
  found
}
read_ints <- function(source, count) {
  found <- readBin(source, "integer", count, size = 4L, endian = "little")
  if (length(found) < count) garbled("it ends too early")
  found
}
read_count <- function(source) {
  count <- read_ints(source, 1L)
  if (is.na(count) || count < 0L) garbled("a negative number of parts")
  count
}
read_doubles <- function(source, count, size = 8L) {
  found <- readBin(source, "double", count, size = size, endian = "little")
  if (length(found) < count) garbled("it ends too early")
  found
}
read_text <- function(source) {
  size <- read_ints(source, 1L)
  if (identical(size, MISSING_TEXT)) return(NA_character_)
  bytes <- read_raw(source, size)
  if (any(bytes == as.raw(0L))) garbled("a text with a character that R does not have")
  text <- rawToChar(bytes)
  Encoding(text) <- "UTF-8"
  text
}
# int64: integers where all fit, else the nearest doubles
read_longs <- function(source, count) {
  words <- matrix(read_ints(source, 2 * count), 2L)
  low <- words[1L, ]
  high <- words[2L, ]
  if (!anyNA(words) && all(high == -(low < 0L))) return(low)
  unsigned <- as.double(low)
  unsigned[is.na(low)] <- 2^31
  unsigned <- ifelse(unsigned < 0, unsigned + 2^32, unsigned)
  high <- as.double(high)
  high[is.na(high)] <- -2^31
  high * 2^32 + unsigned
}

read_value <- function(source, depth) {
  if (depth > DEEPEST) garbled("it is nested too deeply")
  tag <- rawToChar(read_raw(source, 1L))
  switch(tag,
    n = NULL,
    t = TRUE,
    f = FALSE,
    i = read_longs(source, 1L),
    d = read_doubles(source, 1L),
    s = read_text(source),
    v = read_doubles(source, read_count(source)),
    a = read_array(source),
    l = read_list(source, depth),
    m = read_names(source, depth),
    x = extra(read_text(source), read_value(source, depth + 1L)),
    garbled(paste("an unknown tag", tag))
  )
}
read_list <- function(source, depth) lapply(seq_len(read_count(source)), function(i) read_value(source, depth + 1L))
read_names <- function(source, depth) {
  count <- read_count(source)
  labels <- character(count)
  values <- vector("list", count)
  for (i in seq_len(count)) {
    labels[[i]] <- read_text(source)
    value <- read_value(source, depth + 1L)
    if (!is.null(value)) values[[i]] <- value
  }
  names(values) <- labels
  values
}
read_array <- function(source) {
  letter <- rawToChar(read_raw(source, 1L))
  sizes <- read_ints(source, read_count(source))
  if (anyNA(sizes) || any(sizes < 0L)) garbled("an array of a negative size")
  count <- prod(sizes)
  value <- switch(letter,
    d = read_doubles(source, count),
    f = read_doubles(source, count, 4L),
    i = read_longs(source, count),
    j = read_ints(source, count),
    l = read_logicals(source, count),
    z = readBin(source, "complex", count, endian = "little"),
    s = vapply(seq_len(count), function(i) read_text(source), ""),
    garbled(paste("an array of", letter))
  )
  if (length(sizes) > 1L) aperm(array(value, rev(sizes))) else value
}
read_logicals <- function(source, count) {
  found <- as.integer(read_raw(source, count))
  found[found > 1L] <- NA
  as.logical(found)
}

# ---- as a program uses it -------------------------------------------------------------------------------------------

# `further(kind, value)` makes what is not known here. A list of single numbers, texts or truth values is a vector: that
# is what authors in other languages write for one.
restored <- function(value, further = NULL) {
  if (is_extra(value)) return(of_extra(value$kind, value$value, further))
  if (!is.list(value)) return(value)
  if (is.null(names(value)) && are_single(value)) return(if (length(value)) unlist(value) else numeric())
  lapply(value, restored, further)
}
are_single <- function(values) {
  kinds <- vapply(values, function(part) {
    single <- is.atomic(part) && length(part) == 1L && is.null(dim(part))
    if (!single) "" else if (is.numeric(part)) "number" else typeof(part)
  }, "")
  length(unique(kinds)) <= 1L && all(kinds %in% c("number", "character", "logical"))
}

of_extra <- function(kind, value, further) {
  inner <- function() restored(value, further)
  switch(kind,
    tuple = , set = , frozenset = , scalar = , fortran = , readonly = inner(),
    integer = hex_number(value),
    logical = as.logical(inner()),
    complex = of_complex(inner()),
    bytes = , bytearray = of_hex(value),
    pairs = of_pairs(value, further),
    masked = of_masked(lapply(value, restored, further)),
    factor = of_factor(value),
    formula = stats::as.formula(value, env = new.env(parent = globalenv())),
    table = of_table(value, further),
    series = of_series(value, further),
    named = of_named(value, further),
    if (is.null(further)) garbled(paste("an unknown kind", kind)) else further(kind, value)
  )
}

of_complex <- function(parts) complex(real = parts[[1L]], imaginary = parts[[2L]])
of_hex <- function(text) {
  if (text == "") return(raw())
  starts <- seq_len(nchar(text) %/% 2L) * 2L - 1L
  as.raw(strtoi(substring(text, starts, starts + 1L), 16L))
}
hex_number <- function(text) {
  digits <- strtoi(strsplit(sub("^-?0x", "", text), "")[[1L]], 16L)
  found <- Reduce(function(sum, digit) sum * 16 + digit, digits, 0)
  if (startsWith(text, "-")) -found else found
}
of_pairs <- function(rows, further) {
  found <- lapply(rows, function(row) restored(as.list(row)[[2L]], further))
  names(found) <- vapply(rows, function(row) as.character(restored(as.list(row)[[1L]], further)), "")
  found
}
of_masked <- function(parts) {
  parts[[1L]][parts[[2L]]] <- NA
  parts[[1L]]
}
of_factor <- function(parts) {
  codes <- as.integer(unlist(parts$codes))
  codes[codes == 0L] <- NA
  structure(codes, levels = as.character(unlist(parts$levels)),
    class = c(if (isTRUE(parts$ordered)) "ordered", "factor"))
}
of_named <- function(parts, further) {
  value <- parts$value
  # a list in here stays one
  value <- if (is.list(value) && !is_extra(value)) lapply(value, restored, further) else restored(value, further)
  if (is.null(dim(value))) {
    if (is.null(parts$names)) value <- as.list(value)
    if (!is.null(parts$names)) names(value) <- as.character(unlist(parts$names))
    return(value)
  }
  labels <- lapply(parts$names, function(row) if (!is.null(row)) as.character(unlist(row)))
  if (length(labels)) {
    if (!is.null(parts$axes)) names(labels) <- as.character(unlist(parts$axes))
    dimnames(value) <- labels
  }
  value
}
of_table <- function(parts, further) {
  columns <- lapply(parts$columns, of_column, further)
  index <- unlist(parts$index)
  count <- if (length(columns)) NROW(columns[[1L]]) else length(index)
  if (any(vapply(columns, NROW, 0L) != count)) garbled("a table with columns of different lengths")
  usable <- length(index) == count && !anyDuplicated(index) && !anyNA(index) && is.null(dim(index))
  rows <- .set_row_names(count)
  if (length(index) && usable) rows <- if (is.integer(index)) index else as.character(index)
  if (is.null(names(columns))) columns <- empty_names()
  structure(columns, row.names = rows, class = "data.frame")
}
# A column of objects: missing ones are nothing or not a number; with a text among them it is text.
of_column <- function(values, further) {
  if (!is.list(values) || is_extra(values)) return(restored(values, further))
  values <- lapply(values, restored, further)
  absent <- vapply(values, function(part) is.null(part) || (is.atomic(part) && length(part) == 1L && is.na(part)), NA)
  if (!all(vapply(values[!absent], function(part) is.atomic(part) && length(part) == 1L, NA))) return(I(values))
  values[absent] <- list(NA)
  found <- unlist(values)
  if (is.null(found) || all(absent)) as.character(found) else found
}
of_series <- function(parts, further) {
  value <- of_column(parts$values, further)
  index <- unlist(parts$index)
  if (is.character(index)) names(value) <- index
  value
}
