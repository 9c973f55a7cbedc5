package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

// compare finds how an installed CRD differs from that of the package; it is nil if there is none.
func (e *examination) compare(d, want *crd.CRD) {
	file := filepath.Join(e.Dir, "crds", want.Name()+".yaml")
	apply := e.apply(file)
	switch {
	case d == nil:
		e.add(Finding{ID: "crd-missing", Severity: failure, Subject: want.Name(), Explanation: "the cluster does not have the CRD of " + file, Command: apply})
	case d.Hub() != want.Hub():
		e.add(Finding{
			ID: "storage-version", Severity: warning, Subject: want.Name(), Explanation: fmt.Sprintf("the cluster stores %s, and the package %s", d.Hub(), want.Hub()),
			Command: "strata cluster upgrade plan " + Quoted(e.Dir) + " --converter 'strata-webhook convert' --save plan.json" + e.Selected,
			Hint:    "the plan shows what the upgrade means; strata cluster upgrade apply does it",
		})
	default:
		if what := difference(d, want); what != "" {
			e.add(Finding{ID: "crd-differs", Severity: failure, Subject: want.Name(), Explanation: what + ", unlike " + file, Command: apply})
		}
	}
}

// apply returns the command that applies a file of the package.
func (e *examination) apply(file string) string {
	return "kubectl apply --server-side --force-conflicts" + e.Selected + " -f " + Quoted(file)
}

// applyAll returns the command that applies the package, as far as one is known.
func (e *examination) applyAll() string {
	if _, err := os.Stat(filepath.Join(e.Dir, "kustomization.yaml")); e.Dir == "" || err != nil {
		return ""
	}
	return "kubectl apply --server-side --force-conflicts" + e.Selected + " -k " + Quoted(e.Dir)
}

// difference describes the first difference of an installed CRD; empty if there is none that
// counts.
func difference(d, want *crd.CRD) string {
	served := map[string]bool{}
	for _, v := range d.Versions {
		served[v.Name] = v.Served
	}
	for _, v := range want.Versions {
		is, found := served[v.Name]
		switch {
		case !found:
			return "it lacks the version " + v.Name
		case is != v.Served && v.Served:
			return "it does not serve " + v.Name
		case is != v.Served:
			return "it serves " + v.Name
		case !sameJSON(d.Schemas[v.Name], want.Schemas[v.Name]):
			return "it has another schema of " + v.Name
		}
		delete(served, v.Name)
	}
	for _, v := range d.Versions {
		if _, more := served[v.Name]; more {
			return "it has the version " + v.Name
		}
	}
	if d.Converts != want.Converts {
		return "a webhook converts it, or does not,"
	}
	return ""
}

// sameJSON reports whether two values are equal, whatever the order of members.
func sameJSON(a, b []byte) bool {
	var left, right any
	if bytes.Equal(a, b) {
		return true
	}
	return json.Unmarshal(a, &left) == nil && json.Unmarshal(b, &right) == nil && reflect.DeepEqual(left, right)
}

// Quoted returns a word for a shell.
func Quoted(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-+=:@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
