package scaffold

import (
	"bytes"
	"path"
	"regexp"
)

// GroupKind names a kind of resources.
type GroupKind struct{ Group, Kind string }

// crdFile is a file with CRDs, or with what looks like one.
type crdFile struct {
	name       string
	kinds      []GroupKind // of its CRDs
	isPatch    bool        // of kustomize: a CRD without versions
	isTemplate bool        // of Helm
	isBundle   bool        // it has objects of other kinds, too
}

var (
	crdInJSON     = regexp.MustCompile(`"kind"\s*:\s*"CustomResourceDefinition"`)
	documentEnd   = regexp.MustCompile(`(?m)^---.*$`)
	template      = regexp.MustCompile(`(?m)^\{\{`)
	anyKind       = regexp.MustCompile(`(?m)^kind:`)
	memberGroup   = regexp.MustCompile(`(?m)(?:^[ \t]+|[{,][ \t]*)"?group"?:[ \t]*["']?([a-z0-9.-]+)`)
	memberKind    = regexp.MustCompile(`(?m)(?:^[ \t]+|[{,][ \t]*)"?kind"?:[ \t]*["']?([A-Za-z][A-Za-z0-9]*)`)
	memberVersion = regexp.MustCompile(`(?m)(?:^[ \t]+|[{,][ \t]*)"?versions"?:`)
)

// readCRDs returns what a file of CRDs has. It looks for lines that every CRD has, and parses
// nothing: the front-end does.
func readCRDs(name string, text []byte) crdFile {
	out := crdFile{name: name, isTemplate: template.Match(text)}
	patches := 0
	for _, document := range documents(name, text) {
		switch {
		case !definition.Match(document) && !crdInJSON.Match(document):
			out.isBundle = out.isBundle || anyKind.Match(document)
		case !memberVersion.Match(document):
			patches++
		default:
			out.kinds = append(out.kinds, groupKind(document))
		}
	}
	out.isPatch = patches > 0 && len(out.kinds) == 0
	return out
}

func documents(name string, text []byte) [][]byte {
	if path.Ext(name) == ".json" {
		return [][]byte{text}
	}
	var out [][]byte
	at := 0
	for _, end := range documentEnd.FindAllIndex(text, -1) {
		out = append(out, text[at:end[0]])
		at = end[1]
	}
	return append(out, text[at:])
}

// groupKind returns the group and the kind of a CRD: the first members with these names, which
// stand before its schemas.
func groupKind(document []byte) GroupKind {
	var out GroupKind
	if m := memberGroup.FindSubmatch(document); m != nil {
		out.Group = string(m[1])
	}
	for _, m := range memberKind.FindAllSubmatch(document, -1) {
		if !bytes.Equal(m[1], []byte("CustomResourceDefinition")) {
			out.Kind = string(m[1])
			break
		}
	}
	return out
}
