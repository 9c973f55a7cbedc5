package licences

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFaults checks licence texts of this repository and of its requirements, and texts that are
// none.
func TestFaults(t *testing.T) {
	apache, err := os.ReadFile("../../../../LICENSE")
	if err != nil {
		t.Skipf("needs the repository: %v", err)
	}
	mit, err := os.ReadFile("../testdata/mit.txt")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reason  string
		text    []byte
		allowed []string
		want    string
	}{
		{"an allowed licence", mit, []string{"MIT"}, ""},
		{"a licence that is not in the list", mit, []string{"Apache-2.0"}, "MIT is not allowed"},
		{"ours", apache, []string{"Apache-2.0"}, ""},
		{"two licences in one file, one of them not in the list", append(append([]byte{}, apache...), mit...), []string{"MIT"}, "Apache-2.0 is not allowed"},
		{"a licence with conditions of its own", append([]byte(strings.Repeat("You must send us a postcard from each town. ", 200)), mit...), []string{"MIT"}, "is a known licence"},
		{"no licence", []byte("All rights reserved."), []string{"MIT"}, "is a known licence"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := strings.Join(faults(test.text, test.allowed), "; ")
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestTexts checks that a licence beside a package applies, and one beside another package does
// not.
func TestTexts(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"LICENSE", "a/COPYING.txt", "a/license.go", "b/LICENCE", "a/deep/LICENSE-MIT", "license/x.txt"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := texts(root, map[string]bool{filepath.Join(root, "a", "deep"): true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range files {
		name, _ := filepath.Rel(root, file)
		got = append(got, filepath.ToSlash(name))
	}
	if want := "LICENSE a/COPYING.txt a/deep/LICENSE-MIT"; strings.Join(got, " ") != want {
		t.Errorf("texts: %v, want %s", got, want)
	}
}
