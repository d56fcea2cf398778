module example.org/smooth/kernreg

go 1.19
