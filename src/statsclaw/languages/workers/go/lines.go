package main

import (
	"fmt"
	"os"
	"strings"
)

// counted is a file of the package whose statements are counted by `go tool cover`. places: first line, last line and
// columns of each block.
type counted struct {
	path   string
	counts []uint32
	places []uint32
}

// counters are there where count.sh has made this program.
var counters []counted

// tellLines writes which lines were executed, of all that hold code.
func tellLines(place string) {
	if place == "" {
		return
	}
	var files []string
	for _, file := range counters {
		var rows []string
		for block, count := range file.counts {
			for line := file.places[3*block]; line <= file.places[3*block+1]; line++ {
				rows = append(rows, fmt.Sprintf("[%d, %d]", line, count))
			}
		}
		files = append(files, fmt.Sprintf("%q: [%s]", file.path, strings.Join(rows, ", ")))
	}
	text := "{\"lines\": {" + strings.Join(files, ", ") + "}}\n"
	exitOn(os.WriteFile(fmt.Sprintf("%s-%d.json", place, os.Getpid()), []byte(text), 0o600))
}
