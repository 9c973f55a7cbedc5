package gofile

import "go/token"

// PackageName makes a Go package name of a folder's: one that can be imported
// beside what generated files import.
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
