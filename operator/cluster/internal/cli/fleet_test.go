package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// kubeconfig writes a file whose contexts are those of servers.
func kubeconfig(t *testing.T, servers map[string]string) access {
	t.Helper()
	text := "apiVersion: v1\nkind: Config\nclusters:\n"
	for name, at := range servers {
		text += fmt.Sprintf("- {name: %q, cluster: {server: %q}}\n", name, at)
	}
	text += "contexts:\n"
	for name := range servers {
		text += fmt.Sprintf("- {name: %q, context: {cluster: %q, user: \"\"}}\n", name, name)
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return access{kubeconfig: file}
}

// TestContexts checks which clusters a user names.
func TestContexts(t *testing.T) {
	a := kubeconfig(t, map[string]string{"b": "http://b", "a": "http://a"})
	for given, want := range map[string][]string{"all": {"a", "b"}, "b": {"b"}, "b,a,b": {"b", "a"}, "a,all": {"a", "all"}} {
		if got, err := a.contexts(strings.Split(given, ",")); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", given, got, err, want)
		}
	}
	none := kubeconfig(t, nil)
	if _, err := none.contexts([]string{allContexts}); err == nil || !strings.Contains(err.Error(), "no contexts") {
		t.Errorf("%v", err)
	}
}

// TestReach asks API servers of which one refuses, one fails and one never answers.
func TestReach(t *testing.T) {
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch strings.Split(r.URL.Path, "/")[1] {
		case "forbidden":
			w.WriteHeader(http.StatusForbidden)
		case "unknown":
			w.WriteHeader(http.StatusUnauthorized)
		case "silent":
			<-done
		}
	}))
	defer s.Close()
	defer close(done)
	servers := map[string]string{"closed": "http://127.0.0.1:1"}
	for _, name := range []string{"works", "forbidden", "unknown", "silent"} {
		servers[name] = s.URL + "/" + name
	}
	a := kubeconfig(t, servers)
	for name, output := range map[string]string{"works": "", "forbidden": "", "unknown": "provide credentials", "silent": "within 200ms", "closed": "127.0.0.1:1", "missing": "missing"} {
		limit := 200 * time.Millisecond
		if name != "silent" {
			limit = time.Minute
		}
		a.context = name
		if err := a.reach(t.Context(), limit); (err == nil) != (output == "") || err != nil && !strings.Contains(err.Error(), output) {
			t.Errorf("%s: %v, want %q", name, err, output)
		}
	}
}
