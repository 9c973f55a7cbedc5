package preserve

import (
	"bytes"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// DeclaredIn is declared for metadata in JSON.
func (p *Program) DeclaredIn(meta []byte) []string {
	var by []string
	if p.isApplied(string(jsontext.Unquoted(jsontext.MemberOf(jsontext.MemberOf(meta, "annotations"), lastApplied)))) {
		by = append(by, "last-applied")
	}
	fields := jsontext.Cursor{Data: jsontext.MemberOf(meta, "managedFields")}
	for ok := fields.Take('['); ok && fields.More(']'); {
		entry := fields.Raw()
		text := func(name string) string { return string(jsontext.Unquoted(jsontext.MemberOf(entry, name))) }
		if text("operation") == string(metav1.ManagedFieldsOperationApply) && text("apiVersion") == p.apiVersion && hasSpec(jsontext.MemberOf(entry, "fieldsV1")) {
			by = append(by, "apply:"+text("manager"))
		}
	}
	slices.Sort(by)
	return slices.Compact(by)
}

// hasSpec reports whether the fields of a managedFields entry include a part of the spec.
func hasSpec(fields []byte) bool {
	const spec = "f:spec"
	return bytes.Contains(fields, []byte(spec)) && jsontext.MemberOf(fields, spec) != nil
}

// declared returns the managers that declare the spec in this version, sorted.
func (p *Program) declared(root metav1.Object) []string {
	var by []string
	if p.isApplied(root.GetAnnotations()[lastApplied]) {
		by = append(by, "last-applied")
	}
	entries := root.GetManagedFields()
	for i := range entries {
		if e := &entries[i]; e.APIVersion == p.apiVersion && ownsSpec(e) {
			by = append(by, "apply:"+e.Manager)
		}
	}
	slices.Sort(by)
	return slices.Compact(by)
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// isApplied reports whether a manifest has this version.
func (p *Program) isApplied(manifest string) bool {
	if manifest == "" || !jsontext.IsValid([]byte(manifest)) {
		return false
	}
	c := jsontext.Cursor{Data: []byte(manifest)}
	for c.Take('{'); c.More('}'); {
		if string(c.Name()) == "apiVersion" {
			version, _ := c.Text()
			return version == p.apiVersion
		}
		c.Raw()
	}
	return false
}

// ownsSpec reports whether an entry of managedFields is of an Apply that owns a part of the spec.
func ownsSpec(e *metav1.ManagedFieldsEntry) bool {
	return e.Operation == metav1.ManagedFieldsOperationApply && hasSpec(e.FieldsV1.GetRawBytes()) // FieldsV1 may be nil
}
