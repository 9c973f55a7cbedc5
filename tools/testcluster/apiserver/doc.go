// Package apiserver runs a real API server: kube-apiserver and etcd as separate processes that
// listen on loopback only, with RBAC, admission policies and all other defaults of a cluster.
// There are no nodes, and no controllers but those inside kube-apiserver.
//
// etcd listens on sockets in a folder that only this user can enter. kube-apiserver listens on
// one port of 127.0.0.1, which the cluster reserves for it. Stop ends both, and so does the end
// of this process; see package process.
package apiserver
