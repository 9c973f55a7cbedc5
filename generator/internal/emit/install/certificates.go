package install

// object is a manifest whose Go type is not part of Kubernetes.
type object map[string]any

// certificates returns the manifests with which cert-manager issues the server's certificate.
func certificates(o Options, v values) []any {
	issuer := o.Service + "-selfsigned"
	return []any{
		object{
			"apiVersion": "cert-manager.io/v1", "kind": "Issuer", "metadata": named(o, v, issuer),
			"spec": object{"selfSigned": object{}},
		},
		object{
			"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": named(o, v, o.certificate()),
			"spec": object{
				"dnsNames":   []string{o.host(v), o.host(v) + ".cluster.local"},
				"issuerRef":  object{"kind": "Issuer", "name": issuer},
				"secretName": o.certificate(),
				"privateKey": object{"rotationPolicy": "Always"},
			},
		},
	}
}
