*! version 1.0.0
* The mean of a variable, its standard error and limits.
program define semean, rclass
    version 14
    syntax varname(numeric) [if] [in] [, Level(real 95)]
    if `level' <= 0 | `level' >= 100 {
        display as error "level() must lie between 0 and 100"
        exit 198
    }
    marksample touse
    quietly summarize `varlist' if `touse'
    if r(N) < 2 {
        display as error "at least two numbers are needed"
        exit 2001
    }
    tempname n mean se z limits
    scalar `n' = r(N)
    scalar `mean' = r(mean)
    scalar `se' = r(sd) / sqrt(`n')
    scalar `z' = invnormal((1 + `level' / 100) / 2)
    matrix `limits' = (`mean' - `z' * `se', `mean' + `z' * `se')
    matrix colnames `limits' = low high
    display as text "mean " as result `mean'
    return scalar N = `n'
    return scalar mean = `mean'
    return scalar se = `se'
    return matrix limits = `limits'
end
