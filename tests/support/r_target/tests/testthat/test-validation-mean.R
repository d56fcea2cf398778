library(rpkg); test_that("mean of constants is the constant", { expect_equal(plain_mean(c(2, 2)), 2) })
