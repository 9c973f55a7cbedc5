package typed

import (
	"github.com/stratakube/strata/webhook/internal/scan"
)

// appendMember appends a member, whose name is in its quotes, to an object that is open.
func appendMember(out, name, value []byte) []byte {
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	out = append(append(out, name...), ':')
	return append(out, value...)
}

var metadataName = []byte(`"metadata"`)

// appendWith appends an object, but with other metadata.
func appendWith(out, object, metadata []byte) []byte {
	out = append(out, '{')
	for name, value := range scan.Members(object) {
		if !scan.Is(name, "metadata") {
			out = appendMember(out, name, value)
		}
	}
	return append(appendMember(out, metadataName, metadata), '}')
}

// withMetadata gives the object that begins at start metadata, which the API server wants also where it is empty.
func withMetadata(out []byte, start int) []byte {
	for name := range scan.Members(out[start:]) {
		if scan.Is(name, "metadata") {
			return out
		}
	}
	return append(appendMember(out[:len(out)-1], metadataName, []byte(`{}`)), '}')
}
