package release_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPush runs the command that publishes tags, where the commit is on a branch or on none.
func TestPush(t *testing.T) {
	for _, test := range []struct {
		reason string
		setup  [][]string // git commands before the release
		moves  bool       // whether main of origin gets the commit
		other  string     // another branch of origin that gets it
		want   string     // the command up to the tags
		note   string
	}{
		{reason: "the branch that is checked out", moves: true, want: "git push --atomic origin main "},
		{reason: "a branch that tracks another one", setup: [][]string{{"checkout", "-b", "work", "--track", "origin/main"}}, moves: true, want: "git push --atomic origin work:main "},
		{reason: "a branch that tracks none", setup: [][]string{{"checkout", "-b", "work"}}, other: "work", want: "git push --atomic origin work "},
		{reason: "another remote", setup: [][]string{{"remote", "rename", "origin", "theirs"}}, moves: true, want: "git push --atomic theirs main "},
		{reason: "no branch, ahead of origin", setup: [][]string{{"checkout", "--detach"}}, moves: true, want: "git push --atomic origin HEAD:main "},
		{
			reason: "no branch, beside origin", setup: [][]string{{"commit", "--allow-empty", "-m", "later"}, {"push", "origin", "main"}, {"checkout", "--detach", "HEAD~1"}},
			want: "git push --atomic origin base/", note: "main of origin has other commits",
		},
		{reason: "no branch, and no default", setup: [][]string{{"checkout", "--detach"}, {"remote", "set-head", "origin", "--delete"}}, want: "git push --atomic origin base/", note: "the default branch of origin is not known"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			s := newSite(t)
			origin := filepath.Join(t.TempDir(), "origin")
			s.git("init", "--quiet", "--bare", "--initial-branch=main", origin)
			s.git("remote", "add", "origin", origin)
			s.git("push", "--quiet", "--set-upstream", "origin", "main")
			s.git("remote", "set-head", "origin", "main")
			for _, args := range test.setup {
				s.git(args...)
			}
			s.git("commit", "--quiet", "--allow-empty", "--message", "release")
			tags := []string{"base/v0.1.0", "upper/v0.1.0"}
			for _, tag := range tags {
				s.git("tag", "--annotate", "--message", tag, tag)
			}
			push := func(want, note string) {
				t.Helper()
				got, err := s.open().Push(t.Context(), tags)
				if err != nil || !strings.HasPrefix(got.Command, want) || !strings.HasSuffix(got.Command, " base/v0.1.0 upper/v0.1.0") || !strings.Contains(got.Note, note) || note == "" && got.Note != "" {
					t.Fatalf("got %+v, %v, want %q", got, err, want)
				}
				run := exec.CommandContext(t.Context(), "sh", "-c", got.Command)
				run.Dir = s.root
				if printed, err := run.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", got.Command, err, printed)
				}
			}
			before := s.git("--git-dir", origin, "rev-parse", "main")
			push(test.want, test.note)
			head := s.git("rev-parse", "HEAD")
			for _, tag := range tags {
				if got := s.git("--git-dir", origin, "rev-parse", tag+"^{commit}"); got != head {
					t.Errorf("%s of origin is %s, want %s", tag, got, head)
				}
			}
			want := map[bool]string{true: head, false: before}[test.moves]
			if got := s.git("--git-dir", origin, "rev-parse", "main"); got != want {
				t.Errorf("main of origin is %s, want %s, from %s", got, want, before)
			}
			if test.other != "" {
				if got := s.git("--git-dir", origin, "rev-parse", test.other); got != head {
					t.Errorf("%s of origin is %s, want %s", test.other, got, head)
				}
			}
			if strings.Contains(test.want, " HEAD:") { // origin has the commit now
				push("git push --atomic origin base/", "")
			}
		})
	}
}
