package config

import (
	"crypto/x509"
	"encoding/base64"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/syntax/yaml"
)

// Install configures how the generated code is installed in a cluster.
type Install struct {
	Webhook      Webhook
	Certificates Certificates
	// Certificate is the cert-manager certificate of the project whose CA the CRDs get, as
	// namespace/name; empty for that of the packages.
	Certificate string
	// Image is the image of the webhook. HubWriters are users who may write through the hub's
	// version, beside the operator and the migrator.
	Image      string
	HubWriters []string
	// Kustomize and Helm are slash paths below Output.Dir; empty for none.
	Kustomize, Helm string
	// Operator is nil if the packages contain no operator.
	Operator *Operator
}

// Operator configures the operator of the packages, which calls the external API.
type Operator struct {
	Image string
	// Namespaces are the namespaces that it watches; nil for all.
	Namespaces []string
	// MetadataService is the address where the node provides tokens of managed identities. It is
	// not valid if the operator does not call that.
	MetadataService netip.AddrPort
	// RequireCredentials sets whether objects wait for a Secret with credentials; nil for the
	// operator's default.
	RequireCredentials *bool
	// NoConfigMaps removes the operator's rights on ConfigMaps.
	NoConfigMaps bool
	// ShardNamespaces makes all replicas reconcile, each a part of the namespaces.
	ShardNamespaces bool
}

// Webhook is the address of the conversion webhook: a service or a URL.
type Webhook struct {
	Namespace, Name, Path string
	Port                  int
	URL                   string // empty for the service
	CABundle              []byte // CA certificates in PEM; nil if another component writes them
}

// Certificates is the component that creates the webhook's certificates.
type Certificates string

// Certificates come from the webhook itself, or from cert-manager.
const (
	Self        Certificates = "self"
	CertManager Certificates = "cert-manager"
)

// The defaults. The images are those that strata image and mage images build by default.
const (
	defaultNamespace = "strata-system"
	defaultService   = "strata-webhook"
	defaultPath      = "/convert"
	defaultImage     = "strata-webhook:dev"

	defaultOperatorImage = "strata-operator:dev"
)

// namespacedName matches the namespace and the name of an object.
var namespacedName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)

func defaultInstall() Install {
	return Install{
		Webhook:      Webhook{Namespace: defaultNamespace, Name: defaultService, Path: defaultPath, Port: 443},
		Certificates: Self, Image: defaultImage,
	}
}

func (d *decoder) install(v value) {
	in := &d.config.Install
	keys := map[string]value{}
	setting := func(name string, decode func(value)) field {
		return key(name, func(v value) { keys[name] = v; decode(v) })
	}
	d.object(v, "install",
		setting("webhook", d.webhook),
		setting("certificates", func(v value) {
			in.Certificates = Certificates(d.oneOf(v, string(Self), string(CertManager)))
		}),
		setting("certificate", func(v value) {
			if in.Certificate, _ = d.text(v); in.Certificate != "" && !namespacedName.MatchString(in.Certificate) {
				d.add(diag.Errorf(d.pos(v), "%q is not the namespace and the name of a certificate", in.Certificate).WithHint("such as `certificate: db-system/db-serving-cert`"))
			}
		}),
		setting("image", func(v value) { in.Image, _ = d.text(v) }),
		setting("hubWriters", func(v value) { d.nonEmpty(v, d.hubWriter) }),
		setting("kustomize", func(v value) { in.Kustomize = d.packageFolder(v) }),
		setting("helm", func(v value) { in.Helm = d.packageFolder(v) }),
		setting("operator", d.operator),
	)
	d.checkInstall(keys)
}

