library(testthat)
library(rpkg)
test_check("rpkg")
