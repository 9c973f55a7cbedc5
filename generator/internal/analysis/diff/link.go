package diff

// Link adds addresses of pages to comparisons of two versions. Address gets the API group, the
// kind, and the names of the versions in Kubernetes.
func Link(all []Comparison, address func(group, kind, from, to string) string) {
	for i, c := range all {
		if c.id.from != "" && c.id.to != "" && c.id.from != c.id.to {
			all[i].Explorer = address(c.id.group, c.Kind, c.id.from, c.id.to)
		}
	}
}
