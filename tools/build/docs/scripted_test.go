package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// scripted matches a block of a page with the name of the script that tests it, and the file of the
// script that has it, or "commands".
var scripted = regexp.MustCompile("(?ms)^<!-- (\\S+\\.txtar): (\\S+) -->\n(?:```\\w*\n(.*?)^```)?")

// TestPagesHaveTheirScripts checks that pages have the files and commands of the scripts that run
// them. A script of a document that Strata began with is on a page, unless it varies another one.
func TestPagesHaveTheirScripts(t *testing.T) {
	w := workspace(t)
	testdata := filepath.Join(w.Root, "generator", "internal", "engine", "testdata")
	blocks := map[string][]string{} // files by script
	for _, page := range pages(t, w) {
		text := read(t, filepath.Join(w.Root, page))
		for _, block := range scripted.FindAllStringSubmatch(text, -1) {
			name, file, body := block[1], block[2], block[3]
			found, err := filepath.Glob(filepath.Join(testdata, "*", name))
			if err != nil || len(found) != 1 {
				t.Fatalf("%s: there are %d scripts %s (%v)", page, len(found), name, err)
			}
			if fault := differs(txtar.Parse([]byte(read(t, found[0]))), file, body); fault != "" {
				t.Errorf("%s: %s: %s", page, name, fault)
			}
			blocks[name] = append(blocks[name], file)
		}
	}
	seeds, err := os.ReadDir(filepath.Join(testdata, "seeds"))
	if err != nil || len(seeds) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, s := range seeds {
		if s.Name() != "skipping-many-versions.txtar" && len(blocks[s.Name()]) == 0 {
			t.Errorf("no page has the files of %s", s.Name())
		}
	}
	if !slices.Contains(blocks["versioned-person.txtar"], "example/person.go") {
		t.Error("no page has the person of versioned-person.txtar")
	}
}

// TestDiffers checks what a page may show of a script.
func TestDiffers(t *testing.T) {
	script := txtar.Parse([]byte("run generate\nexec go test ./api/...\n-- a.txt --\none\ntwo\n"))
	for _, test := range []struct{ file, body, want string }{
		{"a.txt", "one\ntwo\n", ""},
		{"a.txt", "two\n", ""},
		{"a.txt", "three\n", "a.txt does not have"},
		{"a.txt", "", "no block"},
		{"b.txt", "one\n", "b.txt does not have"},
		{"commands", "strata generate\ngo test ./api/...\n", ""},
		{"commands", "strata check\n", "it does not run strata check"},
	} {
		if got := differs(script, test.file, test.body); !strings.HasPrefix(got, test.want) || got != "" && test.want == "" {
			t.Errorf("%s %q: %q, want %q", test.file, test.body, got, test.want)
		}
	}
}

// differs returns what a block of a page has and the script does not: a part of a file, or a
// command.
func differs(script *txtar.Archive, file, body string) string {
	if body == "" {
		return "no block follows"
	}
	if file != "commands" {
		i := slices.IndexFunc(script.Files, func(f txtar.File) bool { return f.Name == file })
		if i < 0 || !strings.Contains(string(script.Files[i].Data), body) {
			return file + " does not have\n" + body
		}
		return ""
	}
	lines := strings.Split(string(script.Comment), "\n")
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		run := "exec " + line
		if rest, ok := strings.CutPrefix(line, "strata "); ok {
			run = "run " + rest
		}
		if !slices.Contains(lines, run) {
			return "it does not run " + line
		}
	}
	return ""
}
