# The engine is another program. Everything that is said to it and heard from it goes through here.

engine_command <- function() {
  named <- getOption("statsclaw.command", Sys.getenv("STATSCLAW"))
  found <- Sys.which(if (nzchar(named)) path.expand(named) else "statsclaw")
  if (nzchar(found)) return(unname(found))
  where <- if (nzchar(named)) sprintf("there is no program '%s'", named) else "the program 'statsclaw' is not on the PATH"
  engine_stop(paste0(
    where, ". Install it with Python 3.11 or newer (pip install ./statsclaw, its checkout), or say where it is: ",
    "options(statsclaw.command = \"/path/to/statsclaw\") or the environment variable STATSCLAW."
  ), 8L)
}

engine_stop <- function(line, status) {
  classes <- c("statsclaw_error", "error", "condition")
  stop(structure(class = classes, list(message = line, call = NULL, status = status)))
}

# What `statsclaw mc ...` prints. `tell`: is given every line as soon as it is there. `allowed`: exit statuses that are
# no errors. Notes of the engine become messages, its one line about an error becomes an R condition.
engine <- function(arguments, tell = NULL, allowed = 0L) {
  command <- engine_command()
  said <- tempfile("statsclaw-")
  on.exit(unlink(said))
  old <- with_this_r()
  on.exit(restore(old), add = TRUE)
  words <- shQuote(c(command, "mc", arguments))
  lines <- character()
  open <- pipe(paste(paste(words, collapse = " "), "2>", shQuote(said)), encoding = "UTF-8")
  on.exit(if (!is.null(open)) close(open), add = TRUE)
  if (is.null(tell)) {
    lines <- readLines(open, warn = FALSE)
  } else {
    open(open, "r")
    while (length(line <- readLines(open, n = 1L, warn = FALSE))) {
      lines <- c(lines, line)
      tell(line)
    }
  }
  ended <- close(open)
  open <- NULL
  status <- if (is.null(ended)) 0L else as.integer(ended)
  if (status > 255L) status <- status %/% 256L
  spoken <- readLines(said, warn = FALSE, encoding = "UTF-8")
  for (note in grep("^note: ", spoken, value = TRUE)) message(in_r(note))
  if (!status %in% allowed) {
    wrong <- sub("^(internal )?error: ", "", grep("^(internal )?error: ", spoken, value = TRUE))
    other <- c(spoken[nzchar(spoken)], sprintf("%s ended with status %d", command, status))
    engine_stop(in_r(if (length(wrong)) wrong[[1L]] else paste(other, collapse = " ")), status)
  }
  structure(lines, status = status)
}

# What the engine says, in the words of R: options of its command line are arguments here, its commands are functions.
in_r <- function(text) {
  functions <- "run|summary|verdict|failures|figures|replay|export|table|report|plan|compare|status|sbc"
  text <- gsub("`?statsclaw mc ([a-z]+) --help`?", "?mc_\\1", text)
  text <- sub("?mc_figures", "?mc_plot", text, fixed = TRUE)
  text <- gsub("'--([a-z]+)'(?: / '-[a-z]')?", "`\\1`", text, perl = TRUE)
  # statsclaw mc run s.toml --redo
  command <- sprintf("`?statsclaw mc (%s) ('[^']*'|[^ `;]*[^ `;.,])((?: --[a-z-]+(?: (?:'[^']*'|[^- (;`'][^ ;`]*(?<![.,])))?)*)`?", functions)
  while ((place <- regexpr(command, text, perl = TRUE)) > 0L) {
    found <- regmatches(text, place)
    words <- regmatches(found, regexec(command, found, perl = TRUE))[[1L]]
    name <- sub("^figures$", "plot", words[[2L]])
    options <- gsub(" (--[a-z-]+)", ", \\1", words[[4L]])
    regmatches(text, place) <- sprintf("mc_%s(\"%s\"%s)", name, gsub("'", "", words[[3L]]), arguments_of(options))
  }
  text <- gsub("--json and --format csv give both", "mc_summary() gives both", text, fixed = TRUE)
  text <- gsub("add a [[criterion]] to its file", "add criteria = list(mc_criterion(...)) to mc_study()", text, fixed = TRUE)
  text <- gsub("statsclaw mc new STUDY.py writes one to start from", "mc_study() writes one", text, fixed = TRUE)
  text <- gsub("return Estimate(draws=\u2026) and write truth={\"mu\": lambda data, cell: data[\"mu\"]}",
    "return list(mu = list(draws = ...)) and write truth = list(mu = function(data, cell) data$mu)", text, fixed = TRUE)
  text <- gsub("give another --to", "give another `file`", text, fixed = TRUE)
  arguments_of(text)
}

