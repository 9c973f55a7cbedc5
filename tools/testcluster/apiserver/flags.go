package apiserver

import (
	"slices"
	"strconv"

	"github.com/stratakube/strata/tools/testcluster/loopback"
)

// etcdFlags returns the flags of an etcd with one member. No other member joins, so its
// advertised address does not matter.
func (c *Cluster) etcdFlags() []string {
	return []string{
		"--data-dir=" + c.file("etcd"),
		"--listen-client-urls=unix://" + c.file(clientSocket),
		"--advertise-client-urls=unix://" + c.file(clientSocket),
		"--listen-peer-urls=unix://peer.sock", // in its working folder: of this address etcd takes the host only
		"--unsafe-no-fsync",                   // what is in it does not survive it anyway
		"--log-level=warn",
	}
}

// clientSocket is short, since a socket's path has about a hundred bytes.
const clientSocket = "etcd.sock"

// serverFlags leave a real server's defaults alone where they do not need a real cluster around.
func (c *Cluster) serverFlags(p *port) []string {
	return append(slices.Clone(c.more),
		"--etcd-servers=unix://"+c.file(clientSocket),
		"--bind-address="+loopback.Address,
		"--secure-port="+strconv.Itoa(p.number),
		"--permit-port-sharing", // with this process, which keeps the port
		"--advertise-address="+loopback.Address,
		"--endpoint-reconciler-type=none", // which would refuse that address
		"--service-cluster-ip-range=10.0.0.0/24",

		"--authorization-mode=RBAC",
		"--client-ca-file="+c.file(caFile),
		"--cert-dir="+c.file("certificates"),
		"--tls-cert-file="+c.file(servingFile),
		"--tls-private-key-file="+c.file(servingKeyFile),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+c.file(accountKeyFile),
		"--service-account-signing-key-file="+c.file(accountKeyFile),
		"--disable-admission-plugins=ServiceAccount", // which waits for accounts that a controller makes
	)
}
