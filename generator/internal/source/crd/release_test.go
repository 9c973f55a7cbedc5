package crd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// crdOf is a CRD with versions whose specs have the given member. A version whose member is empty
// cannot be understood.
func crdOf(members ...string) string {
	var b strings.Builder
	b.WriteString("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: gadgets.example.com}\n" +
		"spec:\n  group: example.com\n  names: {kind: Gadget, plural: gadgets}\n  scope: Namespaced\n  versions:\n")
	for _, m := range members {
		version, member, _ := strings.Cut(m, " ")
		kind := "string"
		if member == "" {
			member, kind = "x", "nonsense"
		}
		fmt.Fprintf(&b, "  - {name: %s, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s: {type: %s}}}}}}}\n", version, member, kind)
	}
	return b.String()
}

// readReleases reads releases r0, r1 and so on, each of one file.
func readReleases(t *testing.T, texts ...string) *source.Result {
	t.Helper()
	var releases []Release
	for i, text := range texts {
		r := Release{Name: fmt.Sprintf("r%d", i), Root: t.TempDir(), Files: []string{"a.yaml"}}
		if err := os.WriteFile(filepath.Join(r.Root, "a.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		releases = append(releases, r)
	}
	result, err := Read(context.Background(), Options{Releases: releases})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestLastReleaseThatHasVersionDefinesIt(t *testing.T) {
	tests := []struct {
		reason   string
		releases []string
		versions []string // name, member and release
		broken   []string
	}{
		{"versions that left are as they last were", []string{crdOf("v1alpha1 a", "v1 a"), crdOf("v1 b", "v1alpha1 c"), crdOf("v1 d")}, []string{"v1alpha1 c r1", "v1 d r2"}, nil},
		{"a version that is broken in an old release alone", []string{crdOf("v1", "v2 a"), crdOf("v1 b")}, []string{"v2 a r0", "v1 b r1"}, nil},
		{"a version that is broken in the last release", []string{crdOf("v1 a", "v2 a"), crdOf("v1")}, []string{"v2 a r0"}, []string{"v1 r1"}},
		{"a version that is broken twice", []string{crdOf("v1"), crdOf("v1", "v2 a")}, []string{"v2 a r1"}, []string{"v1 r1"}},
		{"a version that only an old release has, broken", []string{crdOf("v1"), crdOf("v2 a")}, []string{"v2 a r1"}, []string{"v1 r0"}},
	}
	for _, tt := range tests {
		result := readReleases(t, tt.releases...)
		var versions, broken []string
		for _, r := range result.Resources {
			for _, v := range r.Versions {
				release, _, _ := strings.Cut(v.Sources[0].File, "/")
				versions = append(versions, v.Name+" "+v.Spec.(*model.Ref).Def.Object().Properties[0].Name+" "+release)
			}
		}
		for _, b := range result.Broken {
			release, _, _ := strings.Cut(b.Source.File, "/")
			broken = append(broken, b.Version+" "+release)
		}
		if !slices.Equal(versions, tt.versions) || !slices.Equal(broken, tt.broken) {
			t.Errorf("%s: versions %q, broken %q, want %q and %q", tt.reason, versions, broken, tt.versions, tt.broken)
		}
		if len(result.Releases) != len(tt.releases) {
			t.Errorf("%s: %d releases", tt.reason, len(result.Releases))
		}
	}
}

// TestReleasesHaveMembersAtOnePlace reads a kind that has members at its root in one release only:
// they are at the root of all versions.
func TestReleasesHaveMembersAtOnePlace(t *testing.T) {
	atRoot := strings.Replace(crdOf("v2 a"), "properties: {spec:", "properties: {data: {type: string}, spec:", 1)
	result := readReleases(t, crdOf("v1 a"), atRoot)
	for _, r := range slices.Concat(result.Resources, result.Releases[0].Resources) {
		for _, v := range r.Versions {
			if !v.AtRoot {
				t.Errorf("%s has its members in spec", v.Name)
			}
		}
	}
}
