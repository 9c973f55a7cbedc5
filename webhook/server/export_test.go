package server

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
)

// Kubeconfig writes a kubeconfig for the API server at url.
func Kubeconfig(t *testing.T, url string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := "apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: '" + url + "'}}]\ncontexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Convert runs the command convert.
func Convert(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, add ...func(*k8sruntime.Scheme) error) int {
	return newConverting("/bin/strata-webhook").command(ctx, args, stdin, stdout, stderr, add)
}
