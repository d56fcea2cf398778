library(testthat)
library(statsclaw)

test_check("statsclaw")
