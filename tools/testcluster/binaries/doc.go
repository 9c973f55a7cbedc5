// Package binaries provides the programs of a real cluster: etcd, kube-apiserver, kubectl and
// kube-controller-manager. They are those in the folder that KUBEBUILDER_ASSETS names. Without
// it, this package builds them from the module in tools/testcluster/binaries/kubernetes into the
// user's cache folder, once for each go.mod, go.sum, Go version and set of flags.
//
// Packages that start a cluster call it. Packages that only use a cluster do not.
package binaries
