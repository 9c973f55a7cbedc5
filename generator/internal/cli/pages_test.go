package cli_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

var (
	shellBlock = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$")
	separator  = regexp.MustCompile(`&&|\|\||[|;]|\s#\s`)
	mistaken   = regexp.MustCompile(`unknown (command|flag|shorthand)|accepts .* arg|requires at least|strata [a-z]+ takes|flag needs an argument|invalid argument`)
)

// TestCommandsOfPages gives each command of strata in the README and the guide to the command line:
// it knows the command, its flags and their values. Other programs beside strata have tests of
// their own.
func TestCommandsOfPages(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // commands find no project
	count := 0
	fault := func(command []string) string {
		var out, errs bytes.Buffer
		count++
		cli.Run(t.Context(), command, cli.Streams{Out: &out, Err: &errs}, fake{})
		if mistaken.Match(errs.Bytes()) {
			return errs.String()
		}
		return ""
	}
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" || name != "README.md" && !strings.HasPrefix(name, "docs/guide/") {
			if err == nil && entry.IsDir() && name != "." && name != "docs" && !strings.HasPrefix(name, "docs/guide") {
				return fs.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		for _, command := range commandsOf(string(text)) {
			if wrong := fault(command); wrong != "" {
				t.Errorf("%s: strata %s: %s", name, strings.Join(command, " "), wrong)
			}
		}
		return err
	})
	if err != nil || count < 30 {
		t.Errorf("the pages have %d commands of strata (%v)", count, err)
	}
	wrong := commandsOf("```sh\nbin/strata generate --chek && strata generat\nstrata generate extra\n```\n")
	for _, command := range wrong {
		if fault(command) == "" {
			t.Errorf("strata %s is no mistake", strings.Join(command, " "))
		}
	}
	if len(wrong) != 3 {
		t.Errorf("found %q", wrong)
	}
}

// commandsOf returns the arguments of each command of strata in the blocks of a page.
func commandsOf(page string) (commands [][]string) {
	for _, block := range shellBlock.FindAllStringSubmatch(page, -1) {
		for _, command := range separator.Split(strings.ReplaceAll(block[1], "\\\n", " ")+"\n", -1) {
			for line := range strings.Lines(command) {
				words := strings.Fields(line)
				isStrata := len(words) > 1 && (words[0] == "strata" || strings.HasSuffix(words[0], "bin/strata"))
				switch {
				case !isStrata || strings.ContainsAny(line, "[]'$"):
				case words[1] == "cluster" || words[1] == "arm" || words[1] == "plugin" || words[1] == "image":
				default:
					commands = append(commands, words[1:])
				}
			}
		}
	}
	return commands
}
