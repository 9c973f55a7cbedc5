package corpus_test

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// checkFormat requires that go/format leaves every Go file below a folder as it is.
func checkFormat(t *testing.T, dir string) {
	files := tree(t, dir).Only(func(path string) bool { return strings.HasSuffix(path, ".go") })
	paths := make(chan string)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for path := range paths {
				checkFile(t, dir, path)
			}
		})
	}
	for path := range files {
		paths <- path
	}
	close(paths)
	wait.Wait()
}

func checkFile(t *testing.T, dir, path string) {
	body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		t.Error(err)
		return
	}
	formatted, err := format.Source(body)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	if !bytes.Equal(formatted, body) {
		t.Errorf("%s is not in gofmt's form from line %d on", path, firstDifference(body, formatted))
	}
}

// firstDifference is the number of the first line that differs.
func firstDifference(a, b []byte) int {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return 1 + bytes.Count(a[:same], []byte("\n"))
}
