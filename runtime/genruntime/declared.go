package genruntime

import (
	"bytes"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// declaredIn is declared for metadata as JSON.
func (p *program) declaredIn(meta []byte) []string {
	var by []string
	if p.isApplied(string(unquoted(memberOf(memberOf(meta, "annotations"), lastApplied)))) {
		by = append(by, "last-applied")
	}
	fields := cursor{data: memberOf(meta, "managedFields")}
	for ok := fields.take('['); ok && fields.more(']'); {
		entry := fields.raw()
		text := func(name string) string { return string(unquoted(memberOf(entry, name))) }
		if text("operation") == string(metav1.ManagedFieldsOperationApply) && text("apiVersion") == p.apiVersion && hasSpec(memberOf(entry, "fieldsV1")) {
			by = append(by, "apply:"+text("manager"))
		}
	}
	slices.Sort(by)
	return slices.Compact(by)
}

// hasSpec reports whether fields of managedFields own some of the spec.
func hasSpec(fields []byte) bool {
	const spec = "f:spec"
	return bytes.Contains(fields, []byte(spec)) && memberOf(fields, spec) != nil
}