// checkInstall reports contradictions, and settings without an effect.
func (d *decoder) checkInstall(keys map[string]value) {
	in := d.config.Install
	if v, ok := keys["certificates"]; ok && in.Webhook.URL != "" {
		d.add(diag.Errorf(d.pos(v), "certificates requires a webhook that is a service").WithHint("set the CA of a url as install.webhook.caBundle"))
	} else if ok && in.Webhook.CABundle != nil {
		d.add(diag.Errorf(d.pos(v), "certificates creates a CA, and install.webhook.caBundle sets one").WithHint("remove one of the two"))
	} else if v, ok := keys["webhook"]; ok && in.Webhook.CABundle != nil && in.Webhook.URL == "" && (in.Kustomize != "" || in.Helm != "") {
		d.add(diag.Errorf(d.pos(v), "the webhook of the package creates a CA, and caBundle sets one").WithHint("remove caBundle"))
	}
	if v, ok := keys["certificate"]; ok && in.Certificates != CertManager {
		d.add(diag.Errorf(d.pos(v), "certificate requires cert-manager").WithHint("add `certificates: cert-manager`, or remove it"))
	} else if ok && (in.Kustomize != "" || in.Helm != "") {
		d.add(diag.Errorf(d.pos(v), "the package has a certificate of its own").WithHint("remove certificate, or name no package"))
	}
	if v, ok := keys["kustomize"]; ok && in.Kustomize != "" && d.config.Output.Kustomization {
		d.add(diag.Errorf(d.pos(v), "the package has a kustomization.yaml of its own in output.dir").WithHint("remove output.kustomization, or install.kustomize"))
	}
	if in.Kustomize == "" && in.Helm == "" {
		for _, name := range []string{"image", "hubWriters", "operator"} {
			if v, ok := keys[name]; ok {
				d.add(diag.Errorf(d.pos(v), "%s is not used: no package is written", name).WithHint("name a folder with kustomize or helm, or remove it"))
			}
		}
	}
	if v, ok := keys["webhook"]; ok && in.Webhook.URL == "" && in.Webhook.Path != defaultPath && (in.Kustomize != "" || in.Helm != "") {
		d.add(diag.Errorf(d.pos(v), "the webhook of the package serves %s, and nothing at %s", defaultPath, in.Webhook.Path).WithHint("remove the path, or name no package"))
	}
	if v, ok := keys["image"]; ok && in.Webhook.URL != "" {
		d.add(diag.Errorf(d.pos(v), "image is not used: a webhook with a url is not in the package").WithHint("remove it"))
	}
	if v, ok := keys["helm"]; ok && in.Helm != "" && (within(in.Kustomize, in.Helm) || within(in.Helm, in.Kustomize)) && in.Kustomize != "" {
		d.add(diag.Errorf(d.pos(v), "the folders of kustomize and helm are within each other").WithHint("such as `helm: chart`"))
	}
}

// operator decodes true, false, or the settings of an operator.
func (d *decoder) operator(v value) {
	o := &Operator{Image: defaultOperatorImage}
	if v.Kind == yaml.ScalarNode {
		if d.boolean(v) {
			d.config.Install.Operator = o
		}
		return
	}
	d.config.Install.Operator = o
	d.object(v, "install.operator",
		key("image", func(v value) { o.Image, _ = d.text(v) }),
		key("namespaces", func(v value) {
			d.nonEmpty(v, func(v value) {
				var name string
				if d.label63(v, &name); slices.Contains(o.Namespaces, name) {
					d.errorf(v, "%q appears here twice", name)
				} else if name != "" {
					o.Namespaces = append(o.Namespaces, name)
				}
			})
		}),
		key("metadataService", func(v value) { o.MetadataService = d.addrPort(v) }),
		key("requireCredentials", func(v value) { o.RequireCredentials = new(d.boolean(v)) }),
		key("configMaps", func(v value) { o.NoConfigMaps = !d.boolean(v) }),
		key("shardNamespaces", func(v value) { o.ShardNamespaces = d.boolean(v) }),
	)
}

