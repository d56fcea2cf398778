* What a command has left, exactly: run "results.do" FILE RETURN-CODE SAMPLE
*
* FILE is written with one item in a line. A text is a line with its length in bytes, and the text itself. Numbers have
* the format %21x. Records: rc; number, text and matrix of r(), e() and s(); column of the data; seconds; end.
* It runs after the command, so that a command that clears Mata clears nothing of this.

mata:

void statsclaw_text(real scalar file, string scalar text)
{
    fput(file, strofreal(strlen(text), "%15.0f"))
    fput(file, text)
}

void statsclaw_number(real scalar file, real scalar number)
{
    fput(file, strofreal(number, "%21x"))
}

void statsclaw_stripe(real scalar file, string matrix names)
{
    real scalar i

    for (i = 1; i <= rows(names); i++) {
        statsclaw_text(file, names[i, 1])
        statsclaw_text(file, names[i, 2])
    }
}

void statsclaw_kind(real scalar file, string scalar kind)
{
    string colvector names
    string scalar    full
    real matrix      found
    real scalar      i, j, k

    names = st_dir(kind, "numscalar", "*")
    for (i = 1; i <= rows(names); i++) {
        fput(file, "number " + kind)
        statsclaw_text(file, names[i])
        statsclaw_number(file, st_numscalar(substr(kind, 1, 2) + names[i] + ")"))
    }
    names = st_dir(kind, "macro", "*")
    for (i = 1; i <= rows(names); i++) {
        fput(file, "text " + kind)
        statsclaw_text(file, names[i])
        statsclaw_text(file, st_global(substr(kind, 1, 2) + names[i] + ")"))
    }
    if (kind == "s()") return
    names = st_dir(kind, "strscalar", "*")
    for (i = 1; i <= rows(names); i++) {
        fput(file, "text " + kind)
        statsclaw_text(file, names[i])
        statsclaw_text(file, st_strscalar(substr(kind, 1, 2) + names[i] + ")"))
    }
    names = st_dir(kind, "matrix", "*")
    for (i = 1; i <= rows(names); i++) {
        full = substr(kind, 1, 2) + names[i] + ")"
        found = st_matrix(full)
        fput(file, "matrix " + kind)
        statsclaw_text(file, names[i])
        fput(file, strofreal(rows(found), "%15.0f"))
        fput(file, strofreal(cols(found), "%15.0f"))
        statsclaw_stripe(file, st_matrixrowstripe(full))
        statsclaw_stripe(file, st_matrixcolstripe(full))
        for (j = 1; j <= rows(found); j++) {
            for (k = 1; k <= cols(found); k++) statsclaw_number(file, found[j, k])
        }
    }
}

void statsclaw_columns(real scalar file)
{
    string colvector texts
    real colvector   numbers
    real scalar      i, j

    for (j = 1; j <= st_nvar(); j++) {
        fput(file, st_isnumvar(j) ? "column numbers" : "column texts")
        statsclaw_text(file, st_varname(j))
        fput(file, strofreal(st_nobs(), "%15.0f"))
        if (st_nobs() == 0) continue
        if (st_isnumvar(j)) {
            numbers = st_data(., j)
            for (i = 1; i <= rows(numbers); i++) statsclaw_number(file, numbers[i])
        }
        else {
            texts = st_sdata(., j)
            for (i = 1; i <= rows(texts); i++) statsclaw_text(file, texts[i])
        }
    }
}

void statsclaw_results(string scalar place, string scalar rc)
{
    real scalar file

    file = fopen(place, "w")
    fput(file, "rc")
    fput(file, rc)
    statsclaw_kind(file, "r()")
    statsclaw_kind(file, "e()")
    statsclaw_kind(file, "s()")
    statsclaw_columns(file)
    fclose(file)
}

void statsclaw_finish(string scalar place, string scalar sample)
{
    real colvector numbers
    real scalar    file, i

    file = fopen(place, "a")
    if (sample != "") {
        fput(file, "sample")
        fput(file, strofreal(st_nobs(), "%15.0f"))
        if (st_nobs() > 0) {
            numbers = st_data(., sample)
            for (i = 1; i <= rows(numbers); i++) statsclaw_number(file, numbers[i])
        }
    }
    fput(file, "seconds")
    statsclaw_number(file, rows(st_numscalar("r(t100)")) ? st_numscalar("r(t100)") : 0)
    fput(file, "end")
    fclose(file)
}

end

mata: statsclaw_results(`"`1'"', "`2'")
if "`3'" == "sample" {
    tempvar sample
    capture generate byte `sample' = e(sample)
    if _rc local sample ""
}
quietly timer list 100
mata: statsclaw_finish(`"`1'"', "`sample'")