arguments_of <- function(text) {
  text <- gsub("--(apart|redo|accept|sequential)\\b", "\\1 = TRUE", text, perl = TRUE)
  text <- gsub("--go-on\\b", "go_on = TRUE", text, perl = TRUE)
  text <- gsub("--(replications|workers) ([0-9]+)", "\\1 = \\2", text, perl = TRUE)
  text <- gsub("--rep ([0-9]+)", "replication = \\1", text, perl = TRUE)
  text <- gsub("--(cell|method) (?:'([^']*)'|([^ ;,`)'][^ ;`)]*))(?<![,.])", "\\1 = \"\\2\\3\"", text, perl = TRUE)
  gsub("--out (?!or\\b)([^ ;,`)]+[^ ;,`).])", "out = \"\\1\"", gsub("with --out(?=[,;. ]|$)", "with `out`", text, perl = TRUE),
    perl = TRUE)
}

# A study runs in this R, with the packages that are seen here. The engine itself must not be given R's own libraries
# first: another Python may find its own among them.
with_this_r <- function() {
  old <- Sys.getenv(c("PATH", "R_LIBS", "R_TESTS", "LD_LIBRARY_PATH"), unset = NA)
  Sys.setenv(
    PATH = paste(R.home("bin"), old[["PATH"]], sep = .Platform$path.sep),
    R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep)
  )
  Sys.unsetenv("R_TESTS") # of R CMD check, which another R would obey
  left <- old[["LD_LIBRARY_PATH"]]
  own <- libraries_of_r()
  # an R that was started by an R has them twice
  while (length(own) && nzchar(own) && !is.na(left) && startsWith(left, own)) {
    left <- sub("^:", "", substring(left, nchar(own) + 1L))
  }
  if (!is.na(left)) if (nzchar(left)) Sys.setenv(LD_LIBRARY_PATH = left) else Sys.unsetenv("LD_LIBRARY_PATH")
  old
}

# What R puts before LD_LIBRARY_PATH when it starts.
libraries_of_r <- function() {
  script <- file.path(R.home("etc"), "ldpaths")
  if (!file.exists(script)) return(character())
  system2("env", c("-u", "LD_LIBRARY_PATH", paste0("R_HOME=", shQuote(R.home())), "sh", "-c",
    shQuote(paste0(". ", shQuote(script), "; echo $LD_LIBRARY_PATH"))), stdout = TRUE, stderr = FALSE)
}

restore <- function(old) {
  for (name in names(old)) {
    if (is.na(old[[name]])) Sys.unsetenv(name) else do.call(Sys.setenv, as.list(old[name]))
  }
}

# The file of a study, whether it is given as a path or as what mc_study() returned.
study_file <- function(study) {
  file <- if (inherits(study, "mc_study")) study$file else study
  if (!is.character(file) || length(file) != 1L || is.na(file)) {
    stop("`study` must be what mc_study() returned, or the path of a study file", call. = FALSE)
  }
  path.expand(file)
}

out_of <- function(out) if (!is.null(out)) c("--out", path.expand(out))
