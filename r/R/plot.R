mc_plot <- function(study, metric = NULL, format = "png", folder = NULL, out = NULL, open = interactive()) {
  if (!is.null(metric)) return(plot_metric(mc_summary(study, metric = metric, out = out), metric))
  lines <- engine(c("figures", study_file(study), out_of(out), "--format", format,
    if (!is.null(folder)) c("--folder", path.expand(folder))))
  if (open && length(lines)) browseURL(paste0("file://", normalizePath(lines[[1L]])))
  invisible(as.character(lines))
}

# One metric, a row for each cell and a symbol for each method, with twice its Monte Carlo error on either side.
plot_metric <- function(rows, metric) {
  cells <- unique(rows$cell_name)
  series <- paste0(rows$method, ifelse(is.na(rows$parameter), "", paste0(", ", rows$parameter)))
  kinds <- unique(series)
  error <- ifelse(is.na(rows$mcse), 0, rows$mcse)
  low <- rows$value - 2 * error
  high <- rows$value + 2 * error
  shift <- (match(series, kinds) - (length(kinds) + 1) / 2) * 0.6 / length(kinds)
  at <- match(rows$cell_name, rev(cells)) - shift
  colours <- palette.colors(max(2L, length(kinds)))
  old <- par(mar = c(4.5, 2 + 0.55 * max(nchar(cells)), 2.5, 1))
  on.exit(par(old))
  plot(range(c(low, high), na.rm = TRUE), c(0.5, length(cells) + 0.5), type = "n", yaxt = "n", ylab = "",
    xlab = paste(metric, "\u00b1 2 Monte Carlo standard errors"))
  axis(2, seq_along(cells), rev(cells), las = 1, tick = FALSE)
  if (metric %in% c("bias", "relative_bias", "median_bias", "difference")) abline(v = 0, lty = 3)
  segments(low, at, high, at, col = colours[match(series, kinds)], lwd = 2)
  points(rows$value, at, pch = 14L + match(series, kinds), col = colours[match(series, kinds)])
  legend("top", kinds, pch = 14L + seq_along(kinds), col = colours[seq_along(kinds)], horiz = TRUE, bty = "n",
    inset = c(0, -0.09), xpd = TRUE)
  invisible(rows)
}
