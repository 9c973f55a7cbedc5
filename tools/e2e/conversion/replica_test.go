package conversion_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/process"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// fleet is webhooks in processes of their own, behind the balancer, which sends to those that are
// ready.
type fleet struct {
	t        testing.TB
	group    *process.Group
	binary   string
	files    files
	balancer *balancer

	mutex    sync.Mutex
	replicas []*replica
	made     int
}

// replica is one process.
type replica struct {
	*process.Program
	conversions, probes string
}

func newFleet(t testing.TB, b *balancer) *fleet {
	t.Helper()
	group, err := process.Open("strata-webhooks-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = group.Close() }) // which complains of those that were killed
	f := &fleet{t: t, group: group, binary: filepath.Join(group.Dir, "strata-webhook"), files: filesIn(group.Dir), balancer: b}
	if err := programs.Build(t.Context(), command.In{}, f.binary, "github.com/stratakube/strata/operator/cmd/strata-webhook"); err != nil {
		t.Fatal(err)
	}
	return f
}

// start starts a replica and waits until it is ready.
func (f *fleet) start() *replica {
	f.t.Helper()
	f.made++
	log := filepath.Join(f.group.Dir, fmt.Sprintf("%d.log", f.made))
	anywhere := net.JoinHostPort(apiserver.Loopback, "0")
	program, err := f.group.Start(f.binary, log, "--cert-file="+f.files.cert, "--key-file="+f.files.key,
		"--address="+anywhere, "--probe-address="+anywhere, "--metrics-address=off", "--lame-duck=500ms")
	if err != nil {
		f.t.Fatal(err)
	}
	r := &replica{Program: program}
	shared.Eventually(f.t, crds.Patience, "a replica serves", func() error { return r.find(log) })
	shared.Eventually(f.t, crds.Patience, "a replica is ready", r.ready)
	f.mutex.Lock()
	f.replicas = append(f.replicas, r)
	f.mutex.Unlock()
	f.check()
	return r
}

// find reads from the log where the replica listens.
func (r *replica) find(log string) error {
	text, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		var said struct{ Msg, Conversions, Probes string }
		if json.Unmarshal(line, &said) == nil && said.Msg == "serving" {
			r.conversions, r.probes = said.Conversions, said.Probes
			return nil
		}
	}
	return fmt.Errorf("it says %s", text)
}

func (r *replica) ready() error {
	response, err := http.Get("http://" + r.probes + "/readyz")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s (%w)", response.Status, text, err)
	}
	return nil
}

// serves reports whether connections are made with this certificate.
func (r *replica) serves(serial *big.Int) error {
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	connection, err := dialer.Dial("tcp", r.conversions)
	if err != nil {
		return err
	}
	defer connection.Close()
	if got := connection.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber; got.Cmp(serial) != 0 {
		return fmt.Errorf("it serves %v, not %v", got, serial)
	}
	return nil
}

// check asks all replicas whether they are ready, and tells the balancer.
func (f *fleet) check() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var ready []string
	for _, r := range f.replicas {
		if r.ready() == nil {
			ready = append(ready, r.conversions)
		}
	}
	f.balancer.send(ready...)
}

// watch checks all the time, until stop is closed.
func (f *fleet) watch(stop <-chan struct{}) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			f.check()
		}
	}
}

// end sends a signal to the oldest replica, waits for its end, and returns it.
func (f *fleet) end(signal syscall.Signal) *replica {
	f.t.Helper()
	f.mutex.Lock()
	oldest := f.replicas[0]
	f.mutex.Unlock()
	if err := oldest.Process.Signal(signal); err != nil {
		f.t.Fatal(err)
	}
	select {
	case <-oldest.Done():
	case <-time.After(crds.Patience):
		f.t.Fatalf("a replica does not end:\n%s", oldest.Said())
	}
	f.mutex.Lock()
	f.replicas = f.replicas[1:]
	f.mutex.Unlock()
	return oldest
}

// restart replaces every replica by a new one, which is ready before the old one is told to end.
func (f *fleet) restart() {
	f.t.Helper()
	for range len(f.replicas) {
		f.start()
		if ended := f.end(syscall.SIGTERM); !strings.Contains(ended.Err().Error(), "exit status 0") {
			f.t.Errorf("SIGTERM: %v", ended.Err())
		}
	}
}

// certify gives all replicas a new certificate, and waits until they serve with it.
func (f *fleet) certify(a *ca) {
	f.t.Helper()
	serial := a.certify(f.t, f.files)
	for _, r := range f.replicas {
		shared.Eventually(f.t, crds.Patience, "a new certificate", func() error { return r.serves(serial) })
	}
}
