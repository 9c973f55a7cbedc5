// Package install prints the manifests that install CRDs, their webhook, the policies of the
// hub's version and the operator. It prints a Kustomize package and a Helm chart of the same
// manifests.
//
// Values that users of the chart set are in the manifests as {{ .Values.x }}: the manifests are
// made once, with different [values] for each package. The chart contains no CRDs, since a Helm
// release is limited to 1 MiB.
package install
