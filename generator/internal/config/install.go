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

// Install says how what is generated comes to a cluster.
type Install struct {
	Webhook      Webhook
	Certificates Certificates
	// Image is the webhook's, HubWriters are names of users who may write through
	// the hub's version beside the operator and the migrator.
	Image      string
	HubWriters []string
	// Kustomize and Helm are folders below Output.Dir, with slashes; empty for none.
	Kustomize, Helm string
	// Operator is nil where the packages have none.
	Operator *Operator
}

// Operator is what of the packages calls the external API.
type Operator struct {
	Image string
	// Namespaces are those whose objects it looks after; nil for all.
	Namespaces []string
	// MetadataService is where the node gives out tokens of managed identities; not valid for one that is not called.
	MetadataService netip.AddrPort
	// RequireCredentials has objects wait for a Secret with credentials, or not; nil for what the operator does by default.
	RequireCredentials *bool
	// NoConfigMaps gives the operator no rights on ConfigMaps.
	NoConfigMaps bool
}

// Webhook is where the API server finds the conversion webhook: a service, or an
// address.
type Webhook struct {
	Namespace, Name, Path string
	Port                  int
	URL                   string // empty for the service
	CABundle              []byte // authorities in PEM; nil where something else brings them
}

// Certificates is who makes the webhook's certificates.
type Certificates string

// The makers of certificates: the webhook itself, or cert-manager.
const (
	Self        Certificates = "self"
	CertManager Certificates = "cert-manager"
)

// What holds where the file is silent.
const (
	defaultNamespace = "strata-system"
	defaultService   = "strata-webhook"
	defaultPath      = "/convert"
	defaultImage     = "strata-webhook:v0.1.0"

	defaultOperatorImage = "strata-operator:v0.1.0"
)

func defaultInstall() Install {
	return Install{
		Webhook:      Webhook{Namespace: defaultNamespace, Name: defaultService, Path: defaultPath, Port: 443},
		Certificates: Self, Image: defaultImage,
	}
}

func (d *decoder) install(v value) {
	in := &d.config.Install
	said := map[string]value{}
	say := func(name string, decode func(value)) field {
		return key(name, func(v value) { said[name] = v; decode(v) })
	}
	d.object(v, "install",
		say("webhook", d.webhook),
		say("certificates", func(v value) {
			in.Certificates = Certificates(d.oneOf(v, string(Self), string(CertManager)))
		}),
		say("image", func(v value) { in.Image, _ = d.text(v) }),
		say("hubWriters", func(v value) { d.nonEmpty(v, d.hubWriter) }),
		say("kustomize", func(v value) { in.Kustomize = d.packageFolder(v) }),
		say("helm", func(v value) { in.Helm = d.packageFolder(v) }),
		say("operator", d.operator),
	)
	d.checkInstall(said)
}

// checkInstall refuses what contradicts something else, and what nothing uses.
func (d *decoder) checkInstall(said map[string]value) {
	in := d.config.Install
	if v, ok := said["certificates"]; ok && in.Webhook.URL != "" {
		d.add(diag.Errorf(d.pos(v), "certificates is of a webhook that is a service").WithHint("give the authority of a url as install.webhook.caBundle"))
	} else if ok && in.Webhook.CABundle != nil {
		d.add(diag.Errorf(d.pos(v), "certificates makes an authority, and install.webhook.caBundle names one").WithHint("remove one of the two"))
	} else if v, ok := said["webhook"]; ok && in.Webhook.CABundle != nil && in.Webhook.URL == "" && (in.Kustomize != "" || in.Helm != "") {
		d.add(diag.Errorf(d.pos(v), "the webhook of the package makes an authority, and caBundle names one").WithHint("remove caBundle"))
	}
	if in.Kustomize == "" && in.Helm == "" {
		for _, name := range []string{"image", "hubWriters", "operator"} {
			if v, ok := said[name]; ok {
				d.add(diag.Errorf(d.pos(v), "%s is not used: no package is written", name).WithHint("name a folder with kustomize or helm, or remove it"))
			}
		}
	}
	if v, ok := said["webhook"]; ok && in.Webhook.URL == "" && in.Webhook.Path != defaultPath && (in.Kustomize != "" || in.Helm != "") {
		d.add(diag.Errorf(d.pos(v), "the webhook of the package serves %s, and nothing at %s", defaultPath, in.Webhook.Path).WithHint("remove the path, or name no package"))
	}
	if v, ok := said["image"]; ok && in.Webhook.URL != "" {
		d.add(diag.Errorf(d.pos(v), "image is not used: a webhook with a url is not in the package").WithHint("remove it"))
	}
	if v, ok := said["helm"]; ok && in.Helm != "" && (within(in.Kustomize, in.Helm) || within(in.Helm, in.Kustomize)) && in.Kustomize != "" {
		d.add(diag.Errorf(d.pos(v), "the folders of kustomize and helm lie within each other").WithHint("such as `helm: chart`"))
	}
}

// operator decodes true, false, or what an operator is like.
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
					d.errorf(v, "%q stands here twice", name)
				} else if name != "" {
					o.Namespaces = append(o.Namespaces, name)
				}
			})
		}),
		key("metadataService", func(v value) { o.MetadataService = d.addrPort(v) }),
		key("requireCredentials", func(v value) { o.RequireCredentials = new(d.boolean(v)) }),
		key("configMaps", func(v value) { o.NoConfigMaps = !d.boolean(v) }),
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
	said := map[string]bool{}
	d.object(v, "install.webhook",
		key("service", func(v value) { said["service"] = true; d.service(v) }),
		key("url", func(v value) { said["url"] = true; w.URL = d.address(v) }),
		key("caBundle", func(v value) { w.CABundle = d.authorities(v) }),
	)
	if said["service"] && said["url"] {
		d.add(diag.Errorf(d.pos(v), "both a service and a url").WithHint("the API server takes one of them: remove the other"))
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

// label63 decodes a name as services and namespaces have them.
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

// authorities decodes certificates: PEM in base64, as definitions hold them.
func (d *decoder) authorities(v value) []byte {
	text, ok := d.text(v)
	if !ok {
		return nil
	}
	pem, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !x509.NewCertPool().AppendCertsFromPEM(pem) {
		d.add(diag.Errorf(d.pos(v), "caBundle holds no certificate").WithHint("certificates in PEM, in base64 on one line: what `base64 -w0 ca.pem` prints"))
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
		d.errorf(v, "%q stands here twice", name)
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
