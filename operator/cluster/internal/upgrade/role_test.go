package upgrade

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/cluster/internal/references"
)

// TestRoles checks that a plan gives no right on all resources unless versions go, and none to
// write them unless owner references name one.
func TestRoles(t *testing.T) {
	owned := []Finding{{Reason: references.OwnerReference, Version: "v1"}}
	for _, test := range []struct {
		reason string
		p      Plan
		want   []string // verbs on all resources
	}{
		{"no version goes", Plan{Kinds: []Kind{{CRD: "notes.a.b"}}}, nil},
		{"a version goes", Plan{Kinds: []Kind{{CRD: "notes.a.b", Gone: []string{"v1"}}}}, []string{"list"}},
		{"a version comes, which a rollback removes", Plan{Kinds: []Kind{{CRD: "notes.a.b", Added: []string{"v2"}}}}, []string{"list"}},
		{"an owner reference", Plan{Kinds: []Kind{{CRD: "notes.a.b", Gone: []string{"v1"}, Findings: owned}}}, []string{"list", "get", "patch"}},
		{"references that were not read", Plan{Kinds: []Kind{{CRD: "notes.a.b", Gone: []string{"v1"}}}, NotChecked: []references.Unchecked{{What: "owner references of secrets"}}}, []string{"list", "get", "patch"}},
	} {
		var got []string
		for _, r := range append(test.p.worker(RoleOptions{}), test.p.writer()...) {
			if slices.Contains(r.Resources, "*") {
				got = append(got, r.Verbs...)
			}
		}
		var out strings.Builder
		if err := test.p.Roles(&out, RoleOptions{}); err != nil || !slices.Equal(got, test.want) || !strings.Contains(out.String(), "- notes.a.b\n") || strings.Count(out.String(), "kind: ClusterRole\n") != 2 {
			t.Errorf("%s: %q, want %q; %v\n%s", test.reason, got, test.want, err, &out)
		}
	}
}

// TestRoleOptions checks that the rules of an option are there if it is, and not otherwise.
func TestRoleOptions(t *testing.T) {
	p := Plan{Kinds: []Kind{{CRD: "notes.a.b"}}}
	for _, test := range []struct {
		o    RoleOptions
		want []string
	}{
		{RoleOptions{}, nil},
		{RoleOptions{InTree: true}, []string{"storageversionmigrations get create delete"}},
		{RoleOptions{Evidence: true}, []string{"namespaces kube-system get", "notes list"}},
	} {
		var got []string
		plain := p.worker(RoleOptions{})
		for _, r := range p.worker(test.o) {
			if !slices.ContainsFunc(plain, func(of rule) bool { return reflect.DeepEqual(of, r) }) {
				got = append(got, strings.Join(slices.Concat(r.Resources, r.Names, r.Verbs), " "))
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%+v adds %q, want %q", test.o, got, test.want)
		}
	}
}
