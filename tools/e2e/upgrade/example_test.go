package upgrade_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/e2e/releases"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// account writes the objects of an upgrade.
const account = "system:serviceaccount:strata-system:strata-migrator"

// upgraded is a cluster with two releases of the worked example, which a user upgrades who has the
// roles of the reference and no other rights.
type upgraded struct {
	*pair
	program string
	user    string // a kubeconfig
	plan    string // a file
	moves   bool   // some objects are stored in the old hub, and others in the new one
}

// TestUpgradeOfExample upgrades the worked example from a release to a later one, which has
// another name for a property. The real webhook of each release converts, and the policies of the
// package are in force. Clients write through versions of both releases meanwhile. Two runs of
// apply are killed. A rollback, a second upgrade and its end change no leaf of any object in any
// version.
func TestUpgradeOfExample(t *testing.T) {
	tier.Long(t, "upgrades as a storm does, with the policies of the package")
	u := openUpgraded(t, firstTwo(t))
	old, next := u.old.kinds[0], u.next.kinds[0]
	kept := tier.IfSoak(24, 40)
	var names []string
	for i := range kept {
		version := old.Versions[i%len(old.Versions)]
		names = append(names, fmt.Sprintf("%s-%d", version, i))
		u.create(old, version, names[i])
	}
	before := map[string]map[string]*unstructured.Unstructured{}
	for _, name := range names {
		before[name] = u.inEachVersion(old, name)
	}
	early := u.write(old.Versions[0], latest(old), latest(next))
	u.protect(old, names[0])
	u.planned()

	apply := u.args("apply", u.plan)
	for i, rate := range []string{"4", "20"} {
		u.killed(append(apply, "--rate", rate), map[int]string{0: "CRDs", 1: "Rewrite"}[i])
	}
	u.does(apply...)
	u.stored("after apply", next.Hub)
	u.does(u.args("verify", nameOf(t, u.plan))...)
	early.stop()
	all := u.everywhere(next)
	u.does(u.args("rollback", nameOf(t, u.plan))...)
	u.stored("after rollback", old.Hub)
	u.unchanged("after rollback", next, all)
	for _, name := range names {
		u.same("since the upgrade began", old, name, before[name])
	}

	late := u.write(old.Versions[0], latest(next))
	u.does(apply...)
	late.stop()
	u.unchanged("after the second upgrade", next, all)
	if rate := u.upgrade().Spec.Rate; rate != 20 {
		t.Errorf("the rate is %d, and the last run with one had 20", rate)
	}
	u.does(u.args("prune", nameOf(t, u.plan), "--yes")...)
	u.stored("after prune", next.Hub)
	u.unchanged("after prune", next, all)
	d := shared.Must(t)(u.client.Resource(crds.Definitions).Get(t.Context(), next.Name, metav1.GetOptions{}))
	if stored, _, _ := unstructured.NestedStringSlice(d.Object, "status", "storedVersions"); !slices.Equal(stored, []string{next.Hub}) {
		t.Errorf("after prune, storedVersions is %v", stored)
	}
}

// openUpgraded has the CRDs of the old release, the webhook of the new one, and the user.
func openUpgraded(t *testing.T, made []releases.Release) *upgraded {
	t.Helper()
	u := &upgraded{pair: openPair(t, made), program: program(t, strataCluster), plan: filepath.Join(t.TempDir(), "plan.json")}
	u.serve(u.next, u.old.kinds)
	u.namespace = crds.Namespace(t, u.client, "example-")
	u.await(u.old.kinds)
	u.permit()
	return u
}

