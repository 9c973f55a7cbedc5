package apiserver

import (
	"fmt"

	"github.com/stratakube/strata/tools/testcluster/ca"
)

const (
	caFile         = "ca.crt"
	servingFile    = "server.crt"
	servingKeyFile = "server.key"
	accountKeyFile = "accounts.key"
)

// writeCertificates writes the files that the server reads.
func (c *Cluster) writeCertificates() error {
	serving, servingKey, err := c.ca.Server("kubernetes.default.svc")
	if err != nil {
		return err
	}
	_, accountKey, err := c.ca.User("accounts")
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		caFile: ca.Bundle(c.ca), servingFile: serving, servingKeyFile: servingKey, accountKeyFile: accountKey,
	} {
		if err := c.write(name, text); err != nil {
			return fmt.Errorf("write certificates: %w", err)
		}
	}
	return nil
}
