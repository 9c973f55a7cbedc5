package doctor

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"regexp"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/replicas"
)

var (
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	secrets     = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

// serving follows the name of a webhook in that of its Secret, as install packages have it.
const serving = "-serving"

// soon is how long before its end a certificate is a finding. Webhooks renew it earlier.
const soon = 3 * 24 * time.Hour

var migratorName = regexp.MustCompile(`system:serviceaccount:[a-z0-9-]+:[a-z0-9.-]*migrator`)

// webhook examines the webhook that converts a kind, and the CA by which API servers trust it.
func (e *examination) webhook(ctx context.Context, d *crd.CRD) {
	if !d.Converts {
		if d.Strata {
			e.add(Finding{
				ID: "webhook-unset", Severity: failure, Subject: d.Name(), Explanation: "the CRD has no conversion webhook: API servers remove what the other version lacks",
				Command: e.applyAll(), Hint: "apply the CRD of the package",
			})
		}
		return
	}
	ready := e.deployment(ctx, d.Webhook)
	e.certificate(ctx, d)
	if !ready && len(e.Replicas.URLs) == 0 {
		return
	}
	var versions []string
	for _, v := range d.Versions {
		if v.Served || v.Storage || slices.Contains(d.Stored, v.Name) {
			versions = append(versions, v.Name)
		}
	}
	if _, err := replicas.Check(ctx, d, versions, e.Replicas); err != nil {
		if apierrors.IsForbidden(err) {
			e.unread("webhook of "+d.Name(), err)
			return
		}
		e.add(Finding{
			ID: "webhook-versions", Severity: failure, Subject: d.Name(), Explanation: err.Error(), Command: e.applyAll(),
			Hint: "install the webhook of the release of the CRD; requests in versions that it lacks fail",
		})
	}
}

// deployment examines the Deployment of a webhook, and reports whether it is ready.
func (e *examination) deployment(ctx context.Context, at *crd.Service) bool {
	if at == nil {
		return false // at an address outside of the cluster
	}
	if ready, known := e.webhooks[*at]; known {
		return ready
	}
	e.webhooks[*at] = false
	subject := "deployment " + at.Namespace + "/" + at.Name
	o, err := e.Cluster.Resource(deployments).Namespace(at.Namespace).Get(ctx, at.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		e.add(Finding{
			ID: "webhook-missing", Severity: failure, Subject: subject, Explanation: "the webhook of the CRDs is not installed: objects cannot be read in other versions than the stored one",
			Command: e.applyAll(), Hint: "apply the package that has the webhook",
		})
		return false
	case err != nil:
		e.unread(subject, err)
		return false
	}
	wanted, found, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	available, _, _ := unstructured.NestedInt64(o.Object, "status", "availableReplicas")
	in := " --namespace " + at.Namespace + e.Selected
	switch {
	case found && wanted == 0:
		e.add(Finding{ID: "webhook-stopped", Severity: failure, Subject: subject, Explanation: "the Deployment has 0 replicas", Command: "kubectl scale deployment/" + at.Name + " --replicas=2" + in})
	case available == 0:
		e.add(Finding{
			ID: "webhook-not-ready", Severity: failure, Subject: subject, Explanation: "no replica is available", Command: "kubectl rollout restart deployment/" + at.Name + in,
			Hint: "kubectl describe pods and kubectl logs show why",
		})
	default:
		e.webhooks[*at] = true
	}
	return e.webhooks[*at]
}

// certificate examines the CA bundle of a CRD, and whether it is that of the serving certificate.
func (e *examination) certificate(ctx context.Context, d *crd.CRD) {
	if d.Webhook == nil {
		return
	}
	restart := "kubectl rollout restart deployment/" + d.Webhook.Name + " --namespace " + d.Webhook.Namespace + e.Selected
	wrong := func(id, explanation string) {
		e.add(Finding{ID: id, Severity: failure, Subject: d.Name(), Explanation: explanation, Command: restart, Hint: "the webhook writes its CA to the CRDs when it starts; with cert-manager, its CA injector does"})
	}
	roots, err := bundleOf(d)
	switch {
	case err != nil:
		wrong("ca-invalid", err.Error())
		return
	case len(roots) == 0:
		wrong("ca-missing", "the CRD has no CA bundle: API servers do not trust the webhook")
		return
	}
	pool, last := x509.NewCertPool(), time.Time{}
	for _, root := range roots {
		pool.AddCert(root)
		if root.NotAfter.After(last) {
			last = root.NotAfter
		}
	}
	if last.Before(e.Now.Add(soon)) {
		wrong("ca-expired", "the CA of the CRD ends, or has ended, at "+last.UTC().Format(time.RFC3339))
		return
	}
	name := d.Webhook.Name + serving
	secret, err := e.Cluster.Resource(secrets).Namespace(d.Webhook.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		e.unread("secret "+d.Webhook.Namespace+"/"+name, err)
		return
	}
	text, _, _ := unstructured.NestedString(secret.Object, "data", "tls.crt")
	leaf := certificates(text)
	if len(leaf) == 0 {
		wrong("certificate-missing", "the Secret "+d.Webhook.Namespace+"/"+name+" has no certificate")
		return
	}
	chain := x509.NewCertPool()
	for _, more := range leaf[1:] {
		chain.AddCert(more)
	}
	host := d.Webhook.Name + "." + d.Webhook.Namespace + ".svc"
	if _, err := leaf[0].Verify(x509.VerifyOptions{Roots: pool, Intermediates: chain, CurrentTime: e.Now, DNSName: host}); err != nil {
		wrong("ca-mismatch", "API servers do not trust the webhook's certificate: "+err.Error())
	}
}

// bundleOf returns the certificates of the CA bundle of a CRD.
func bundleOf(d *crd.CRD) ([]*x509.Certificate, error) {
	var of struct {
		Spec struct {
			Conversion struct {
				Webhook struct{ ClientConfig struct{ CABundle string } }
			}
		}
	}
	if err := json.Unmarshal(d.Text, &of); err != nil {
		return nil, fmt.Errorf("read CRD: %w", err)
	}
	bundle := of.Spec.Conversion.Webhook.ClientConfig.CABundle
	out := certificates(bundle)
	if bundle != "" && len(out) == 0 {
		return nil, fmt.Errorf("the CA bundle of the CRD has no certificate")
	}
	return out, nil
}

// certificates reads certificates: PEM in base64.
func certificates(text string) (out []*x509.Certificate) {
	rest, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return out
		}
		if one, err := x509.ParseCertificate(block.Bytes); err == nil {
			out = append(out, one)
		}
	}
}
