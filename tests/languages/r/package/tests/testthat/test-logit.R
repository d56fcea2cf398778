test_that("windows slide", expect_equal(trailing_sums(1:4, 2), c(3, 5, 7)))

test_that("responses are 0 and 1", expect_error(logit_fit(c(0, 2, 1), cbind(1, 1:3)), "0 and 1"))
