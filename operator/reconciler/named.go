package reconciler

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/plugin/fieldpath"
	"github.com/stratakube/strata/operator/plugin/member"
	"github.com/stratakube/strata/operator/provider"
)

// naming is what an object names: where values lie that it gets, and where those are put that the
// external API gives out.
type naming struct {
	secretRefs, configMapRefs []provider.Ref
	secrets, configMaps       provider.Outputs
}

// keys are outputs as users write them.
type keys struct {
	Secrets    []key `json:"secrets"`
	ConfigMaps []key `json:"configMaps"`
}

// key is the key of a Secret or a ConfigMap, and the path that its value comes from.
type key struct {
	Name string `json:"name"`
	Key  string `json:"key"`
	From string `json:"from"`
}

// Limits of outputs, which are those of the CRD: the annotation is in none. The count is that of
// Secrets, and of ConfigMaps, in all.
const (
	maxOutputs = 100
	maxFrom    = 1024
)

// namedBy reads what an object names. Own are the members of its spec that are Strata's. Outputs
// that cannot be ones are left out, and refused says why.
func namedBy(object *unstructured.Unstructured, own []string, public provider.Public) (n naming, refused []string, err error) {
	n = naming{secrets: provider.Outputs{}, configMaps: provider.Outputs{}}
	asked, err := askedIn(object, slices.Contains(own, member.Outputs))
	if err != nil {
		return n, nil, err
	}
	var secretRefs []provider.Ref
	if slices.Contains(own, member.SecretRefs) {
		secretRefs = refsOf(object, member.SecretRefs)
	}
	for _, ref := range secretRefs {
		if provider.IsCall(ref.Path) {
			asked.Secrets = append(asked.Secrets, key{ref.Name, ref.Key, ref.Path})
		} else {
			n.secretRefs = append(n.secretRefs, ref)
		}
	}
	if slices.Contains(own, member.ConfigMapRefs) {
		n.configMapRefs = refsOf(object, member.ConfigMapRefs)
	}
	if len(asked.Secrets) > maxOutputs || len(asked.ConfigMaps) > maxOutputs {
		return n, nil, fmt.Errorf("the object asks for %d keys of Secrets and %d of ConfigMaps: at most %d of each can be", len(asked.Secrets), len(asked.ConfigMaps), maxOutputs)
	}
	return n, n.put(asked, public), nil
}

// put adds outputs, and returns why others are refused. A key has one path; a ConfigMap gets no
// secret.
func (n *naming) put(asked keys, public provider.Public) (refused []string) {
	add := func(to provider.Outputs, of provider.StoreKind, k key, check func() error) {
		err := k.check()
		if err == nil {
			err = check()
		}
		if err == nil && !to.Add(k.ref()) {
			err = errors.New("it is to have two values: name another key")
		}
		if err != nil {
			refused = append(refused, provider.Bounded(fmt.Sprintf("key %s of %s %s: %v", cut(k.Key), of, cut(k.Name), err)))
		}
	}
	for _, k := range asked.Secrets {
		add(n.secrets, provider.OfSecrets, k, func() error { return nil })
	}
	for _, k := range asked.ConfigMaps {
		add(n.configMaps, provider.OfConfigMaps, k, func() error { return k.checkPublic(public) })
	}
	return refused
}

// cut is a text of a user as it may stand in a message.
func cut(text string) string {
	const longest = 100
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return strings.ToValidUTF8(text, "")
}

func (k key) ref() provider.Ref { return provider.Ref{Path: k.From, Name: k.Name, Key: k.Key} }

