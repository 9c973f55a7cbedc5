package upgrade_test

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestAPIServerThatHasNotSeenCRD stops one of two API servers before the storage version
// changes. The command writes nothing before that server has seen the change. Afterwards each
// object, also one that is created through that server, is stored in the new version.
func TestAPIServerThatHasNotSeenCRD(t *testing.T) {
	s := open(t, "settle.example.com")
	second, err := s.AddServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	through := shared.Client(t, second.Config)
	crds.AwaitServed(t, through, s.kind)
	s.fill(20)
	if err := second.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = second.Process.Signal(syscall.SIGCONT)
		if err := second.Stop(); err != nil {
			t.Error(err)
		}
	})
	s.store("v2")
	c := exec.CommandContext(t.Context(), s.program, "migrate", s.kind.Name, "--server", s.Host(), "--server", second.Config.Host, "--kubeconfig", s.user)
	pipe, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	messages := bufio.NewReader(pipe)
	line, err := messages.ReadString('\n')
	if err != nil || !strings.Contains(line, "waits for API server "+second.Config.Host) {
		t.Errorf("%q, %v", line, err)
	}
	for name := range s.all() {
		if got := s.stored(name); got != "v1" {
			t.Errorf("%s is stored in %s before all API servers have seen the CRD", name, got)
		}
	}
	if err := second.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(messages)
	if err := c.Wait(); err != nil {
		t.Fatalf("%v\n%s%s", err, line, rest)
	}
	widget := s.widget("v1", "late", map[string]any{"size": int64(1)})
	shared.Must(t)(through.Resource(s.kind.Resource("v1")).Namespace(s.namespace).Create(t.Context(), widget, metav1.CreateOptions{}))
	for name := range s.all() {
		if got := s.stored(name); got != "v2" {
			t.Errorf("%s is stored in %s", name, got)
		}
	}
}
