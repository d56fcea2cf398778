clear
set obs 3
generate double y = _n
semean y
assert r(mean) == 2
