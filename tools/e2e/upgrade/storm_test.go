package upgrade_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/loopback"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// balancer forwards connections to the first of two API servers, or to the second one while the
// first is not ready.
type balancer struct {
	net.Listener
	first, second string // host:port
	down          atomic.Bool
}

func balance(t testing.TB, first, second string) *balancer {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort(loopback.Address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{Listener: listener, first: strings.TrimPrefix(first, "https://"), second: strings.TrimPrefix(second, "https://")}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go b.forward(client)
		}
	}()
	return b
}

func (b *balancer) forward(client net.Conn) {
	defer client.Close()
	to := b.first
	if b.down.Load() {
		to = b.second
	}
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
}

// config returns the configuration of a client through the balancer.
func (b *balancer) config(of *rest.Config) *rest.Config {
	out := rest.CopyConfig(of)
	out.Host = "https://" + b.Addr().String()
	return out
}

// isLost reports whether an error is of a connection, and no answer of an API server.
func isLost(err error) bool {
	return err != nil && (errors.As(err, new(*url.Error)) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF))
}

var soaked = flag.Int("storm", 10_000, "the number of objects of TestStorm in soak")

// storming has the objects of a storm: each writer changes the objects of its number, and nobody
// those of the last one.
type storming struct {
	*upgraded
	kind     *crds.Kind // of the old release
	names    []string
	balancer *balancer
	second   *apiserver.Server
	through  dynamic.Interface
	failed   atomic.Int64 // reads
	reads    atomic.Int64
	retried  atomic.Int64
	// bundle is the first CA bundle of the CRD, and rotated the last one; both as base64.
	bundle, rotated string
}

// clientPause is the pause of a client after each request. With more objects it is longer.
// Otherwise the clients take the processors from the upgrade, which then writes few objects.
var clientPause = time.Duration(tier.IfSoak(25, 200)) * time.Millisecond

const (
	stormWriters = 3
	stormGroups  = stormWriters + 1
)

// fill creates objects through all versions of the old release. Those of the last group are drawn.
func (s *storming) fill(count int) {
	s.t.Helper()
	defer s.timed("create the objects")()
	next := make(chan int)
	var group sync.WaitGroup
	s.names = make([]string, count)
	for range 8 {
		group.Go(func() {
			for i := range next {
				version := s.kind.Versions[i/stormGroups%len(s.kind.Versions)]
				s.names[i] = fmt.Sprintf("object-%d", i)
				if i%stormGroups < stormWriters {
					s.create(s.kind, latest(s.kind), s.names[i])
					continue
				}
				s.draw(version, s.names[i], uint64(i))
			}
		})
	}
	for i := range count {
		next <- i
	}
	close(next)
	group.Wait()
}

// draw creates a random object, with a random status.
func (s *storming) draw(version, name string, seed uint64) {
	schema := s.kind.Schema(version)
	for try := range uint64(100) {
		drawn := crds.NewDrawer(seed<<8+try, 0.7).Object(schema)
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": s.kind.Spec.Group + "/" + version, "kind": s.kind.Spec.Names.Kind, "metadata": map[string]any{"name": name}, "spec": drawn["spec"],
		}}
		unstructured.RemoveNestedField(object.Object, "spec", "owner")
		made, err := s.in(s.kind).Through(version).Create(s.t.Context(), object, metav1.CreateOptions{})
		if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
			continue
		}
		if err != nil {
			s.t.Errorf("create %s through %s: %v", name, version, err)
			return
		}
		status, _ := drawn["status"].(map[string]any)
		if bag, has, _ := unstructured.NestedString(made.Object, "status", "propertyBag"); has {
			status["propertyBag"] = bag
		} else {
			delete(status, "propertyBag")
		}
		made.Object["status"] = status
		if _, err := s.in(s.kind).Through(version).UpdateStatus(s.t.Context(), made, metav1.UpdateOptions{}); err != nil && !apierrors.IsInvalid(err) {
			s.t.Errorf("write the status of %s through %s: %v", name, version, err)
		}
		return
	}
	s.t.Errorf("no drawn object of %s is valid", version)
}

// each reads all objects in versions, by version and name, without what writes of others change.
func (s *storming) each(versions ...string) map[string]map[string]string {
	s.t.Helper()
	defer s.timed("read all objects")()
	out := map[string]map[string]string{}
	for _, version := range versions {
		out[version] = map[string]string{}
		s.list(version, func(o *unstructured.Unstructured) {
			for _, member := range []string{"managedFields", "resourceVersion"} {
				unstructured.RemoveNestedField(o.Object, "metadata", member)
			}
			text, err := o.MarshalJSON()
			if err != nil {
				s.t.Fatal(err)
			}
			out[version][o.GetName()] = string(text)
		})
		if len(out[version]) != len(s.names) {
			s.t.Fatalf("%s shows %d objects, want %d", version, len(out[version]), len(s.names))
		}
	}
	return out
}

