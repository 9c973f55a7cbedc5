package fetch

import (
	"strings"
	"testing"
)

func TestSourcesFileMistakes(t *testing.T) {
	head := "apiVersion: strata.dev/v1alpha1\nkind: Sources\nsources:\n" // lines 1 to 3
	good := example().pin("things").String()                             // lines 4 to 11
	for _, c := range []struct {
		reason, text, want string
	}{
		{"empty", "", "sources.yaml: empty"},
		{"only a comment", "# nothing\n", "sources.yaml: empty"},
		{"no mapping", "- x\n", "sources.yaml:1:1: want keys and values"},
		{"not YAML", "a: b\nc: d: e\n", "line 2"},
		{"two documents", head + good + "---\n{}\n", "more than one document"},
		{"a key that is not known", head + good + "    branch: main\n", `sources.yaml:12:5: unknown key "branch"; known are bytes, commit, files`},
		{"a key that stands twice", head + good + "    bytes: 1\n", `sources.yaml:12:5: key "bytes" stands twice`},
		{"a key that is missing", head + strings.Replace(good, "    bytes: 5010\n", "", 1), `sources.yaml:4:5: key "bytes" is missing`},
		{"another kind of file", strings.Replace(head, "Sources", "Generation", 1) + good, "sources.yaml:2:7: want Sources"},
		{"another version", strings.Replace(head, "v1alpha1", "v9", 1) + good, "sources.yaml:1:13: want strata.dev/v1alpha1"},
		{"no sources", head, "sources.yaml:3:9: want a list with at least one item"},
		{"a name twice", head + good + good, `sources.yaml:12:11: source "things" already stands in line 4`},
		{"a name that is a path", head + strings.Replace(good, "things", "..", 1), `sources.yaml:4:11: ".." is not lower-case words`},
		{"a repository with a scheme", head + strings.Replace(good, "github.com", "https://github.com", 1), "sources.yaml:5:17:"},
		{"a short commit", head + strings.Replace(good, testCommit, "0123456", 1), "sources.yaml:6:13:"},
		{"a glob that climbs", head + strings.Replace(good, "schemas/**", "../**", 1), "sources.yaml:8:9:"},
		{"a broken glob", head + strings.Replace(good, "schemas/**", "schemas/[", 1), "sources.yaml:8:9:"},
		{"a glob that is a list", head + strings.Replace(good, `"schemas/**/*.json"`, "[x]", 1), "sources.yaml:8:9: want a glob"},
		{"a count of zero", head + strings.Replace(good, "files: 3", "files: 0", 1), `sources.yaml:9:12: "0" is not a positive whole number`},
		{"a digest in capitals", head + strings.Replace(good, "sha256: \"", "sha256: \"ABCD", 1), "sources.yaml:11:13:"},
		{"an alias", head + strings.Replace(strings.Replace(good, "things", "&n things", 1), "github.com/example/things", "*n", 1), "sources.yaml:5:17:"},
		{"a huge file", head + good + strings.Repeat("#", 2<<20), "larger than 1.0 MB"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			_, err := parseSources("sources.yaml", []byte(c.text))
			wantMessage(t, err, "fetch: ", c.want)
		})
	}
}

func TestAllMistakesAreReported(t *testing.T) {
	_, err := parseSources("sources.yaml", []byte("apiVersion: x\nkind: y\nsources: []\nmore: 1\n"))
	wantMessage(t, err, ":1:13:", ":2:7:", ":3:10:", ":4:1:")
}

// TestCommittedPins checks that the committed pins can be read. Run verifies the pinned files.
func TestCommittedPins(t *testing.T) {
	sources, err := ReadSources("../../../schemas/sources.yaml")
	check(t, err)
	for _, s := range sources {
		check(t, s.checkOrigin())
		if _, err := (mirror{}).archiveURL(s); err != nil {
			t.Error(err)
		}
	}
}
