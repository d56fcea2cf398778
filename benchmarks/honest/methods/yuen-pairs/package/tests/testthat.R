library(testthat)
library(trimr)

test_check("trimr")
