// Package binaries owns the programs of a real cluster: etcd, kube-apiserver, kubectl and
// kube-controller-manager. They are those in the folder that KUBEBUILDER_ASSETS names or, without
// it, are built of the module in tools/testcluster/binaries/kubernetes into the user's cache
// folder, once for each go.mod, go.sum, Go version and way of building.
//
// It is called by whatever starts a cluster, and by nothing that only talks to one.
package binaries
