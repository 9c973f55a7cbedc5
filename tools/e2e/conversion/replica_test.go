package conversion_test

import (
	"crypto/tls"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/ca"
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
}

// replica is one process.
type replica struct {
	*env.Webhook
}

func newFleet(t testing.TB, b *balancer) *fleet {
	t.Helper()
	group, err := process.Open("strata-webhooks-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = group.Close() }) // which complains of those that were killed
	f := &fleet{t: t, group: group, files: filesIn(group.Dir), balancer: b}
	if f.binary, err = env.BuildWebhook(t.Context(), group.Dir); err != nil {
		t.Fatal(err)
	}
	return f
}

// start starts a replica and waits until it is ready.
func (f *fleet) start() *replica {
	f.t.Helper()
	w, err := env.StartWebhook(f.t.Context(), f.group, f.binary, "--cert-file="+f.files.cert, "--key-file="+f.files.key, "--lame-duck=500ms")
	if err != nil {
		f.t.Fatal(err)
	}
	if err := w.Ready(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	r := &replica{w}
	f.mutex.Lock()
	f.replicas = append(f.replicas, r)
	f.mutex.Unlock()
	f.check()
	return r
}

// serves reports whether connections are made with this certificate.
func (r *replica) serves(serial *big.Int) error {
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	connection, err := dialer.Dial("tcp", r.Conversions)
	if err != nil {
		return err
	}
	defer connection.Close()
	if got := connection.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber; got.Cmp(serial) != 0 {
		return fmt.Errorf("it serves %v, not %v", got, serial)
	}
	return nil
}

// check asks all replicas whether they are ready, and informs the balancer.
func (f *fleet) check() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var ready []string
	for _, r := range f.replicas {
		if r.IsReady(f.t.Context()) == nil {
			ready = append(ready, r.Conversions)
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
		f.t.Fatalf("a replica does not end:\n%s", oldest.Output())
	}
	f.mutex.Lock()
	f.replicas = f.replicas[1:]
	f.mutex.Unlock()
	return oldest
}

// restart replaces every replica by a new one, which is ready before the old one receives a
// signal.
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
func (f *fleet) certify(by *ca.CA) {
	f.t.Helper()
	serial := f.files.certify(f.t, by)
	for _, r := range f.replicas {
		shared.Eventually(f.t, crds.Patience, "a new certificate", func() error { return r.serves(serial) })
	}
}
