package env

import (
	"context"
	"path/filepath"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/tools/testcluster/ca"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// ServeConversions starts a webhook with a certificate of its own in a group, and waits until it is
// ready. It returns how clients find and check the webhook, and the URL of its probes. A group can
// have one such webhook.
func ServeConversions(ctx context.Context, group *process.Group, binary string) (config v1.WebhookClientConfig, probes string, err error) {
	by, err := ca.New("conversions")
	if err != nil {
		return config, "", err
	}
	certFile, keyFile := filepath.Join(group.Dir, "tls.crt"), filepath.Join(group.Dir, "tls.key")
	if _, err := by.WriteServer(certFile, keyFile); err != nil {
		return config, "", err
	}
	w, err := StartWebhook(ctx, group, binary, "--cert-file="+certFile, "--key-file="+keyFile)
	if err != nil {
		return config, "", err
	}
	url := "https://" + w.Conversions + "/convert"
	config.URL, config.CABundle = &url, ca.Bundle(by)
	return config, w.ProbeURL(), w.Ready(ctx)
}
