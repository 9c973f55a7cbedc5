package upgrade

import (
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/operator/cluster/internal/references"
)

// rule is a rule of a role.
type rule struct {
	Groups    []string `json:"apiGroups"`
	Resources []string `json:"resources"`
	Names     []string `json:"resourceNames,omitempty"`
	Verbs     []string `json:"verbs"`
}

// The names of the roles, which are those of the reference.
const (
	worker = "strata-upgrade"
	writer = "strata-migrator"
	// leaseName and upgradesName are objects that an upgrade writes beside its CRDs.
	leaseName    = "strata-cluster-upgrade"
	upgradesName = "storageupgrades.cluster.strata.dev"
)

// RoleOptions are what the user does beside the work on an upgrade.
type RoleOptions struct {
	// InTree lets the migrator of Kubernetes write the objects.
	InTree bool
	// Evidence saves the evidence to a file.
	Evidence bool
}

// Roles prints the roles that the upgrade of a plan needs, and nothing beyond them: one for the
// user who works on it, and one for the account that writes its objects.
func (p *Plan) Roles(w io.Writer, o RoleOptions) error {
	for i, role := range []struct {
		name  string
		rules []rule
	}{{worker, p.worker(o)}, {writer, p.writer()}} {
		text, err := yaml.Marshal(map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": role.name}, "rules": role.rules,
		})
		if err != nil {
			return fmt.Errorf("print role: %w", err)
		}
		if _, err := fmt.Fprintf(w, "%s%s", []string{"", "---\n"}[i], text); err != nil {
			return err
		}
	}
	return nil
}

// worker returns the rules of the user who works on the upgrade.
func (p *Plan) worker(o RoleOptions) []rule {
	const definitions = "customresourcedefinitions"
	api, names := []string{"apiextensions.k8s.io"}, p.names()
	out := []rule{
		{api, []string{definitions}, append(slices.Clone(names), upgradesName), []string{"get", "update", "patch"}},
		{api, []string{definitions + "/status"}, names, []string{"update"}},
		// A right to create has no names. The first run creates the CRD of StorageUpgrade.
		{api, []string{definitions}, nil, []string{"create"}},
		{[]string{"cluster.strata.dev"}, []string{"storageupgrades", "storageupgrades/status"}, nil, []string{"get", "list", "create", "update", "patch"}},
		{[]string{"coordination.k8s.io"}, []string{"leases"}, nil, []string{"create"}},
		{[]string{"coordination.k8s.io"}, []string{"leases"}, []string{leaseName}, []string{"get", "update"}},
		{[]string{"discovery.k8s.io"}, []string{"endpointslices"}, nil, []string{"list"}},
		{[]string{""}, []string{"pods"}, nil, []string{"list"}},
		{[]string{""}, []string{"pods/proxy"}, nil, []string{"get"}},
		{[]string{""}, []string{"events"}, nil, []string{"create"}},
		{[]string{""}, []string{"serviceaccounts"}, []string{writer}, []string{"impersonate"}},
	}
	if o.InTree {
		out = append(out, rule{[]string{"storagemigration.k8s.io"}, []string{"storageversionmigrations"}, nil, []string{"get", "create", "delete"}})
	}
	if o.Evidence {
		out = append(out, rule{[]string{""}, []string{"namespaces"}, []string{metav1.NamespaceSystem}, []string{"get"}})
		out = append(out, p.counts()...)
	}
	if p.loses() {
		out = append(out, rule{[]string{"*"}, []string{"*"}, nil, []string{"list"}}) // owner references
	}
	if p.owned() {
		out = append(out, rule{[]string{"*"}, []string{"*"}, nil, []string{"get", "patch"}})
	}
	return out
}

// counts returns the rules of the user who counts objects by original version, as evidence has it.
func (p *Plan) counts() (out []rule) {
	for i := range p.Kinds {
		plural, group, _ := strings.Cut(p.Kinds[i].CRD, ".")
		out = append(out, rule{[]string{group}, []string{plural}, nil, []string{"list"}})
	}
	return out
}

// writer returns the rules of the account that writes the objects.
func (p *Plan) writer() []rule {
	out := []rule{{[]string{"apiextensions.k8s.io"}, []string{"customresourcedefinitions"}, p.names(), []string{"get"}}}
	for i := range p.Kinds {
		plural, group, _ := strings.Cut(p.Kinds[i].CRD, ".")
		out = append(out, rule{[]string{group}, []string{plural}, nil, []string{"get", "list", "patch"}})
	}
	return out
}

func (p *Plan) names() (out []string) {
	for i := range p.Kinds {
		out = append(out, p.Kinds[i].CRD)
	}
	return out
}

// loses reports whether versions go with the upgrade, or with its rollback.
func (p *Plan) loses() bool {
	return slices.ContainsFunc(p.Kinds, func(k Kind) bool { return len(k.Gone)+len(k.Unserved)+len(k.Added) > 0 })
}

// owned reports whether owner references name versions that go, or were not read.
func (p *Plan) owned() bool {
	return slices.ContainsFunc(p.Kinds, func(k Kind) bool {
		return slices.ContainsFunc(k.Findings, func(f Finding) bool { return f.Reason == references.OwnerReference })
	}) || slices.ContainsFunc(p.NotChecked, func(u references.Unchecked) bool { return strings.HasPrefix(u.What, "owner references ") })
}
