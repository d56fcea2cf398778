module look

go 1.19
