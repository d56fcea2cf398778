library(testthat)
library(logitse)

test_check("logitse")
