*! version 1.0.0
* The fitted values of the last linefit in a new variable.
program define linefit_fitted
    version 14
    syntax newvarname
    tempname b
    matrix `b' = e(b)
    matrix score double `varlist' = `b'
end