// The names of Secrets and ConfigMaps, and of keys in them.
var (
	nameOf = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)
	keyOf  = regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`)
)

// isName reports whether a Secret or a ConfigMap can have a name.
func isName(name string) bool { return nameOf.MatchString(name) }

// check refuses what is no output. The calls of a path are the provider's to judge.
func (k key) check() error {
	switch {
	case k.Name == "" || k.Key == "" || k.From == "":
		return errors.New("an output needs a name, a key and a path")
	case !isName(k.Name):
		return errors.New("that is no name of one: it has small letters, digits, dots and dashes, 253 at most")
	case !keyOf.MatchString(k.Key):
		return errors.New("that is no key: it has letters, digits, dots, dashes and underscores, 253 at most")
	case len(k.From) > maxFrom:
		return fmt.Errorf("the path is longer than %d bytes", maxFrom)
	case provider.IsCall(k.From):
		return nil
	}
	_, err := fieldpath.Parse(k.From)
	return err
}

// checkPublic refuses the path of a secret.
func (k key) checkPublic(public provider.Public) error {
	if provider.IsCall(k.From) {
		return fmt.Errorf("%s calls the external API for a secret: put it into a Secret", k.From)
	}
	path, err := fieldpath.Parse(k.From)
	if err != nil {
		return err
	}
	return public.Check(path)
}

// refsOf reads a list of references in a spec.
func refsOf(object *unstructured.Unstructured, member string) []provider.Ref {
	list, _, _ := unstructured.NestedSlice(object.Object, "spec", member)
	var refs []provider.Ref
	for _, one := range list {
		if ref, ok := one.(map[string]any); ok {
			of := func(name string) string { value, _ := ref[name].(string); return value }
			refs = append(refs, provider.Ref{Path: of("path"), Name: of("name"), Key: of("key")})
		}
	}
	return refs
}

// askedIn reads the outputs that the spec and the annotation ask for. What of the two cannot be
// read is an error, and asks for nothing.
func askedIn(object *unstructured.Unstructured, hasOutputs bool) (asked keys, err error) {
	var wrong []error
	if value, has, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", member.Outputs); has && hasOutputs {
		data, err := json.Marshal(value)
		if err == nil {
			asked, err = decodeStrictly[keys](data)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("spec.outputs: %w", err))
		}
	}
	noted, err := notedOutputs(object.GetAnnotations()[annotation.Outputs])
	if err != nil {
		wrong = append(wrong, fmt.Errorf("annotation %s: %w", annotation.Outputs, err))
	}
	asked.Secrets = append(asked.Secrets, noted.Secrets...)
	asked.ConfigMaps = append(asked.ConfigMaps, noted.ConfigMaps...)
	return asked, errors.Join(wrong...)
}

// notedOutputs reads the outputs of the annotation: an object as spec.outputs, or a list as
// spec.secretRefs whose paths call something.
func notedOutputs(text string) (noted keys, err error) {
	const hint = `; write it as {"secrets":[{"name":"SECRET","key":"KEY","from":"listKeys().key1"}]}`
	if text == "" {
		return noted, nil
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		if noted, err = decodeStrictly[keys]([]byte(text)); err != nil {
			return noted, fmt.Errorf("%w%s", err, hint)
		}
		if len(noted.Secrets)+len(noted.ConfigMaps) == 0 {
			return noted, fmt.Errorf("it names no output%s", hint)
		}
		return noted, nil
	}
	refs, err := decodeStrictly[[]provider.Ref]([]byte(text))
	if err != nil {
		return noted, fmt.Errorf("%w%s", err, hint)
	}
	for i, ref := range refs {
		if !provider.IsCall(ref.Path) || ref.Name == "" || ref.Key == "" {
			return keys{}, fmt.Errorf("entry %d needs a path that calls something, as listKeys().key1, and the name and the key of a Secret%s", i, hint)
		}
		noted.Secrets = append(noted.Secrets, key{ref.Name, ref.Key, ref.Path})
	}
	return noted, nil
}

// decodeStrictly reads JSON that has no member which the type lacks, and nothing after it. It
// returns nothing of what it refuses.
func decodeStrictly[T any](data []byte) (T, error) {
	var value, none T
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		return none, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return none, errors.New("something follows the JSON")
	}
	return value, nil
}
