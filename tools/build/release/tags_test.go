package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/pack"
	"github.com/stratakube/strata/tools/build/release"
)

// prepared makes a repository with a release that has no tags yet.
func prepared(t *testing.T) *site {
	t.Helper()
	s := newSite(t)
	if _, err := s.open().Prepare(t.Context(), "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSignedTags signs the tags of a release by a key of SSH, and lets git verify them. Without the
// key there is no tag.
func TestSignedTags(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("needs ssh-keygen: git signs with it")
	}
	s := prepared(t)
	dir := t.TempDir()
	key, other, allowed := filepath.Join(dir, "key"), filepath.Join(dir, "other"), filepath.Join(dir, "allowed")
	for _, file := range []string{key, other} {
		if printed, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
	}
	allow := func(file string) {
		t.Helper()
		public, err := os.ReadFile(file + ".pub")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(allowed, append([]byte("author@example.com "), public...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.git("config", "gpg.format", "ssh")
	s.git("config", "gpg.ssh.allowedSignersFile", allowed)
	s.git("config", "user.signingKey", filepath.Join(dir, "nothing"))
	signed := release.TagOptions{Sign: true, Unchecked: true}
	if _, err := s.open().Tag(t.Context(), signed); err == nil || !strings.Contains(err.Error(), "base/v0.1.0") || s.git("tag") != "" {
		t.Errorf("without a key: %v, tags %q", err, s.git("tag"))
	}
	s.git("config", "user.signingKey", key)
	tags, err := s.open().Tag(t.Context(), signed)
	if err != nil || len(tags) != 5 {
		t.Fatalf("tags %q: %v", tags, err)
	}
	allow(key)
	s.git(append([]string{"verify-tag"}, tags...)...)
	allow(other)
	if _, err := s.Git(t.Context(), "verify-tag", tags[0]); err == nil {
		t.Errorf("%s is verified by another key", tags[0])
	}
	if n, err := s.open().Verify(t.Context(), false); err != nil || n != len(tags) {
		t.Errorf("verified %d tags: %v", n, err)
	}
}

// TestPublished compares tags with a proxy that serves them, one that serves another tree for a
// tag, and one that lacks a version.
func TestPublished(t *testing.T) {
	s := prepared(t)
	if _, err := s.open().Tag(t.Context(), release.TagOptions{Unchecked: true}); err != nil {
		t.Fatal(err)
	}
	tagged, err := s.open().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.edit("base/base.go", "// Greet ", "// Greet politely ")
	s.commit("base: greet politely")
	base, err := s.open().Workspace.Module("base")
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.Files(t.Context(), "HEAD", "base")
	if err != nil {
		t.Fatal(err)
	}
	moved, err := pack.Release(base, "v0.1.0", files)
	if err != nil {
		t.Fatal(err)
	}
	var others []pack.Packed
	for _, p := range tagged {
		if p.Name != "base" {
			others = append(others, p)
		}
	}
	for _, test := range []struct {
		reason, want string
		serves       []pack.Packed
	}{
		{"the tags", "", tagged},
		{"another tree", "base@v0.1.0: the proxy serves " + moved.Sum, append([]pack.Packed{moved}, others...)},
		{"a version less", "base@v0.1.0", others},
	} {
		proxy, err := pack.Serve(t.Context(), t.TempDir(), test.serves)
		if err != nil {
			t.Fatal(err)
		}
		env, err := proxy.Environ(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range env {
			name, value, _ := strings.Cut(pair, "=")
			t.Setenv(name, value)
		}
		n, err := s.open().Verify(t.Context(), true)
		if n != len(tagged) || test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %d tags, %v, want %q", test.reason, n, err, test.want)
		}
	}
}