// timed returns a function that logs how long a step took.
func (s *storming) timed(step string) func() {
	began := time.Now()
	return func() { s.t.Logf("%s: %s", step, time.Since(began).Round(time.Second/10)) }
}

// list calls a function for each object, in pages.
func (s *storming) list(version string, do func(*unstructured.Unstructured)) {
	s.t.Helper()
	options := metav1.ListOptions{Limit: 250}
	for {
		list, err := s.in(s.kind).Through(version).List(s.t.Context(), options)
		if err != nil {
			s.t.Fatal(err)
		}
		for i := range list.Items {
			do(&list.Items[i])
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			return
		}
	}
}

// equal compares objects before and after, but for those that skip names.
func (s *storming) equal(when string, before, after map[string]map[string]string, skip func(i int) bool) {
	s.t.Helper()
	differ := 0
	for version, of := range before {
		for i, name := range s.names {
			if skip(i) || of[name] == after[version][name] {
				continue
			}
			if differ++; differ <= 3 {
				s.t.Errorf("%s, %s in %s (-before +after):\n%s", when, name, version, cmp.Diff(parsed(s.t, of[name]), parsed(s.t, after[version][name])))
			}
		}
	}
	if differ > 0 {
		s.t.Errorf("%s: %d objects differ", when, differ)
	}
}

func none(int) bool { return false }

func isWritten(i int) bool { return i%stormGroups < stormWriters }

