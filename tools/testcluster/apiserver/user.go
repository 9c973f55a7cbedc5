package apiserver

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/stratakube/strata/tools/testcluster/binaries"
	"github.com/stratakube/strata/tools/testcluster/ca"
	"github.com/stratakube/strata/tools/testcluster/kubectl"
	"github.com/stratakube/strata/tools/testcluster/loopback"
)

// User returns the configuration of a client that authenticates as a user of that name in these
// groups. Roles determine the user's permissions. The client has no rate limit, and prints no
// warnings.
func (c *Cluster) User(name string, groups ...string) (*rest.Config, error) {
	certificate, key, err := c.ca.User(name, groups...)
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: "https://" + net.JoinHostPort(loopback.Address, strconv.Itoa(c.port.number)),
		TLSClientConfig: rest.TLSClientConfig{
			CAData: ca.Bundle(c.ca), CertData: certificate, KeyData: key,
		},
		QPS:            -1,
		WarningHandler: rest.NoWarnings{},
	}, nil
}

// writeKubeconfig writes a configuration in the form that kubectl reads.
func writeKubeconfig(file string, config *rest.Config) error {
	const name = "strata"
	err := clientcmd.WriteToFile(api.Config{
		Clusters: map[string]*api.Cluster{name: {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*api.AuthInfo{
			name: {ClientCertificateData: config.CertData, ClientKeyData: config.KeyData},
		},
		Contexts:       map[string]*api.Context{name: {Cluster: name, AuthInfo: name, Namespace: "default"}},
		CurrentContext: name,
	}, file)
	if err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	return nil
}

// Kubectl is kubectl as the administrator.
func (c *Cluster) Kubectl() kubectl.Client { return c.kubectl(c.Kubeconfig) }

// KubectlAs is kubectl as the user of a configuration that User returned.
func (c *Cluster) KubectlAs(user *rest.Config) (kubectl.Client, error) {
	dir, err := os.MkdirTemp(c.group.Dir, "user-")
	if err != nil {
		return kubectl.Client{}, fmt.Errorf("make folder of user: %w", err)
	}
	file := filepath.Join(dir, "kubeconfig")
	return c.kubectl(file), writeKubeconfig(file, user)
}

func (c *Cluster) kubectl(kubeconfig string) kubectl.Client {
	return kubectl.Client{
		Path: c.programs.Path(binaries.Kubectl), Kubeconfig: kubeconfig,
		Cache: filepath.Join(filepath.Dir(kubeconfig), "kubectl"),
	}
}
