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

// naming has the references of an object: the sources of values for its spec, and the
// destinations of its outputs.
type naming struct {
	secretRefs, configMapRefs []provider.Ref
	secrets, configMaps       provider.Outputs
}

// keys has the outputs in the form that users write.
type keys struct {
	Secrets    []key `json:"secrets"`
	ConfigMaps []key `json:"configMaps"`
}

// key names the key of a Secret or a ConfigMap, and the path of its value.
type key struct {
	Name string `json:"name"`
	Key  string `json:"key"`
	From string `json:"from"`
}

// Limits of outputs. They equal those of the CRD, which does not validate the annotation. The
// count applies to all keys of Secrets together, and to those of ConfigMaps.
const (
	maxOutputs = 100
	maxFrom    = 1024
)

// namedBy reads the references of an object. The argument own has the members of its spec that
// Strata has added. It leaves out invalid outputs, and returns the reasons in refused.
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

// put adds outputs, and returns the reasons for those that it refuses. A key has one path, and a
// ConfigMap gets no secret.
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

// cut shortens a text of a user for a message.
func cut(text string) string {
	const longest = 100
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return strings.ToValidUTF8(text, "")
}

func (k key) ref() provider.Ref { return provider.Ref{Path: k.From, Name: k.Name, Key: k.Key} }

// The patterns for names of Secrets and ConfigMaps, and for their keys.
var (
	nameOf = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)
	keyOf  = regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`)
)

// isName reports whether a text is a valid name of a Secret or a ConfigMap.
func isName(name string) bool { return nameOf.MatchString(name) }

// check returns an error if an output is invalid. Only the provider can check paths that are
// calls.
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

// checkPublic returns an error if the path leads to a secret.
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

// askedIn reads the outputs that the spec and the annotation request. If one of the two is
// invalid, it returns an error and the outputs of the other.
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
	listed, err := listedOutputs(object.GetAnnotations()[annotation.Outputs])
	if err != nil {
		wrong = append(wrong, fmt.Errorf("annotation %s: %w", annotation.Outputs, err))
	}
	asked.Secrets = append(asked.Secrets, listed.Secrets...)
	asked.ConfigMaps = append(asked.ConfigMaps, listed.ConfigMaps...)
	return asked, errors.Join(wrong...)
}

// listedOutputs reads the outputs of the annotation. It is an object like spec.outputs, or a list
// like spec.secretRefs whose paths are calls.
func listedOutputs(text string) (listed keys, err error) {
	const hint = `; write it as {"secrets":[{"name":"SECRET","key":"KEY","from":"listKeys().key1"}]}`
	if text == "" {
		return listed, nil
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		if listed, err = decodeStrictly[keys]([]byte(text)); err != nil {
			return listed, fmt.Errorf("%w%s", err, hint)
		}
		if len(listed.Secrets)+len(listed.ConfigMaps) == 0 {
			return listed, fmt.Errorf("it names no output%s", hint)
		}
		return listed, nil
	}
	refs, err := decodeStrictly[[]provider.Ref]([]byte(text))
	if err != nil {
		return listed, fmt.Errorf("%w%s", err, hint)
	}
	for i, ref := range refs {
		if !provider.IsCall(ref.Path) || ref.Name == "" || ref.Key == "" {
			return keys{}, fmt.Errorf("entry %d needs a path that calls something, as listKeys().key1, and the name and the key of a Secret%s", i, hint)
		}
		listed.Secrets = append(listed.Secrets, key{ref.Name, ref.Key, ref.Path})
	}
	return listed, nil
}

// decodeStrictly decodes JSON. It refuses members that the type does not have, and any text after
// the value. After an error it returns the zero value.
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