func parsed(t testing.TB, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// clients write and read through the balancer until the context ends.
type clients struct {
	s     *storming
	end   context.CancelFunc
	group sync.WaitGroup
	wrote [stormWriters]map[string]string
}

func (s *storming) start(versions [stormWriters]string) *clients {
	ctx, end := context.WithCancel(s.t.Context())
	all := &clients{s: s, end: end}
	for w, version := range versions {
		all.wrote[w] = map[string]string{}
		all.group.Go(func() { all.write(ctx, w, version) })
	}
	for r := range 2 {
		all.group.Go(func() { all.read(ctx, uint64(r)) })
	}
	return all
}

func (all *clients) write(ctx context.Context, w int, version string) {
	s := all.s
	random := rand.New(rand.NewPCG(uint64(w), 11))
	through := s.through.Resource(s.kind.Resource(version)).Namespace(s.namespace)
	path := edited[s.kind.Spec.Names.Kind]
	for i := 0; ctx.Err() == nil; i++ {
		name := s.names[random.IntN(len(s.names)/stormGroups)*stormGroups+w]
		text := fmt.Sprintf("00000000-0000-0000-%04d-%012d", w, i)
		object, err := through.Get(s.t.Context(), name, metav1.GetOptions{})
		switch {
		case isLost(err):
			s.retried.Add(1)
			continue
		case apierrors.IsNotFound(err) && len(all.wrote[w]) == 0:
			time.Sleep(100 * time.Millisecond) // the version is not served yet
			continue
		case s.t.Context().Err() != nil:
			return
		case err != nil:
			s.failed.Add(1)
			s.t.Errorf("read %s through %s: %v", name, version, err)
			return
		}
		_, err = through.Update(s.t.Context(), changed(object, path, text), metav1.UpdateOptions{FieldManager: "writer"})
		for isLost(err) { // it may have been written
			var now *unstructured.Unstructured
			if now, err = through.Get(s.t.Context(), name, metav1.GetOptions{}); err == nil {
				if got, _, _ := unstructured.NestedString(now.Object, path...); got != text {
					err = apierrors.NewConflict(s.kind.Resource(version).GroupResource(), name, errors.New("not written"))
				}
			}
		}
		switch {
		case err == nil:
			all.wrote[w][name] = text
		case !apierrors.IsConflict(err):
			s.t.Errorf("write %s through %s: %v", name, version, err)
			return
		}
		time.Sleep(clientPause)
	}
}

// read reads objects in all versions of the old release. No read may fail but for its connection.
func (all *clients) read(ctx context.Context, seed uint64) {
	s := all.s
	random := rand.New(rand.NewPCG(seed, 12))
	for ctx.Err() == nil {
		version, name := s.kind.Versions[random.IntN(len(s.kind.Versions))], s.names[random.IntN(len(s.names))]
		through := s.through.Resource(s.kind.Resource(version)).Namespace(s.namespace)
		var err error
		if random.IntN(4) == 0 {
			_, err = through.List(s.t.Context(), metav1.ListOptions{Limit: 20})
		} else {
			_, err = through.Get(s.t.Context(), name, metav1.GetOptions{})
		}
		switch {
		case isLost(err):
			s.retried.Add(1)
			continue
		case s.t.Context().Err() != nil:
			return
		case err != nil:
			s.failed.Add(1)
			s.t.Errorf("read %s through %s: %v", name, version, err)
		}
		s.reads.Add(1)
		time.Sleep(clientPause)
	}
}

// stop ends the clients. Each object has what its client wrote last, and what it had before.
func (all *clients) stop(before map[string]map[string]string) {
	s := all.s
	s.t.Helper()
	all.end()
	all.group.Wait()
	path := edited[s.kind.Spec.Names.Kind]
	in := latest(s.kind)
	after := s.each(in)
	for w := range all.wrote {
		if len(all.wrote[w]) == 0 {
			s.t.Errorf("writer %d has written nothing", w)
		}
	}
	differ := 0
	for i, name := range s.names {
		if !isWritten(i) {
			continue
		}
		want := values(&unstructured.Unstructured{Object: parsed(s.t, before[in][name])})
		if text, has := all.wrote[i%stormGroups][name]; has {
			_ = unstructured.SetNestedField(want, text, path...)
		}
		if diff := cmp.Diff(want, values(&unstructured.Unstructured{Object: parsed(s.t, after[in][name])})); diff != "" {
			if differ++; differ <= 3 {
				s.t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
	if differ > 0 {
		s.t.Errorf("%d objects do not have what clients wrote", differ)
	}
}

// point is where a run of the command ends: some time after a stage has begun, or a later one.
type point struct {
	stage  string
	share  float64 // of the time that Rewrite takes
	server bool    // the API server is killed first
}

var stageNames = []string{"Webhook", "CRDs", "Settle", "Rewrite", "Owners", "Verify"}

// points returns where runs are killed: within each stage, and mostly while objects are written.
func points(kills, servers int) []point {
	var out []point
	rewrites := kills - len(stageNames) + 1
	for _, stage := range stageNames {
		if stage != "Rewrite" {
			out = append(out, point{stage: stage})
			continue
		}
		for i := range rewrites {
			out = append(out, point{stage: stage, share: (float64(i) + 0.5) / float64(rewrites+1)})
		}
	}
	for i := range servers {
		out[(i*len(out)+len(out)/2)/servers].server = true
	}
	return out
}

// killed runs the command until a point. A run that ends before because the machine is slow, so
// that it lost its lease, is repeated.
func (s *storming) killed(args []string, at point, rate int) {
	s.t.Helper()
	for range 5 {
		printed, ok := s.tryKill(args, at, rate)
		if ok {
			return
		}
		if !strings.Contains(printed, "run the command again") {
			s.t.Fatalf("the run ended before %s\n%s", at.stage, printed)
		}
	}
	s.t.Fatalf("no run has reached %s", at.stage)
}

func (s *storming) tryKill(args []string, at point, rate int) (output string, killed bool) {
	s.t.Helper()
	lease := "3s"
	if at.server {
		lease = "30s"
	}
	c := s.command(append(args, "--lease-duration", lease, "--rate", fmt.Sprint(rate))...)
	out, err := c.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	var printed strings.Builder
	for chunk := make([]byte, 1<<12); !hasBegun(printed.String(), at.stage); {
		n, err := out.Read(chunk)
		printed.Write(chunk[:n])
		if err != nil {
			_ = c.Wait()
			return printed.String(), false
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	time.Sleep(time.Duration(at.share * float64(len(s.names)) / float64(rate) * float64(time.Second)))
	s.rotate()
	if at.server {
		s.restart()
	}
	_ = c.Process.Kill()
	if err := c.Wait(); err == nil {
		s.t.Logf("the run that is killed in %s has reached its goal before", at.stage)
	}
	return printed.String(), true
}

func hasBegun(printed, stage string) bool {
	later := false
	for _, name := range stageNames {
		later = later || name == stage
		if later && strings.Contains(printed, name+": begins") {
			return true
		}
	}
	return false
}

// restart kills the first API server, and waits until it is ready again. Clients use the second
// one meanwhile, as a load balancer does it.
func (s *storming) restart() {
	s.t.Helper()
	s.balancer.down.Store(true)
	defer s.balancer.down.Store(false)
	if err := s.RestartServer(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// TestStorm upgrades many objects, whose clients write through three versions and read through all.
// Meanwhile runs of apply and one of two API servers are killed, and the CA bundle of the CRD is
// rotated. Afterwards etcd has every object in the new hub, each past the marker of the evidence.
// Nothing is lost or changed but what clients wrote. A second run writes nothing. A rollback,
// before and after new writes, changes no leaf of any object in any version.
func TestStorm(t *testing.T) {
	tier.Long(t, "upgrades many objects while runs are killed")
	if testing.Short() {
		t.Skip("short: builds two releases of the worked example")
	}
	count, kills, servers, rate := 500, 8, 1, 100
	if tier.IsSoak() {
		count, kills, servers, rate = *soaked, 50, 10, 800
	}
	s := &storming{upgraded: openUpgraded(t, firstTwo(t))}
	s.kind = s.old.kinds[0]
	next := s.next.kinds[0]
	s.fill(count) // with one API server: each converts what is written for its caches
	second, err := s.AddServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := second.Stop(); err != nil {
			t.Error(err)
		}
	})
	s.second = second
	s.balancer = balance(t, s.Host(), second.Config.Host)
	s.through = shared.Client(t, s.balancer.config(s.Config))
	crds.AwaitServed(t, shared.Client(t, second.Config), s.kind)
	before := s.each(s.kind.Versions...)
	s.protect(s.kind, s.names[0])
	s.planned()
	apply := append(s.args("apply", s.plan), "--server", second.Config.Host)

	all := s.start([stormWriters]string{s.kind.Versions[0], latest(s.kind), latest(next)})
	for i, at := range points(kills, servers) {
		logged := s.timed(fmt.Sprintf("killed %d, %+v", i, at))
		s.killed(apply, at, rate)
		logged()
	}
	s.doesWhile(append(apply, "--rate", "5000"), "Verify", s.rotate)
	s.stored("after apply", next.Hub)
	s.keepsBundle("after apply")
	all.stop(before)
	t.Logf("%d reads, %d failed, %d sent again after a lost connection", s.reads.Load(), s.failed.Load(), s.retried.Load())
	s.pastMarker(next)
	upgraded := s.each(next.Versions...)
	old := map[string]map[string]string{}
	for _, version := range s.kind.Versions {
		old[version] = upgraded[version]
	}
	s.equal("after apply", before, old, isWritten)

	requests, versions := s.requests(), s.resourceVersions()
	s.does(apply...)
	if now := s.requests(); now != requests {
		t.Errorf("a second run sent %d writes", now-requests)
	}
	s.does(append(s.args("verify", nameOf(t, s.plan)), "--server", second.Config.Host)...)
	if diff := cmp.Diff(versions, s.resourceVersions()); diff != "" {
		t.Errorf("a second run wrote objects (-before +after):\n%s", diff)
	}

	rollback := append(s.args("rollback", nameOf(t, s.plan)), "--server", second.Config.Host)
	s.does(append(rollback, "--rate", "5000")...)
	s.stored("after rollback", s.kind.Hub)
	s.equal("after rollback", upgraded, s.each(next.Versions...), none)
	s.does(apply...)
	all = s.start([stormWriters]string{s.kind.Versions[0], latest(s.kind), latest(next)})
	time.Sleep(time.Second)
	all.stop(upgraded)
	written := s.each(next.Versions...)
	s.rolledBack(rollback)
	s.stored("after rollback from new writes", s.kind.Hub)
	s.keepsBundle("after rollback from new writes")
	s.equal("after rollback from new writes", written, s.each(next.Versions...), none)
	if s.failed.Load() > 0 || s.reads.Load() == 0 {
		t.Errorf("%d of %d reads failed", s.failed.Load(), s.reads.Load())
	}
}

// rolledBack rolls an upgrade back. The API server to which the command is connected is killed
// while objects are written, and the command goes on when the server is ready again.
func (s *storming) rolledBack(args []string) {
	s.t.Helper()
	s.doesWhile(append(args, "--lease-duration", "30s", "--rate", fmt.Sprint(len(s.names))), "Rewrite", func() {
		time.Sleep(300 * time.Millisecond)
		s.restart()
	})
}

// doesWhile runs a command, which must reach its goal, and calls a function when a stage has begun.
func (s *storming) doesWhile(args []string, stage string, do func()) {
	s.t.Helper()
	defer s.timed(args[0])()
	c := s.command(args...)
	kill, await := reached(s.t, c, stage+": begins")
	defer kill()
	do()
	await("Verify: done")
	if err := c.Wait(); err != nil {
		s.t.Errorf("%s: %v", args[0], err)
	}
}

// rotate changes the CA bundle of the CRD, as cert-manager and the webhook do it. The new bundle
// has the certificates of the old one, and another one. Every second call removes that one again.
func (s *storming) rotate() {
	s.t.Helper()
	path := []string{"spec", "conversion", "webhook", "clientConfig", "caBundle"}
	shared.Eventually(s.t, crds.Patience, "a rotated CA bundle", func() error {
		d, err := s.client.Resource(crds.Definitions).Get(s.t.Context(), s.kind.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		text, _, _ := unstructured.NestedString(d.Object, path...)
		if s.bundle == "" {
			s.bundle = text
		}
		next := s.bundle
		if text == next {
			first, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return err
			}
			next = base64.StdEncoding.EncodeToString(append(first, s.Config.CAData...))
		}
		if err := unstructured.SetNestedField(d.Object, next, path...); err != nil {
			return err
		}
		if _, err = s.client.Resource(crds.Definitions).Update(s.t.Context(), d, metav1.UpdateOptions{}); err == nil {
			s.rotated = next
		}
		return err
	})
}

// keepsBundle checks that the CRD has the CA bundle that was written last.
func (s *storming) keepsBundle(when string) {
	s.t.Helper()
	d := shared.Must(s.t)(s.client.Resource(crds.Definitions).Get(s.t.Context(), s.kind.Name, metav1.GetOptions{}))
	if text, _, _ := unstructured.NestedString(d.Object, "spec", "conversion", "webhook", "clientConfig", "caBundle"); text != s.rotated {
		s.t.Errorf("%s, the CRD has another CA bundle than the last one", when)
	}
}

// pastMarker checks that each object was written after the marker of the evidence, or is one of
// those that a write after the marker left as they were.
func (s *storming) pastMarker(k *crds.Kind) {
	s.t.Helper()
	out, err := s.command("status", nameOf(s.t, s.plan), "-o", "json").Output()
	if err != nil {
		s.t.Fatal(err)
	}
	var of struct {
		Status struct {
			Kinds []struct {
				CRD      string
				Evidence *struct {
					Version, Marker string
					Lists           []struct{ Objects, Past, Unchanged int }
				}
			}
		}
	}
	if err := json.Unmarshal(out, &of); err != nil {
		s.t.Fatal(err)
	}
	for _, kind := range of.Status.Kinds {
		if kind.CRD != k.Name {
			continue
		}
		if kind.Evidence == nil || kind.Evidence.Version != k.Hub || len(kind.Evidence.Lists) != 2 {
			s.t.Fatalf("the evidence is %+v", kind.Evidence)
		}
		late := 0
		for _, version := range s.resourceVersions() {
			if len(version) > len(kind.Evidence.Marker) || len(version) == len(kind.Evidence.Marker) && version > kind.Evidence.Marker {
				late++
			}
		}
		for _, list := range kind.Evidence.Lists {
			if list.Objects != len(s.names) || list.Past+list.Unchanged != list.Objects || late+list.Unchanged < list.Objects {
				s.t.Errorf("a list of the evidence is %+v, and %d objects are past the marker", list, late)
			}
		}
		return
	}
	s.t.Errorf("no evidence of %s", k.Name)
}

func (s *storming) resourceVersions() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	s.list(latest(s.kind), func(o *unstructured.Unstructured) { out[o.GetName()] = o.GetResourceVersion() })
	return out
}

// requests returns the number of writes of the kind that both API servers have received.
func (s *storming) requests() (count int) {
	s.t.Helper()
	for _, config := range []*rest.Config{s.Config, s.second.Config} {
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			s.t.Fatal(err)
		}
		text, err := loopback.Get(s.t.Context(), client, config.Host+"/metrics")
		if err != nil {
			s.t.Fatal(err)
		}
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "apiserver_request_total{") || !strings.Contains(line, `resource="`+s.kind.Spec.Names.Plural+`"`) {
				continue
			}
			for _, verb := range []string{"POST", "PUT", "PATCH", "APPLY", "DELETE"} {
				if strings.Contains(line, `verb="`+verb+`"`) {
					var n float64
					if _, err := fmt.Sscan(line[strings.LastIndex(line, " ")+1:], &n); err != nil {
						s.t.Fatal(err)
					}
					count += int(n)
				}
			}
		}
	}
	return count
}
