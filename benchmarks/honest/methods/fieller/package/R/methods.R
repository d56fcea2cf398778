#' Pieces of a confidence set for a ratio
#'
#' Gives the connected pieces of a confidence set for a ratio, at the level of
#' the object or at another one.
#'
#' For another \code{level} than that of the object the set is computed anew
#' with the same estimates, variances, degrees of freedom and method. It is an
#' error when \code{level} is not a single number between 0 and 1, or when the
#' squared quantile of Student's t is not finite at this level.
#'
#' @param object an object of class \code{"ratioci"}, from
#'   \code{\link{ratio_ci}}, \code{\link{ratio_means}} or
#'   \code{\link{ratio_coef}}.
#' @param parm ignored, as there is one ratio only.
#' @param level confidence level.
#' @param ... ignored.
#'
#' @return A numeric matrix with the columns \code{lower} and \code{upper}, no
#'   row names, and one row for each connected piece of the set: one row for an
#'   interval, a half-line and the line, two rows for a complement
#'   (\code{-Inf} to the first limit; the second limit to \code{Inf}).
#'
#' @references
#' Fieller, E. C. (1954). Some problems in interval estimation.
#' \emph{Journal of the Royal Statistical Society, Series B}, 16, 175-185.
#'
#' @seealso \code{\link{ratio_ci}} for the types of set.
#'
#' @examples
#' set <- ratio_ci(a = 2, b = 1, vaa = 0.04, vbb = 0.2)
#' confint(set)
#' confint(set, level = 0.99)
#' @importFrom stats confint
#' @export
confint.ratioci <- function(object, parm = NULL, level = object$level, ...) {
  level <- check_level(level)
  if (level != object$level) {
    object <- ratio_set(object$a, object$b, object$vaa, object$vbb,
                        object$vab, object$df, level, object$method)
  }
  ends <- object$limits
  if (object$type == "complement") {
    ends <- c(-Inf, ends, Inf)
  }
  matrix(ends, ncol = 2L, byrow = TRUE,
         dimnames = list(NULL, c("lower", "upper")))
}

#' Print a confidence set for a ratio
#'
#' Writes three lines: the estimated ratio; the level, the method, the type of
#' the set and the set; g and the degrees of freedom.
#'
#' The set is written \code{[L, U]} for an interval, \code{(-Inf, L] or
#' [U, Inf)} for a complement, \code{[L, Inf)} or \code{(-Inf, U]} for a
#' half-line and \code{(-Inf, Inf)} for the line.
#'
#' @param x an object of class \code{"ratioci"}, from \code{\link{ratio_ci}},
#'   \code{\link{ratio_means}} or \code{\link{ratio_coef}}.
#' @param digits number of significant digits; each number is written by
#'   \code{format(number, digits = digits)}.
#' @param ... ignored.
#'
#' @return The object, invisibly.
#'
#' @references
#' Fieller, E. C. (1954). Some problems in interval estimation.
#' \emph{Journal of the Royal Statistical Society, Series B}, 16, 175-185.
#'
#' @seealso \code{\link{ratio_ci}} for the types of set and for g.
#'
#' @examples
#' print(ratio_ci(a = 2, b = 1, vaa = 0.04, vbb = 1), digits = 3)
#' @export
print.ratioci <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  write <- function(number) format(number, digits = digits)
  lower <- write(x$limits[[1L]])
  upper <- write(x$limits[[2L]])
  set <- switch(
    x$type,
    interval = paste0("[", lower, ", ", upper, "]"),
    complement = paste0("(-Inf, ", lower, "] or [", upper, ", Inf)"),
    "half-line" = if (is.finite(x$limits[[1L]])) {
      paste0("[", lower, ", Inf)")
    } else {
      paste0("(-Inf, ", upper, "]")
    },
    line = "(-Inf, Inf)"
  )
  cat(
    "Ratio: ", write(x$estimate), "\n",
    write(100 * x$level), "% confidence set (", x$method, ", ", x$type, "): ",
    set, "\n",
    "g = ", write(x$g), ", df = ", write(x$df), "\n",
    sep = ""
  )
  invisible(x)
}
