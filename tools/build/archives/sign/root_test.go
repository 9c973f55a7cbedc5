package main

import (
	"crypto"
	"crypto/ed25519"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/theupdateframework/go-tuf/v2/metadata"
)

// served is a TUF repository with one file.
type served struct {
	url, anchor string
	files       map[string][]byte // by path
	target      string            // the path of the file
}

// serve serves a file by the name of a trusted root. The signatures of the repository are valid
// until expires.
func serve(t *testing.T, text []byte, expires time.Time) *served {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := metadata.KeyFromPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := signature.LoadSigner(private, crypto.Hash(0))
	if err != nil {
		t.Fatal(err)
	}
	file, err := metadata.TargetFile().FromBytes(rootName, text, "sha256")
	if err != nil {
		t.Fatal(err)
	}
	anchor, targets := metadata.Root(expires), metadata.Targets(expires)
	targets.Signed.Targets[rootName] = file
	for _, role := range metadata.TOP_LEVEL_ROLE_NAMES {
		if err := anchor.Signed.AddKey(key, role); err != nil {
			t.Fatal(err)
		}
	}
	s := &served{target: "/targets/" + file.Hashes["sha256"].String() + "." + rootName, files: map[string][]byte{}}
	s.files[s.target] = text
	s.files["/1.root.json"] = signed(t, anchor, signer)
	s.files["/1.targets.json"] = signed(t, targets, signer)
	s.files["/1.snapshot.json"] = signed(t, metadata.Snapshot(expires), signer)
	s.files["/timestamp.json"] = signed(t, metadata.Timestamp(expires), signer)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := s.files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	s.url, s.anchor = server.URL, filepath.Join(t.TempDir(), "root.json")
	if err := os.WriteFile(s.anchor, s.files["/1.root.json"], 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func signed[R metadata.Roles](t *testing.T, of *metadata.Metadata[R], by signature.Signer) []byte {
	t.Helper()
	if _, err := of.Sign(by); err != nil {
		t.Fatal(err)
	}
	text, err := of.ToBytes(false)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRoot downloads a trusted root, by which a signature is then verified. A root that the keys of
// its repository have not signed is refused, and no file is written.
func TestRoot(t *testing.T) {
	s := newServices(t)
	text, err := os.ReadFile(s.trusted(t))
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	good, file := serve(t, text, later), filepath.Join(t.TempDir(), rootName)
	if err := run(t.Context(), []string{"root", "-mirror=" + good.url, "-anchor=" + good.anchor, file}); err != nil {
		t.Fatal(err)
	}
	release := filepath.Join(t.TempDir(), "release")
	if err := os.WriteFile(release, []byte("a release"), 0o600); err != nil {
		t.Fatal(err)
	}
	bundle := s.sign(t, release)
	if err := run(t.Context(), []string{"verify", "-root=" + file, "-identity=" + workflow, "-issuer=" + issuer, release, bundle}); err != nil {
		t.Error(err)
	}

	changed := serve(t, text, later)
	changed.files[changed.target] = []byte(strings.Replace(string(text), "rekor.localhost", "rekor.example.h", 1))
	stranger := serve(t, text, later)
	stranger.anchor = good.anchor
	for _, test := range []struct {
		reason, want string
		*served
	}{
		{"another file than is signed", "hash verification failed", changed},
		{"signatures of other keys", "Verifying timestamp failed", stranger},
		{"signatures that have expired", "expired", serve(t, text, time.Now().Add(-time.Hour))},
		{"no trusted root", "read the trusted root", serve(t, []byte("{}"), later)},
		{"no root.json", "together with its root.json", &served{url: good.url}},
	} {
		file := filepath.Join(t.TempDir(), rootName)
		err := run(t.Context(), []string{"root", "-mirror=" + test.url, "-anchor=" + test.anchor, file})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.reason, err, test.want)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: a file is written", test.reason)
		}
	}
}
