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
	if mayApply(meta) {
		fields := jsontext.Cursor{Data: jsontext.MemberOf(meta, "managedFields")}
		for another := fields.Begins('['); another; another = fields.Another() {
			if manager, ok := p.applier(&fields); ok {
				by = append(by, "apply:"+manager)
			}
		}
	}
	slices.Sort(by)
	return slices.Compact(by)
}

// mayApply reports whether metadata may have an entry of an Apply. The word can be spelled with
// escapes.
func mayApply(meta []byte) bool {
	return bytes.Contains(meta, []byte(metav1.ManagedFieldsOperationApply+`"`)) || bytes.IndexByte(meta, '\\') >= 0
}

// applier steps over an entry of managedFields. It returns the manager if the entry is of an Apply
// that owns a part of the spec in this version.
func (p *Program) applier(c *jsontext.Cursor) (manager string, ok bool) {
	var operation, apiVersion, by, fields, other []byte
	entry := jsontext.Cursor{Data: c.Raw()}
	for another := entry.Begins('{'); another; another = entry.Another() {
		into := &other
		switch string(entry.Name()) {
		case "operation":
			into = &operation
		case "apiVersion":
			into = &apiVersion
		case "manager":
			into = &by
		case "fieldsV1":
			into = &fields
		}
		*into = entry.Raw()
	}
	is := func(value []byte, text string) bool { return string(jsontext.Unquoted(value)) == text }
	ok = is(operation, string(metav1.ManagedFieldsOperationApply)) && is(apiVersion, p.apiVersion) && hasSpec(fields)
	return string(jsontext.Unquoted(by)), ok
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
