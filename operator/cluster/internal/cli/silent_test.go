package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// silent serves a kind, and falls silent within the list of its objects.
func silent(t *testing.T) string {
	ends := make(chan struct{})
	answers := map[string]string{
		"/version": `{}`,
		"/api":     `{"kind":"APIVersions","versions":["v1"]}`,
		"/api/v1":  `{"kind":"APIResourceList","groupVersion":"v1","resources":[]}`,
		"/apis": `{"kind":"APIGroupList","groups":[{"name":"a.b","versions":[{"groupVersion":"a.b/v1","version":"v1"}],
			"preferredVersion":{"groupVersion":"a.b/v1","version":"v1"}}]}`,
		"/apis/a.b/v1": `{"kind":"APIResourceList","groupVersion":"a.b/v1","resources":[{"name":"notes","kind":"Note","namespaced":true,"verbs":["list"]}]}`,
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/notes.a.b": `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"notes.a.b"},
			"spec":{"group":"a.b","scope":"Namespaced","names":{"kind":"Note","plural":"notes"},"versions":[
				{"name":"v1","served":true},{"name":"v1storage","served":true,"storage":true}]}}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if answer, known := answers[r.URL.Path]; known {
			_, _ = io.WriteString(w, answer)
			return
		}
		_, _ = io.WriteString(w, `{"kind":"NoteList","items":[`)
		w.(http.Flusher).Flush()
		<-ends
	}))
	t.Cleanup(func() {
		close(ends)
		s.Close()
	})
	return s.URL
}

// TestSilentServers has API servers that fall silent within a list. Each command ends by itself,
// and a fleet has a line for the cluster.
func TestSilentServers(t *testing.T) {
	at := silent(t)
	a := kubeconfig(t, map[string]string{"one": at, "two": at})
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	program := write("convert", "#!/bin/sh\necho '{\"format\":1,\"kinds\":[{\"group\":\"a.b\",\"kind\":\"Note\",\"versions\":[\"v1\",\"v1storage\"]}]}'\n", 0o700)
	write("api/crds/notes.yaml", `{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"notes.a.b"},"spec":{"group":"a.b","scope":"Namespaced",
		"names":{"kind":"Note","plural":"notes"},"versions":[{"name":"v1","served":true},{"name":"v1storage","served":true,"storage":true}]}}`, 0o600)
	plan := []string{"upgrade", "plan", filepath.Join(dir, "api"), "--converter", program}
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"versions", "has not answered within 300ms", []string{"versions", "notes", "--context", "one"}},
		{"a plan", "has not answered within 300ms", append(plan, "--context", "one")},
		{"a fleet", "2 of 2 clusters cannot be read", append(plan, "--contexts", "all")},
		{"the state of an upgrade", "has not answered within 300ms", []string{"upgrade", "status", "--context", "one"}},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var out, errs bytes.Buffer
		code := Run(ctx, append(test.args, "--kubeconfig", a.kubeconfig, "--request-timeout", "300ms"), Streams{Out: &out, Err: &errs})
		if code != Failed || !strings.Contains(errs.String(), test.want) || ctx.Err() != nil {
			t.Errorf("%s: exit code %d, %v\n%s", test.name, code, ctx.Err(), fmt.Sprint(&out, &errs))
		}
		cancel()
	}
}
