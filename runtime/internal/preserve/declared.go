package preserve

import (
	"bytes"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// DeclaredIn is declared for metadata as JSON.
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

// hasSpec reports whether fields of managedFields own some of the spec.
func hasSpec(fields []byte) bool {
	const spec = "f:spec"
	return bytes.Contains(fields, []byte(spec)) && jsontext.MemberOf(fields, spec) != nil
}