// permit creates the user, with the roles that the reference shows.
func (u *upgraded) permit() {
	u.t.Helper()
	page, err := os.ReadFile("../../../docs/guide/reference/cluster.md")
	if err != nil {
		u.t.Fatal(err)
	}
	_, after, found := strings.Cut(string(page), "```yaml\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: strata-upgrade\n")
	roles, _, ends := strings.Cut(after, "```")
	if !found || !ends {
		u.t.Fatal("the reference has no role strata-upgrade")
	}
	roles = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: strata-upgrade\n" + roles
	u.kubectl(roles, "apply", "-f", "-")
	u.kubectl("", "create", "clusterrolebinding", "strata-upgrade", "--clusterrole=strata-upgrade", "--user=upgrader")
	u.t.Cleanup(func() {
		for input, args := range map[string][]string{roles: {"delete", "-f", "-"}, "": {"delete", "clusterrolebinding", "strata-upgrade"}} {
			if _, messages, err := u.Kubectl().Run(shared.Afterwards(u.t), input, append(args, "--ignore-not-found")...); err != nil {
				u.t.Errorf("kubectl %v: %v\n%s", args, err, messages)
			}
		}
	})
	config, err := u.User("upgrader")
	if err != nil {
		u.t.Fatal(err)
	}
	u.user = filepath.Join(u.t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(kubeconfigOf(config), u.user); err != nil {
		u.t.Fatal(err)
	}
}

func (u *upgraded) kubectl(input string, args ...string) {
	u.t.Helper()
	if _, messages, err := u.Kubectl().Run(u.t.Context(), input, args...); err != nil {
		u.t.Fatalf("kubectl %s: %v\n%s", args[0], err, messages)
	}
}

// args are those of a command that works on the upgrade.
func (u *upgraded) args(args ...string) []string {
	return append(args, "--package", u.next.API, "--as", account, "--webhook", u.probes, "--server", u.Host(), "--grace", "1s", "--lease-duration", "5s")
}

func (u *upgraded) command(args ...string) *exec.Cmd {
	return exec.CommandContext(u.t.Context(), u.program, append([]string{"upgrade"}, append(args, "--kubeconfig", u.user)...)...)
}

// does runs a command, which must reach its goal.
func (u *upgraded) does(args ...string) {
	u.t.Helper()
	began := time.Now()
	if out, err := u.command(args...).CombinedOutput(); err != nil {
		u.t.Fatalf("%s: %v\n%s", args[0], err, out)
	}
	u.t.Logf("%s took %s", args[0], time.Since(began).Round(time.Second/10))
}

// planned saves the plan of the upgrade, which has no findings.
func (u *upgraded) planned() {
	u.t.Helper()
	u.does("plan", u.next.API, "--converter", u.next.webhook+" convert", "--webhook", u.probes, "--save", u.plan)
}

// killed kills a command some time after a stage has begun.
func (u *upgraded) killed(args []string, stage string) {
	u.t.Helper()
	end, _ := reached(u.t, u.command(args...), stage+": begins")
	time.Sleep(time.Second)
	end()
}

// reached starts a command, and returns when it has printed a text to standard error. The first
// function kills the command, and the second one waits for another text.
func reached(t testing.TB, c *exec.Cmd, text string) (kill func(), await func(text string)) {
	t.Helper()
	out, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	await = func(text string) {
		t.Helper()
		for chunk := make([]byte, 1<<12); !strings.Contains(printed.String(), text); {
			n, err := out.Read(chunk)
			printed.Write(chunk[:n])
			if err != nil {
				t.Fatalf("the command ended before %q\n%s", text, &printed)
			}
		}
	}
	await(text)
	return func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}, await
}

// stored checks that etcd has each object in a version.
func (u *upgraded) stored(when, version string) {
	u.t.Helper()
	k := u.old.kinds[0]
	list, err := u.in(k).Through(latest(k)).List(u.t.Context(), metav1.ListOptions{})
	if err != nil {
		u.t.Fatal(err)
	}
	for i := range list.Items {
		if got := u.storedVersion(k, list.Items[i].GetName()); got != version {
			u.t.Errorf("%s: %s is stored in %s, want %s", when, list.Items[i].GetName(), got, version)
		}
	}
}

