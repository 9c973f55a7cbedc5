package kindcli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// guide is the page that TestGuide follows.
const guide = "../../../../docs/guide/howto/define-kinds-of-plugins.md"

// block is a block of code, with the text before it.
var block = regexp.MustCompile("(?s)((?:[^`]|`[^`\n]*`)*)```([a-z]+)\n(.*?)```\n")

// named finds the last name of a file in a text.
var named = regexp.MustCompile("`([a-z0-9./-]+\\.(?:json|proto|go))`")

// long skips a test unless `mage test:long` or `mage soak` runs it, which may take minutes.
func long(t *testing.T, does string) {
	t.Helper()
	if os.Getenv("STRATA_LONG") == "" && os.Getenv("STRATA_SOAK") == "" {
		t.Skip("needs STRATA_LONG=1: " + does)
	}
}

// TestGuide follows the page from an empty folder: it writes each file, and runs each command.
func TestGuide(t *testing.T) {
	long(t, "builds a plugin from an empty folder")
	page, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	commands, printed := 0, ""
	for _, b := range block.FindAllStringSubmatch(string(page), -1) {
		text, language, code := b[1], b[2], b[3]
		if language == "sh" {
			for line := range strings.Lines(code) {
				commands++
				printed += follow(t, dir, strings.TrimSpace(line))
			}
			continue
		}
		names := named.FindAllStringSubmatch(text, -1)
		if len(names) == 0 {
			t.Fatalf("no file is named before\n%s", code)
		}
		write(t, filepath.Join(dir, names[len(names)-1][1]), code)
	}
	if commands < 9 {
		t.Errorf("the page has %d commands, want at least 9", commands)
	}
	contains(t, printed, "250 cents, in cash\n", "releases/v0.1.0 records the kinds", "the kinds are as they were released")
	run(t, 0, "check", "--dir", dir)
	follow(t, dir, "go vet ./...")
}

// follow runs a command of the page. The module is not published, so that go get becomes what it
// would do.
func follow(t *testing.T, dir, line string) string {
	t.Helper()
	if tool, ok := strings.CutPrefix(line, "go get -tool "); ok {
		requireFramework(t, dir, "example.com/shop")
		line = "go mod edit -tool=" + tool
	}
	words := strings.Fields(line)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}
