package conversion_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/kubectl"
)

// session is a user who has one object through one version with kubectl.
type session struct {
	view
	kubectl       kubectl.Client
	version, name string
}

// calls are calls of kubectl that do not change the spec.
var calls = []struct {
	name string
	noop bool // does nothing, and finds nothing to be different
	do   func(s session)
}{
	{name: "label", do: func(s session) { s.run("", "label", s.object(), "tier=gold") }},
	{name: "annotate", do: func(s session) { s.run("", "annotate", s.object(), "note=seen") }},
	{name: "edit", do: func(s session) { s.run("", "edit", s.object()) }},
	{name: "replace as read", noop: true, do: func(s session) { s.run(s.read(), "replace", "-f", "-") }},
	{name: "replace the status as read", noop: true, do: func(s session) {
		s.run(s.read(), "replace", "--subresource=status", "-f", "-")
	}},
	{name: "apply", do: func(s session) { s.run(s.manifest(), "apply", "-f", "-") }},
	{name: "diff", noop: true, do: func(s session) { s.run(s.manifest(), "diff", "-f", "-") }},
	{name: "apply server-side", do: func(s session) {
		s.run(s.manifest(), "apply", "--server-side", "--force-conflicts", "-f", "-")
	}},
	{name: "diff server-side", noop: true, do: func(s session) {
		s.run(s.manifest(), "diff", "--server-side", "--force-conflicts", "-f", "-")
	}},
}

// TestKubectlDestroysNothing does all of this with objects that have more to them than the version
// shows. Doing something again does nothing. Three versions do it.
func TestKubectlDestroysNothing(t *testing.T) {
	tier.Long(t, "runs kubectl many times")
	eachKind(t, func(t *testing.T, p view) {
		for _, version := range p.kind.three() {
			p.create(p.kind.latest(), version)
			s := session{p, open(t).Kubectl(), version, version}
			for _, call := range calls {
				before := p.Stored(s.name)
				call.do(s)
				after := p.Stored(s.name)
				s.checkSame(call.name, before, after)
				if !call.noop {
					call.do(s)
					before, after = after, p.Stored(s.name)
				}
				if after.GetResourceVersion() != before.GetResourceVersion() {
					t.Errorf("%s through %s is not idle:\n%s", call.name, version, cmp.Diff(before.Object, after.Object))
				}
			}
		}
	})
}

// TestKubectlCreatesByApplying applies a manifest to nothing, in both ways.
func TestKubectlCreatesByApplying(t *testing.T) {
	tier.Long(t, "runs kubectl many times")
	eachKind(t, func(t *testing.T, p view) {
		for _, method := range [][]string{{}, {"--server-side"}} {
			version := p.kind.three()[1]
			s := session{p, open(t).Kubectl(), version, strings.Join(append([]string{"applied"}, method...), "")}
			written, err := json.Marshal(p.kind.of(version, s.name).Object)
			if err != nil {
				t.Fatal(err)
			}
			s.run(string(written), append([]string{"apply", "-f", "-"}, method...)...)
			s.run(string(written), append([]string{"diff", "-f", "-"}, method...)...)
			visible, _, _ := unstructured.NestedMap(p.Get(version, s.name).Object, "spec")
			if diff := cmp.Diff(p.kind.filled(version, "spec"), visible); diff != "" {
				t.Errorf("%q (-applied +read):\n%s", method, diff)
			}
		}
	})
}

// checkSame requires that the spec of the hub, without its original version, and the generation
// are unchanged.
func (s session) checkSame(call string, before, after *unstructured.Unstructured) {
	s.t.Helper()
	if diff := cmp.Diff(content(before), content(after)); diff != "" {
		s.t.Errorf("%s through %s changed the hub (-before +after):\n%s", call, s.version, diff)
	}
	if before.GetGeneration() != after.GetGeneration() {
		s.t.Errorf("%s through %s made generation %d of %d", call, s.version, after.GetGeneration(), before.GetGeneration())
	}
}

func (s session) run(input string, args ...string) string {
	s.t.Helper()
	stdout, _, err := s.kubectl.Run(s.t.Context(), input, append(args, "--namespace", s.Namespace)...)
	if err != nil {
		s.t.Fatalf("through %s: %v\n%s", s.version, err, stdout)
	}
	return stdout
}

// object names the object in its version, as in persons.v20110101.crm.example.com/ada.
func (s session) object() string {
	resource := s.kind.Resource(s.version)
	return strings.Join([]string{resource.Resource, resource.Version, resource.Group}, ".") + "/" + s.name
}

func (s session) read() string { return s.run("", "get", s.object(), "-o", "yaml") }

// manifest declares the spec as the version shows it.
func (s session) manifest() string {
	s.t.Helper()
	visible := s.Get(s.version, s.name)
	written, err := json.Marshal(map[string]any{
		"apiVersion": visible.GetAPIVersion(), "kind": visible.GetKind(),
		"metadata": map[string]any{"name": s.name}, "spec": visible.Object["spec"],
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(written)
}

// TestKubectlPrintsConditions has kubectl print an object through each version. It shows the
// condition Ready, and the version that the operator calls.
func TestKubectlPrintsConditions(t *testing.T) {
	tier.Long(t, "runs kubectl many times")
	const status = `{"status":{"conditions":[{"type":"Ready","status":"False","severity":"Warning","reason":"Throttled","message":"paused for 5m","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`
	eachKind(t, func(t *testing.T, p view) {
		p.create(p.kind.latest(), "printed")
		s := session{p, open(t).Kubectl(), p.kind.latest(), "printed"}
		s.run("", "patch", s.object(), "--subresource=status", "--type=merge", "-p", status)
		s.run("", "annotate", s.object(), "strata.dev/api-version=2019-09-09")
		for _, s.version = range p.kind.three() {
			printed := strings.Split(s.run("", "get", s.object()), "\n")
			header, row := strings.Fields(printed[0]), strings.Fields(printed[1])
			if diff := cmp.Diff(strings.Fields("NAME READY REASON MESSAGE API VERSION"), header[:6]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", s.version, diff)
			}
			if diff := cmp.Diff(strings.Fields("printed False Throttled paused for 5m 2019-09-09"), row[:7]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", s.version, diff)
			}
		}
	})
}
