package annotation

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Signature authenticates the claim: it is the name of a key, and the HMAC of the signed
// annotations with the UID of the object. Clients that may annotate an object cannot make one.
const Signature = "strata.dev/claim-signature"

// signed lists the annotations that a signature covers. They decide who owns a resource.
var signed = [...]string{Claim, ID, Place, Sent}

// MinKey is the minimum length of a key in bytes.
const MinKey = sha256.Size

// Keys sign claims, and verify their signatures. Nil signs nothing, and verifies nothing.
type Keys struct {
	all  map[string][]byte
	last string
}

// NewKeys returns keys by their names. The last one in the order of the names signs; all verify.
func NewKeys(all map[string][]byte) (*Keys, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no key")
	}
	names := slices.Sorted(maps.Keys(all))
	for _, name := range names {
		if n := len(all[name]); n < MinKey {
			return nil, fmt.Errorf("the key %q has %d bytes, and at least %d", name, n, MinKey)
		}
	}
	return &Keys{all: maps.Clone(all), last: names[len(names)-1]}, nil
}

// Read is the function Read, which also verifies the signature.
func (k *Keys) Read(object metav1.Object) State {
	m := Read(object)
	m.Signed = m.Owned && k.verify(object)
	return m
}

// Sign adds the signature of a state to its annotations, if the state is signed. Otherwise it
// leaves the one that the object may have: it does not fit a changed claim.
func (k *Keys) Sign(m State, uid types.UID, annotations map[string]*string) {
	if !m.Owned {
		annotations[Signature] = nil
		return
	}
	if k == nil || !m.Signed {
		return
	}
	values := map[string]string{}
	for _, name := range signed {
		if annotations[name] != nil {
			values[name] = *annotations[name]
		}
	}
	text := k.last + ":" + base64.RawURLEncoding.EncodeToString(sum(k.all[k.last], uid, values))
	annotations[Signature] = &text
}

// verify reports whether the signature of an object fits its claim.
func (k *Keys) verify(object metav1.Object) bool {
	if k == nil {
		return false
	}
	annotations := object.GetAnnotations()
	name, text, has := strings.Cut(annotations[Signature], ":")
	key := k.all[name]
	if !has || key == nil {
		return false
	}
	is, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && hmac.Equal(is, sum(key, object.GetUID(), annotations))
}

// sum returns the HMAC of the signed annotations and the UID of their object. Each text follows its
// length, so that no two lists of texts have the same bytes.
func sum(key []byte, uid types.UID, annotations map[string]string) []byte {
	h := hmac.New(sha256.New, key)
	write := func(text string) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	write(string(uid))
	for _, name := range signed {
		write(annotations[name])
	}
	return h.Sum(nil)
}

// HasClaim reports whether the annotations of an object have a claim that was written to it.
func HasClaim(object metav1.Object) bool {
	uid := readClaim(object.GetAnnotations()[Claim]).UID
	return uid != "" && uid == object.GetUID()
}
