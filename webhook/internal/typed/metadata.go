package typed

import (
	"github.com/stratakube/strata/webhook/internal/scan"
)

// appendMember appends a member, whose name has its quotes, to an object that is still open.
func appendMember(out, name, value []byte) []byte {
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	out = append(append(out, name...), ':')
	return append(out, value...)
}

var metadataName = []byte(`"metadata"`)

// appendWith appends an object with its metadata replaced.
func appendWith(out, object, metadata []byte) []byte {
	out = append(out, '{')
	for name, value := range scan.Members(object) {
		if !scan.Is(name, "metadata") {
			out = appendMember(out, name, value)
		}
	}
	return append(appendMember(out, metadataName, metadata), '}')
}

// withMetadata adds empty metadata to the object that begins at start if it has none, since the API
// server requires it.
func withMetadata(out []byte, start int) []byte {
	for name := range scan.Members(out[start:]) {
		if scan.Is(name, "metadata") {
			return out
		}
	}
	return append(appendMember(out[:len(out)-1], metadataName, []byte(`{}`)), '}')
}
