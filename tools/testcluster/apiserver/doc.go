// Package apiserver runs a real API server: kube-apiserver and etcd as processes of their own,
// reached through loopback only, with RBAC, admission policies and whatever else is on by default
// in a cluster. There are no nodes, and no controllers but those inside kube-apiserver.
//
// etcd listens on sockets in a folder that only this user can enter. kube-apiserver listens on one
// port of 127.0.0.1, which is kept for it. Everything ends with Stop, or with this process; see
// package process.
package apiserver
