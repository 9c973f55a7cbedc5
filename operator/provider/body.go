package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/plugin/member"
	"github.com/stratakube/strata/operator/plugin/redaction"
	"github.com/stratakube/strata/runtime"
)

// own lists the members that Strata adds to specs. If a spec has one of these names with another
// type, the member belongs to the vendor. If a spec does not have the name, it is reserved if all
// releases of the generator have added the member.
var own = []struct {
	name       string
	of         reflect.Type
	isReserved bool
}{
	{member.AzureName, reflect.TypeFor[*string](), true},
	{member.Owner, reflect.TypeFor[*runtime.Owner](), true},
	{member.SecretRefs, reflect.TypeFor[[]runtime.SecretRef](), true},
	{member.ConfigMapRefs, reflect.TypeFor[[]runtime.ConfigMapRef](), false},
	{member.Outputs, reflect.TypeFor[*runtime.Outputs](), false},
}

// AddedMembers returns the members of a spec that Strata has added, and that the external API
// does not know. It returns azureName only with owner, since azureName has no type of its own.
func AddedMembers(spec runtime.ConvertibleSpec) (names []string) {
	t := valueOf(reflect.TypeOf(spec))
	for _, o := range own {
		if is, isNamed := typeOf(t, o.name); is == o.of || !isNamed && o.isReserved {
			names = append(names, o.name)
		}
	}
	if !slices.Contains(names, member.Owner) {
		return slices.DeleteFunc(names, func(name string) bool { return name == member.AzureName })
	}
	return names
}

// typeOf returns the type of a member of a struct, and whether the struct declares it. The type
// is nil if there is none.
func typeOf(t reflect.Type, name string) (of reflect.Type, isNamed bool) {
	if t.Kind() != reflect.Struct {
		return nil, false
	}
	return memberOf(t, name)
}

// Names maps the names that users see to those of the external API, for members at the root. See
// runtime.ExternalNamer.
type Names map[string]string

// NamesOf returns the names of a resource of an API version; nil if they are equal.
func NamesOf(resource any) Names {
	if renamed, is := resource.(runtime.ExternalNamer); is {
		return renamed.ExternalNames()
	}
	return nil
}

// outwards renames members to their names in the external API.
func (n Names) outwards(members map[string]json.RawMessage) map[string]json.RawMessage {
	for name, external := range n {
		if value, has := members[name]; has {
			delete(members, name)
			members[external] = value
		}
	}
	return members
}

// inwards renames members to the names that users see. External APIs may use other letter cases
// in their answers.
func (n Names) inwards(members map[string]json.RawMessage) map[string]json.RawMessage {
	if len(n) == 0 {
		return members
	}
	named := make(map[string]json.RawMessage, len(members))
	for external, value := range members {
		named[n.inward(external)] = value
	}
	return named
}

func (n Names) inward(member string) string {
	for name, external := range n {
		if strings.EqualFold(external, member) {
			return name
		}
	}
	return member
}

// Path returns a path of a spec with the names of the external API.
func (n Names) Path(path string) string {
	end := strings.IndexAny(path, ".[(")
	if end < 0 {
		end = len(path)
	}
	if external, has := n[path[:end]]; has {
		return external + path[end:]
	}
	return path
}

// Body returns the body for the external API: the JSON of a spec without the members of Strata.
// It preserves absent, empty and zero values.
func Body(spec runtime.ConvertibleSpec, names Names) ([]byte, error) {
	data, err := marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("write the body of %T: %w", spec, err)
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fmt.Errorf("write the body of %T: %w", spec, err)
	}
	for _, name := range AddedMembers(spec) {
		delete(members, name)
	}
	return marshal(names.outwards(members))
}

// marshal writes JSON without the escapes for HTML.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// Digest returns a digest of the request: the version of the external API, the body, and the
// versions of its Secrets. It does not depend on secret values, since a reader of the annotation
// could guess them.
func Digest(version string, body []byte, secrets []string) string {
	h := sha256.New()
	secrets = slices.Sorted(slices.Values(secrets))
	for _, part := range append([]string{version, string(body)}, secrets...) {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// Bounded returns a message for a condition: valid UTF-8 of at most 1024 bytes and an ellipsis,
// with each secret replaced by three asterisks. Secrets of less than 4 bytes are not replaced.
func Bounded(message string, secrets ...[]byte) string {
	message = redaction.Remove(message, "***", secrets...)
	if len(message) > longest {
		message = strings.ToValidUTF8(message[:longest], "") + " ..."
	}
	return strings.ToValidUTF8(message, "\uFFFD")
}

// longest is the maximum length of a message in bytes.
const longest = 1024
