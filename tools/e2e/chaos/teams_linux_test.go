package chaos_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/fixtures"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// teams are objects of a cluster-scoped kind with a scale subresource. Of each round there are two
// in each version. In the next round, one of each version is scaled through the other version, one
// is edited through its own, and one is deleted. There is also foreign-N, whose resource another
// client has made.
type teams struct {
	*strangers
	all []*team

	scaled, edited, deleted int
}

// team is an object, with the values that its resource must have in the end.
type team struct {
	name, version string
	title         string
	seats         int64
	isDeleted     bool
}

const (
	desks     = "/providers/desk.example.com/teams/"
	teamsType = "desk.example.com/teams"
	teamBody  = `{"properties":{"title":"of another client","seats":9}}`
	examples  = "../../../operator/api/crds"
	teamsCRDs = "../teams/api/crds"
)

func teamsIn(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "desk.example.com", Version: version, Resource: "teams"}
}

// crdsOf returns a folder with the CRDs of several folders.
func crdsOf(t *testing.T, folders ...string) string {
	t.Helper()
	all := t.TempDir()
	for _, folder := range folders {
		if err := os.CopyFS(all, os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
	}
	if files, err := filepath.Glob(filepath.Join(all, "*.yaml")); err != nil || len(files) != 5 {
		t.Fatalf("the CRDs are %q (%v)", files, err)
	}
	return all
}

// comeTeams creates the resources of other clients. Below another parent there is one of each name.
func (t *strangers) comeTeams() {
	t.Helper()
	t.teams = &teams{strangers: t}
	create := func(parent, name string) {
		if err := t.Simulator.Create(t.Context(), parent+desks+name, "v2", teamBody); err != nil {
			t.Fatal(err)
		}
	}
	for round := range rounds() {
		foreign := fmt.Sprintf("foreign-%d", round)
		create(env.Parent, foreign)
		create(other, foreign)
		for i := range 4 {
			create(other, nameOf(round, i))
		}
	}
}

func nameOf(round, i int) string { return fmt.Sprintf("round-%d-team-%d", round, i) }

// round makes the teams of a round, and changes those of the round before.
func (t *teams) round(n int) {
	t.Helper()
	if n > 0 {
		before := t.all[4*(n-1):]
		t.scales(before[0], "v2")
		t.scales(before[1], "v1")
		t.edits(before[2])
		t.ends(before[3])
	}
	for i := range 4 {
		one := &team{name: nameOf(n, i), version: []string{"v1", "v2"}[i%2], title: "desks", seats: int64(1 + i)}
		t.all = append(t.all, one)
		t.make(one.version, one.name, one.title, one.seats)
	}
	t.make("v2", fmt.Sprintf("foreign-%d", n), "mine", 1)
}

func (t *teams) make(version, name, title string, seats int64) {
	t.Helper()
	t.object(teamsIn(version), "Team", "", name, map[string]any{"properties": map[string]any{"title": title, "seats": seats}}, false)
}

// scales writes the scale subresource, as an autoscaler does that knows another version.
func (t *teams) scales(one *team, through string) {
	t.Helper()
	one.seats = t.random.Int64N(100)
	t.scaled++
	t.patch(one, through, fmt.Sprintf(`{"spec":{"replicas":%d}}`, one.seats), "scale")
}

func (t *teams) edits(one *team) {
	t.Helper()
	one.title = fmt.Sprint("desk ", t.random.IntN(100))
	t.edited++
	t.patch(one, one.version, fmt.Sprintf(`{"spec":{"properties":{"title":%q}}}`, one.title))
}

func (t *teams) patch(one *team, through, patch string, subresources ...string) {
	t.Helper()
	err := fixtures.Insist(t.Context(), func() error {
		_, err := t.client.Resource(teamsIn(through)).Patch(t.Context(), one.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (t *teams) ends(one *team) {
	t.Helper()
	one.isDeleted = true
	t.deleted++
	t.deletesTeam(one.name)
}

func (t *teams) deletesTeam(name string) {
	t.Helper()
	err := fixtures.Insist(t.Context(), func() error {
		return t.client.Resource(teamsIn("v2")).Delete(t.Context(), name, metav1.DeleteOptions{})
	})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}

// calm waits until each team is Ready in its present generation, or deleted, and its scale is the
// last one that was written. Then it deletes the objects whose resources other clients have made.
func (t *teams) calm() {
	t.Helper()
	for _, one := range t.all {
		if one.isDeleted {
			t.comesTo(teamsIn("v2"), "", one.name, "")
			continue
		}
		shared.Eventually(t.T, *patience, one.name, func() error {
			t.mends()
			return t.isScaled(one)
		})
	}
	for n := range rounds() {
		name := fmt.Sprintf("foreign-%d", n)
		t.comesTo(teamsIn("v2"), "", name, "Exists")
		t.deletesTeam(name)
		t.comesTo(teamsIn("v2"), "", name, "")
	}
}

// isScaled returns an error while a team is not Ready, or its scale is not the last one that was
// written.
func (t *teams) isScaled(one *team) error {
	object, err := t.client.Resource(teamsIn(one.version)).Get(t.Context(), one.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if reason, message, err := t.reason(teamsIn(one.version), "", one.name); err != nil || reason != "True" {
		return fmt.Errorf("it is %s (%s, %v)", reason, message, err)
	}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, c := range conditions {
		if c, _ := c.(map[string]any); c["type"] == "Ready" && c["observedGeneration"] != object.GetGeneration() {
			return fmt.Errorf("it is Ready in generation %v of %d", c["observedGeneration"], object.GetGeneration())
		}
	}
	scale, err := t.client.Resource(teamsIn("v2")).Get(t.Context(), one.name, metav1.GetOptions{}, "scale")
	if err != nil {
		return err
	}
	want, _, wantErr := unstructured.NestedInt64(scale.Object, "spec", "replicas")
	is, _, isErr := unstructured.NestedInt64(scale.Object, "status", "replicas")
	if err := errors.Join(wantErr, isErr); err != nil || want != one.seats || is != one.seats {
		return fmt.Errorf("its scale is %d of %d, want %d (%v)", is, want, one.seats, err)
	}
	return nil
}

// areDone compares the resources of teams with the written values, and returns the other
// resources.
func (t *teams) areDone(resources []armsim.Resource) (rest []armsim.Resource) {
	t.Helper()
	found := map[string]armsim.Resource{}
	for _, r := range resources {
		if strings.EqualFold(r.Type, teamsType) {
			found[last(r.ID)] = r
		} else {
			rest = append(rest, r)
		}
	}
	for _, one := range t.all {
		if !one.isDeleted {
			t.compare(one, found[one.name])
			delete(found, one.name)
		}
	}
	t.orphaned += len(found)
	for name := range found {
		t.Errorf("the team %s is left in the external API, and nobody wants it", name)
	}
	return rest
}

// compare fails the test unless a resource was created once, in the version of its author, with
// the written values. A scale that was written through another version must be sent in the
// author's version.
func (t *teams) compare(one *team, r armsim.Resource) {
	t.Helper()
	var body struct {
		Properties struct {
			Title string
			Seats int64
		}
	}
	err := json.Unmarshal(r.Body, &body)
	is := body.Properties
	if err != nil || r.Creates != 1 || r.APIVersion != one.version || is.Title != one.title || is.Seats != one.seats {
		t.orphaned++
		t.Errorf("%s was created %d times, and is %s in version %q, want %+v (%v)", one.name, r.Creates, r.Body, r.APIVersion, *one, err)
	}
}
