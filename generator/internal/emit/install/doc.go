// Package install prints what brings CRDs, their webhook, the policies of the hub's version and the
// operator to a cluster: a Kustomize package and a Helm chart of the same manifests.
//
// What the chart leaves to its users stands in the manifests as {{ .Values.x }}: the manifests are
// made once, with another [values] for each package. The chart holds no CRDs, since a release of
// Helm is at most 1 MiB.
package install
