library(testthat)
library(probitr)

test_check("probitr")
