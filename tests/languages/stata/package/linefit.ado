*! version 1.0.0
* The least squares line through two variables, the response first.
program define linefit, eclass
    version 14
    syntax varlist(min=2 max=2 numeric) [if] [in]
    marksample touse
    tokenize `varlist'
    quietly correlate `1' `2' if `touse', covariance
    if r(N) < 2 {
        display as error "at least two numbers are needed"
        exit 2001
    }
    tempname n slope my b
    scalar `n' = r(N)
    scalar `slope' = r(cov_12) / r(Var_2)
    quietly summarize `1' if `touse'
    scalar `my' = r(mean)
    quietly summarize `2' if `touse'
    matrix `b' = (`slope', `my' - `slope' * r(mean))
    matrix colnames `b' = `2' _cons
    ereturn post `b', esample(`touse')
    ereturn scalar N = `n'
    ereturn local depvar "`1'"
    ereturn local cmd "linefit"
end
