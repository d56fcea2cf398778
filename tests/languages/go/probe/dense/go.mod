module example.org/dense

go 1.16
