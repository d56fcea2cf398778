// Package validation asks this package the questions of its validation, and compares what it answers.
//
// They were made from the frozen criteria of the package's specification; all numbers stand in testdata/questions.json.
// A change of the package that breaks a test here changes results. It needs Go 1.19 or newer and a shell:
//
//	go test ./tests/validation
package validation

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// result is what the program writes of each case: one line before it is asked, one behind it.
type result struct {
	Name, Skip, Wrong string
	Done              bool
}

func TestValidation(t *testing.T) {
	root, folder := found(t)
	program := built(t, root, folder)
	compared := 0
	for _, row := range results(t, program, root) {
		row := row
		t.Run(row.Name, func(t *testing.T) {
			if row.Skip != "" {
				t.Skip(row.Skip)
			}
			compared++
			if row.Wrong != "" {
				t.Error(row.Wrong)
			}
		})
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// found are the folders of the module and, below it, of the package that is asked.
func found(t *testing.T) (string, string) {
	root, err := os.Getwd()
	for err == nil && !exists(filepath.Join(root, "go.mod")) {
		if filepath.Dir(root) == root {
			t.Fatal("there is no go.mod above this file")
		}
		root = filepath.Dir(root)
	}
	require(t, err)
	data, err := os.Open("testdata/questions.json")
	require(t, err)
	defer data.Close()
	lines := bufio.NewScanner(data)
	lines.Scan()
	lines.Scan()
	name := regexp.MustCompile(`"package": "(\w+)"`).FindStringSubmatch(lines.Text())
	if name == nil {
		t.Fatal("testdata/questions.json does not begin with the name of the package")
	}
	clause := regexp.MustCompile(`(?m)^package[ \t]+` + name[1] + `\b`)
	folders := []string{}
	require(t, filepath.WalkDir(root, func(path string, row fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if row.IsDir() {
			isApart := strings.ContainsAny(row.Name()[:1], "._") || row.Name() == "vendor" || row.Name() == "testdata"
			if path != root && (isApart || exists(filepath.Join(path, "go.mod"))) {
				return fs.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path) // also tells go test on which files the result depends
		isSource := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
		if err == nil && isSource && clause.Match(text) && !contains(folders, filepath.Dir(path)) {
			folders = append(folders, filepath.Dir(path))
		}
		return nil
	}))
	for _, folder := range folders {
		if folder == root || filepath.Base(folder) == name[1] {
			folders = []string{folder}
		}
	}
	if len(folders) != 1 {
		t.Fatalf("the package %s is in %d folders of the module", name[1], len(folders))
	}
	below, err := filepath.Rel(root, folders[0])
	require(t, err)
	return root, filepath.ToSlash(below)
}

// built is a program of the package, of what it exports, and of the files in testdata/program.
func built(t *testing.T, root, folder string) string {
	place, scratch := t.TempDir(), t.TempDir()
	for from, to := range map[string]string{"program": "source", "look": "look"} {
		require(t, os.Mkdir(filepath.Join(place, to), 0o755))
		rows, err := os.ReadDir(filepath.Join("testdata", from))
		require(t, err)
		for _, row := range rows {
			text, err := os.ReadFile(filepath.Join("testdata", from, row.Name()))
			require(t, err)
			require(t, os.WriteFile(filepath.Join(place, to, row.Name()), text, 0o644))
		}
	}
	build := exec.Command("sh", "testdata/build.sh", root, place, scratch, folder)
	build.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -buildvcs=false")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the package could not be made ready to be asked: %v\n%s", err, said)
	}
	return filepath.Join(place, "worker")
}

// results begins the program again behind a case in which it ended.
func results(t *testing.T, program, root string) []result {
	rows := []result{}
	data, err := filepath.Abs("testdata/questions.json")
	require(t, err)
	for {
		written := filepath.Join(t.TempDir(), "results")
		asking := exec.Command(program, data, written, fmt.Sprint(len(rows)))
		asking.Env = append(os.Environ(), "GODEBUG=randseednop=0")
		asking.Dir = t.TempDir()
		said, failed := asking.CombinedOutput()
		text, err := os.ReadFile(written)
		if err != nil {
			t.Fatalf("the package could not be asked: %v\n%s", failed, said)
		}
		begun := len(rows)
		for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			row := result{}
			if json.Unmarshal([]byte(line), &row) != nil {
				continue
			}
			if row.Done {
				rows[len(rows)-1] = row
			} else {
				rows = append(rows, row)
			}
		}
		last := len(rows) - 1
		if last < 0 || (rows[last].Done && failed == nil) {
			return rows
		}
		if len(rows) == begun || rows[last].Done {
			t.Fatalf("the package could not be asked: %v", failed)
		}
		rows[last].Wrong = fmt.Sprintf("its process ended: %v", failed)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func contains(rows []string, wanted string) bool {
	for _, row := range rows {
		if row == wanted {
			return true
		}
	}
	return false
}

func require(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