// addrPort decodes an address with a port.
func (d *decoder) addrPort(v value) netip.AddrPort {
	text, ok := d.text(v)
	if !ok {
		return netip.AddrPort{}
	}
	at, err := netip.ParseAddrPort(text)
	if err != nil || at.Port() == 0 || at.Addr().Zone() != "" {
		d.add(diag.Errorf(d.pos(v), "%q is not an address with a port", text).WithHint("that of Azure's virtual machines is `metadataService: 169.254.169.254:80`"))
		return netip.AddrPort{}
	}
	return at
}

func (d *decoder) webhook(v value) {
	w := &d.config.Install.Webhook
	keys := map[string]bool{}
	d.object(v, "install.webhook",
		key("service", func(v value) { keys["service"] = true; d.service(v) }),
		key("url", func(v value) { keys["url"] = true; w.URL = d.address(v) }),
		key("caBundle", func(v value) { w.CABundle = d.certificates(v) }),
	)
	if keys["service"] && keys["url"] {
		d.add(diag.Errorf(d.pos(v), "both a service and a url").WithHint("the API server uses one of them: remove the other"))
	}
}

func (d *decoder) service(v value) {
	w := &d.config.Install.Webhook
	d.object(v, "install.webhook.service",
		key("namespace", func(v value) { d.label63(v, &w.Namespace) }),
		key("name", func(v value) { d.label63(v, &w.Name) }),
		key("path", func(v value) {
			if path, ok := d.text(v); ok && !strings.HasPrefix(path, "/") {
				d.add(diag.Errorf(d.pos(v), "%q is not a path", path).WithHint("such as `path: %s`", defaultPath))
			} else if ok {
				w.Path = path
			}
		}),
		key("port", func(v value) {
			if n, ok := d.number(v); ok && (n < 1 || n > 65535) {
				d.errorf(v, "%d is not a port", n)
			} else if ok {
				w.Port = n
			}
		}),
	)
}

var dnsLabel = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

// label63 decodes a name in the form of services and namespaces.
func (d *decoder) label63(v value, into *string) {
	name, ok := d.text(v)
	switch {
	case !ok:
	case !dnsLabel.MatchString(name):
		d.add(diag.Errorf(d.pos(v), "%q is not a name in Kubernetes", name).WithHint("small letters, digits and dashes, such as %q", defaultService))
	default:
		*into = name
	}
}

// address decodes the address of a webhook.
func (d *decoder) address(v value) string {
	text, ok := d.text(v)
	if !ok {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		d.add(diag.Errorf(d.pos(v), "%q is not the address of a webhook", text).WithHint("https, without user, query and fragment, such as `https://webhook.example.com/convert`"))
		return ""
	}
	return text
}

// certificates decodes CA certificates: PEM in base64, as in CRDs.
func (d *decoder) certificates(v value) []byte {
	text, ok := d.text(v)
	if !ok {
		return nil
	}
	pem, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !x509.NewCertPool().AppendCertsFromPEM(pem) {
		d.add(diag.Errorf(d.pos(v), "caBundle contains no certificate").WithHint("certificates in PEM, in base64 on one line: what `base64 -w0 ca.pem` prints"))
		return nil
	}
	return pem
}

func (d *decoder) hubWriter(v value) {
	writers := &d.config.Install.HubWriters
	name, ok := d.text(v)
	switch {
	case !ok:
	case strings.ContainsAny(name, "\"'\\\n{}"):
		d.add(diag.Errorf(d.pos(v), "%q is not the name of a user", name).WithHint(`such as "system:serviceaccount:velero:velero"`))
	case slices.Contains(*writers, name):
		d.errorf(v, "%q appears here twice", name)
	default:
		*writers = append(*writers, name)
	}
}

var packageFolder = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*(/[a-z0-9][a-z0-9-]*)*$`)

// packageFolder decodes a folder below the output folder.
func (d *decoder) packageFolder(v value) string {
	folder, ok := d.text(v)
	if ok && !packageFolder.MatchString(folder) {
		d.add(diag.Errorf(d.pos(v), "%q is not a folder below the output folder", folder).WithHint("small letters, digits and dashes, such as %q", "config"))
		return ""
	}
	return folder
}
