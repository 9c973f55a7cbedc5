package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("a", 1001)
	for _, c := range []struct {
		name  string
		check func(string) source.Fault
		bad   []string
		good  []string
	}{
		{
			"types", source.TypeFault,
			[]string{"A/b\n", "A/b\x00", "A/b\u0085", "A/b\u2028", "A/b\u202e", "A/b\ufeff", "A/b\xff", "A/b c", "A/`b`", `A/"b"`, "A/{{b}}", "A/b|c", "A/<b>", `A\b`, long},
			[]string{"Microsoft.Batch/batchAccounts/pools", "shop.example.com/gadgets", "A_b-c/d.e", "A/größen", long[1:]},
		},
		{
			"versions", source.VersionFault,
			[]string{"v1\n", "2014-04-04\u202e", "2014 04", "v1/x", "{v1}", long},
			[]string{"2014-04-04-preview", "v1beta1", "1.0", long[1:]},
		},
		{"paths", source.PathFault, []string{"a\n.json", "a\x1b/b.json", "a\u2029", "a\xff"}, []string{"2014-04-04/Microsoft.Crm.json", "a b.json", "größe/ü.json"}},
	} {
		for _, bad := range c.bad {
			if fault := c.check(bad); !fault.Exists() || fault.Hint == "" || strings.ContainsAny(fault.Text, "\n\x1b") {
				t.Errorf("%s: %.20q gives %.200q", c.name, bad, fault)
			}
		}
		for _, good := range c.good {
			if fault := c.check(good); fault.Exists() {
				t.Errorf("%s: %.20q: %s", c.name, good, fault.Text)
			}
		}
	}
}

func TestReadFile(t *testing.T) {
	root := t.TempDir()
	for name, size := range map[string]int{"a.json": 10, "b.json": 11} {
		if err := os.WriteFile(filepath.Join(root, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "folder.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if data, err := source.ReadFile(os.DirFS(root), root, "a.json", 10); err != nil || len(data) != 10 {
		t.Errorf("a file as large as the limit: %d bytes, %v", len(data), err)
	}
	for name, want := range map[string]string{
		"b.json":      "the file has 11 bytes, more than the limit of 10",
		"folder.json": "the file cannot be read: not a regular file",
		"gone.json":   "the file cannot be read: ",
		"a\x1b.json":  "has the character U+001B",
	} {
		_, err := source.ReadFile(os.DirFS(root), root, name, 10)
		m := source.MessageOf(err)
		if err == nil || !strings.Contains(m.Text, want) || m.Pos != diag.InFile(filepath.Join(root, name)) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
