package fetch

import (
	"fmt"
	"regexp"
	"strings"
)

// Source is one pinned source: the selected files of a commit, and their digest.
type Source struct {
	// Name is the source's folder below the destination.
	Name string
	// Repository is a host and a path, without a scheme: github.com/Azure/bicep-types-az.
	Repository string
	// Commit is the full hash, in lower-case hex.
	Commit string
	// Paths are doublestar globs from the repository's root; each selects at least one file.
	Paths []string
	// SHA256 is the digest of the selected files' listing, in lower-case hex (see digest).
	SHA256 string
	// Files is the number of the selected files, and Bytes their size.
	Files int
	Bytes int64
}

var (
	nameForm       = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	repositoryForm = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9_][A-Za-z0-9._-]*)+$`)
	commitForm     = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	digestForm     = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

const (
	nameRule       = "lower-case words joined by dashes"
	repositoryRule = "a host and a path without a scheme, as github.com/Azure/bicep-types-az"
	commitRule     = "a full commit hash in lower-case hex"
	digestRule     = "a sha256 in lower-case hex, 64 digits"
)

// checkOrigin reports whether s names files that can be asked for, pinned or not yet.
func (s Source) checkOrigin() error {
	for _, f := range []struct {
		key, value string
		form       *regexp.Regexp
		rule       string
	}{
		{"name", s.Name, nameForm, nameRule},
		{"repository", s.Repository, repositoryForm, repositoryRule},
		{"commit", s.Commit, commitForm, commitRule},
	} {
		if !f.form.MatchString(f.value) {
			return fmt.Errorf("%s %q is not %s", f.key, f.value, f.rule)
		}
	}
	if len(s.Paths) == 0 {
		return fmt.Errorf("no paths: name at least one glob")
	}
	for _, p := range s.Paths {
		if err := checkPattern(p); err != nil {
			return err
		}
	}
	return nil
}

// String prints s as an entry of the sources file.
func (s Source) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  - name: %s\n", s.Name)
	fmt.Fprintf(&b, "    repository: %s\n", s.Repository)
	fmt.Fprintf(&b, "    commit: %q\n", s.Commit)
	fmt.Fprintf(&b, "    paths:\n")
	for _, p := range s.Paths {
		fmt.Fprintf(&b, "      - %q\n", p)
	}
	fmt.Fprintf(&b, "    files: %d\n", s.Files)
	fmt.Fprintf(&b, "    bytes: %d\n", s.Bytes)
	fmt.Fprintf(&b, "    sha256: %q\n", s.SHA256)
	return b.String()
}

// check compares the files of an origin with the pin.
func (s Source) check(t *tree) error {
	if got := t.digest(); got != s.SHA256 {
		return hint(refuse("the files are not the pinned ones: %s with digest %s, pinned are %s with digest %s",
			amount(t.files(), t.bytes), got, amount(s.Files, s.Bytes), s.SHA256),
			"if the new files are meant, pin them: strata-fetch pin %s", s.Name)
	}
	if t.files() != s.Files || t.bytes != s.Bytes {
		return hint(refuse("the digest is the pinned one, but its files amount to %s and the pin says %s",
			amount(t.files(), t.bytes), amount(s.Files, s.Bytes)), "correct files and bytes in the pin of %s", s.Name)
	}
	return nil
}

func amount(files int, bytes int64) string {
	return fmt.Sprintf("%d files (%s)", files, size(bytes))
}
