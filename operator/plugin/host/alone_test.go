package host_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/internal/wire"
	"github.com/stratakube/strata/operator/plugin/plugintest"
)

func TestPluginThatIsRunByHand(t *testing.T) {
	out, err := exec.Command(built.program(), "-serve=provider.v2=b,provider.v1=example.com/a").CombinedOutput()
	var exit *exec.ExitError
	want := "this program is a plugin, and is started by its host\n  it serves provider example.com/a v1\n  it serves provider strata.dev/b v2\n"
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || string(out) != want {
		t.Errorf("got %v and\n%swant exit code 2 and\n%s", err, out, want)
	}
}

// TestPluginEndsWithItsStdin checks how plugins end with their host on systems whose kernel does
// not end them.
func TestPluginEndsWithItsStdin(t *testing.T) {
	sockets := filepath.Join(built.sockets, "by-hand")
	if err := os.Mkdir(sockets, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(built.program())
	cmd.Env = []string{
		wire.Handshake.MagicCookieKey + "=" + wire.Handshake.MagicCookieValue, "PLUGIN_PROTOCOL_VERSIONS=1", "PLUGIN_UNIX_SOCKET_DIR=" + sockets,
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "1|1|unix|"+sockets) {
		t.Errorf("the handshake is %q, %v", line, err)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("error = %v, want a good end", err)
	}
	if _, err := os.Stat(sockets); err == nil {
		t.Error("the folder of its socket is still there")
	}
}

// TestNoSecondStart uses a plugin that starts once and never again.
func TestNoSecondStart(t *testing.T) {
	once := plugin("-start=once")
	once.Env = []string{"TESTPLUGIN_MARK=" + filepath.Join(t.TempDir(), "mark")}
	o := options(once)
	o.Restart.Limit = 3
	p := get(t, plugintest.Open(t, o), files)
	_, err := apply(t.Context(), p, "crash")
	contains(t, err, "exit status 5")
	for range 2 {
		_, err = apply(t.Context(), p, "")
		if !errors.As(err, new(*host.StartError)) {
			t.Errorf("error = %v, want a StartError", err)
		}
		contains(t, err, "exit status 4: not again")
	}
	_, err = apply(t.Context(), p, "")
	contains(t, err, "is in a crash loop, with 3 ends in a row", "not again")
}
