package output

import (
	"strings"
	"testing"
)

func TestCheckPath(t *testing.T) {
	for _, good := range []string{"a.go", "batch/v20200101/storage/con_.go", "conversiontest/pool_test.go", "crds/cons.example.com.yaml", "../api/v1/zz_generated.strata.go", "x/\u00fc.md"} {
		if err := checkPath(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for reason, bad := range map[string]string{
		"it climbs":                   "../evil.go",
		"it climbs later":             "a/../../evil.go",
		"it is absolute":              "/etc/evil.go",
		"it is absolute on Windows":   `C:\evil.go`,
		"it is a stream on Windows":   "a.go:evil",
		"it is the folder":            ".",
		"it is empty":                 "",
		"it has an empty part":        "a//b.go",
		"it is a device":              "batch/con.go",
		"it is a device in capitals":  "AUX",
		"it is a numbered device":     "lpt1.txt",
		"it ends in a dot":            "batch./a.go",
		"it ends in a space":          "batch /a.go",
		"it has a control character":  "a\x1b.go",
		"it has the end of a line":    "a\n.go",
		"it has a mark of direction":  "a\u202e.go",
		"it is no UTF-8":              "a\xff.go",
		"it is too long":              strings.Repeat("a", 256),
		"it is beside with a climb":   "../a/../../zz_generated.strata.go",
		"it is beside, and not known": "../a/evil.go",
	} {
		if checkPath(bad) == nil {
			t.Errorf("%q is taken, and %s", bad, reason)
		}
	}
}
