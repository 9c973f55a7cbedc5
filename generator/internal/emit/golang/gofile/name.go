package gofile

import "go/token"

// PackageName returns a Go package name for a folder. It differs from the names under which
// generated files import other packages.
func PackageName(folder string) string {
	var b []byte
	for i := range len(folder) {
		c := folder[i]
		if c >= 'a' && c <= 'z' || len(b) > 0 && c >= '0' && c <= '9' {
			b = append(b, c)
		}
	}
	name := string(b)
	switch {
	case name == "":
		return "group"
	case token.IsKeyword(name), name == "main", name == "runtime", name == "genruntime", name == "convert", name == "k8sruntime", name == "testing", name == "conformance":
		return name + "group"
	}
	return name
}
