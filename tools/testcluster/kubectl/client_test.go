//go:build unix

package kubectl_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/tools/testcluster/kubectl"
)

// TestRun replaces kubectl by a script that prints its arguments and input.
func TestRun(t *testing.T) {
	t.Setenv("KUBECONFIG", "the user's own")
	script := filepath.Join(t.TempDir(), "kubectl")
	text := "#!/bin/sh\necho \"$KUBECONFIG $KUBECACHEDIR $KUBERC $*: $(cat)\"\necho bad >&2\nexit $1\n"
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	client := kubectl.Client{Path: script, Kubeconfig: "/x/kubeconfig", Cache: "/x/cache"}

	stdout, stderr, err := client.Run(t.Context(), "input", "0", "get")
	if stdout != "/x/kubeconfig /x/cache off 0 get: input\n" || stderr != "bad\n" || err != nil {
		t.Errorf("kubectl said %q and %q (%v)", stdout, stderr, err)
	}
	stdout, _, err = client.Run(t.Context(), "", "3")
	var exit *exec.ExitError
	if stdout == "" || !errors.As(err, &exit) || err.Error() != "kubectl 3: exit status 3\nbad" {
		t.Errorf("kubectl said %q and failed with %v", stdout, err)
	}
}
