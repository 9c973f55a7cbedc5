package operator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// The annotation with the signature of a claim, and the annotations that it covers, in this order.
const signature = "strata.dev/claim-signature"

var signed = [...]string{"strata.dev/claim", "strata.dev/id", "strata.dev/place", "strata.dev/sent"}

// sign returns the signature of a claim, as the operator writes it. It does not call the operator's
// code: a copy that the operator does not believe fails the benchmark.
func (k claimKey) sign(uid string, annotations map[string]any) string {
	h := hmac.New(sha256.New, k.key)
	write := func(text string) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	write(uid)
	for _, name := range signed {
		text, _ := annotations[name].(string)
		write(text)
	}
	return k.name + ":" + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
