test_that("mean works", { expect_equal(plain_mean(c(1, 3)), 2) })