// everywhere reads all objects in all versions that users write.
func (u *upgraded) everywhere(k *crds.Kind) map[string]map[string]*unstructured.Unstructured {
	u.t.Helper()
	list, err := u.in(k).Through(latest(k)).List(u.t.Context(), metav1.ListOptions{})
	if err != nil {
		u.t.Fatal(err)
	}
	out := map[string]map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		out[list.Items[i].GetName()] = u.inEachVersion(k, list.Items[i].GetName())
	}
	return out
}

func (u *upgraded) unchanged(when string, k *crds.Kind, all map[string]map[string]*unstructured.Unstructured) {
	u.t.Helper()
	for name, before := range all {
		u.same(when, k, name, before)
	}
}

// writers change the objects that they have created, one after the other.
type writers struct {
	u     *upgraded
	group sync.WaitGroup
	end   context.CancelFunc
	each  []*writer
}

type writer struct {
	version string
	names   []string
	want    map[string]map[string]any // in the latest version of the old release
	wrote   int
}

// write starts a writer for each version. It creates objects through the latest version of the old
// release, since a version of the new release may not be served yet.
func (u *upgraded) write(versions ...string) *writers {
	u.t.Helper()
	ctx, end := context.WithCancel(u.t.Context())
	all := &writers{u: u, end: end}
	old := u.old.kinds[0]
	for _, version := range versions {
		u.reads++
		w := &writer{version: version, want: map[string]map[string]any{}}
		for i := range 3 {
			name := fmt.Sprintf("written-%s-%d-%d", version, u.reads, i)
			u.create(old, latest(old), name)
			w.names = append(w.names, name)
			w.want[name] = values(u.in(old).Get(latest(old), name))
		}
		all.each = append(all.each, w)
		all.group.Go(func() { w.run(ctx, u) })
	}
	return all
}

// run writes until the context ends. A version that is not served yet is asked for again.
func (w *writer) run(ctx context.Context, u *upgraded) {
	path := edited["Person"]
	through := u.in(u.old.kinds[0]).Through(w.version)
	for i := 0; ctx.Err() == nil; i++ {
		name := w.names[i%len(w.names)]
		text := fmt.Sprintf("00000000-0000-0000-0000-%012d", i)
		object, err := through.Get(u.t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) && w.wrote == 0 {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if u.t.Context().Err() != nil {
			return // the test has ended
		}
		if err != nil {
			u.t.Errorf("read %s through %s: %v", name, w.version, err)
			return
		}
		_, err = through.Update(u.t.Context(), changed(object, path, text), metav1.UpdateOptions{FieldManager: "writer"})
		switch {
		case err == nil:
			w.wrote++
			_ = unstructured.SetNestedField(w.want[name], text, path...)
		case !apierrors.IsConflict(err):
			u.t.Errorf("write %s through %s: %v", name, w.version, err)
			return
		}
		time.Sleep(time.Duration(tier.IfSoak(50, 10)) * time.Millisecond)
	}
}

// stop ends the writers. Each object has what its writer wrote last, and nothing else has changed.
func (all *writers) stop() {
	u := all.u
	u.t.Helper()
	all.end()
	all.group.Wait()
	old := u.old.kinds[0]
	for _, w := range all.each {
		if w.wrote == 0 {
			u.t.Errorf("no write through %s", w.version)
		}
		for _, name := range w.names {
			if diff := cmp.Diff(w.want[name], values(u.in(old).Get(latest(old), name))); diff != "" {
				u.t.Errorf("%s, written through %s (-want +got):\n%s", name, w.version, diff)
			}
		}
	}
}

// upgrade returns the upgrade that the cluster has.
func (u *upgraded) upgrade() (of struct {
	Spec struct{ Rate int }
}) {
	u.t.Helper()
	out, _ := u.command("status", nameOf(u.t, u.plan), "-o", "json").Output()
	if err := json.Unmarshal(out, &of); err != nil {
		u.t.Fatal(errors.Join(err, errors.New(string(out))))
	}
	return of
}
