module example.org/several/words

go 1.18

require example.org/dense v1.0.0

replace example.org/dense => ./dense
