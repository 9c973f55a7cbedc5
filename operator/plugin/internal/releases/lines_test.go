package releases_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVersionIsLittleWork counts the hand-written lines of version 2 of the provider, without
// comments and blank lines. The design that this one follows needs some 770 lines for a version.
func TestVersionIsLittleWork(t *testing.T) {
	const most = 135
	total := 0
	for _, part := range []struct{ what, pattern string }{
		{"proto", "../../proto/strata/provider/v2/*.proto"},
		{"interface and adapter", "../../provider/v2/*.go"},
	} {
		n := 0
		files, err := filepath.Glob(part.pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", part.pattern, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".pb.go") || strings.HasSuffix(file, "_test.go") {
				continue
			}
			n += written(t, file)
		}
		t.Logf("%s: %d lines", part.what, n)
		total += n
	}
	t.Logf("together: %d lines", total)
	if total >= most {
		t.Errorf("version 2 of the provider took %d lines by hand, want less than %d", total, most)
	}
}

// written counts the lines of code in a file.
func written(t *testing.T, file string) (n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n
}
