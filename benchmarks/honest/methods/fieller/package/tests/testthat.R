library(testthat)
library(ratioci)

test_check("ratioci")
