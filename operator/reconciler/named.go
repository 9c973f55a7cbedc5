package reconciler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/mark"
	"github.com/stratakube/strata/operator/outside"
	"github.com/stratakube/strata/operator/plugin/fieldpath"
)

// naming is what an object names: where values lie that it gets, and where those are put that the external API gives out.
type naming struct {
	secretRefs, configMapRefs []outside.Ref
	secrets, configMaps       outside.Outputs
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

// namedBy reads what an object names. Own are the members of its spec that are Strata's, places its secrets.
func namedBy(object *unstructured.Unstructured, own []string, places outside.SecretPlaces) (naming, error) {
	n := naming{secrets: outside.Outputs{}, configMaps: outside.Outputs{}}
	asked, err := askedIn(object, slices.Contains(own, outside.SpecOutputs))
	if err != nil {
		return n, err
	}
	for _, ref := range refsOf(object, "secretRefs") {
		if outside.IsCall(ref.Path) {
			asked.Secrets = append(asked.Secrets, key{ref.Name, ref.Key, ref.Path})
		} else {
			n.secretRefs = append(n.secretRefs, ref)
		}
	}
	if slices.Contains(own, outside.ConfigMapRefs) {
		n.configMapRefs = refsOf(object, outside.ConfigMapRefs)
	}
	return n, n.put(asked, places)
}

// put adds outputs. A key has one path; a ConfigMap gets no secret.
func (n *naming) put(asked keys, places outside.SecretPlaces) error {
	for _, k := range asked.Secrets {
		if err := k.check(); err != nil {
			return err
		}
		if !n.secrets.Add(k.ref()) {
			return fmt.Errorf("key %s of Secret %s is to have two values: name another key", k.Key, k.Name)
		}
	}
	for _, k := range asked.ConfigMaps {
		if err := k.check(); err != nil {
			return err
		}
		if err := k.checkPublic(places); err != nil {
			return fmt.Errorf("key %s of ConfigMap %s: %w", k.Key, k.Name, err)
		}
		if !n.configMaps.Add(k.ref()) {
			return fmt.Errorf("key %s of ConfigMap %s is to have two values: name another key", k.Key, k.Name)
		}
	}
	return nil
}

func (k key) ref() outside.Ref { return outside.Ref{Path: k.From, Name: k.Name, Key: k.Key} }

// check refuses what is no output. The calls of a path are the provider's to judge.
func (k key) check() error {
	if k.Name == "" || k.Key == "" || k.From == "" {
		return fmt.Errorf("an output needs a name, a key and a path: it has %q, %q and %q", k.Name, k.Key, k.From)
	}
	if outside.IsCall(k.From) {
		return nil
	}
	_, err := fieldpath.Parse(k.From)
	return err
}

// checkPublic refuses the path of a secret.
func (k key) checkPublic(places outside.SecretPlaces) error {
	if outside.IsCall(k.From) {
		return fmt.Errorf("%s calls the external API for a secret: put it into a Secret", k.From)
	}
	if path, err := fieldpath.Parse(k.From); err != nil || places.Meets(path) {
		return fmt.Errorf("%s is a secret, or has one in it: put it into a Secret", k.From)
	}
	return nil
}

// refsOf reads a list of references in a spec.
func refsOf(object *unstructured.Unstructured, member string) []outside.Ref {
	list, _, _ := unstructured.NestedSlice(object.Object, "spec", member)
	var refs []outside.Ref
	for _, one := range list {
		if ref, ok := one.(map[string]any); ok {
			of := func(name string) string { value, _ := ref[name].(string); return value }
			refs = append(refs, outside.Ref{Path: of("path"), Name: of("name"), Key: of("key")})
		}
	}
	return refs
}

// askedIn reads the outputs that the spec and the annotation ask for.
func askedIn(object *unstructured.Unstructured, hasOutputs bool) (asked keys, err error) {
	if value, has, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", outside.SpecOutputs); has && hasOutputs {
		data, err := json.Marshal(value)
		if err != nil {
			return asked, fmt.Errorf("spec.outputs: %w", err)
		}
		if err := decodeStrictly(data, &asked); err != nil {
			return asked, fmt.Errorf("spec.outputs: %w", err)
		}
	}
	noted, err := notedOutputs(object.GetAnnotations()[mark.Outputs])
	if err != nil {
		return asked, fmt.Errorf("annotation %s: %w", mark.Outputs, err)
	}
	asked.Secrets = append(asked.Secrets, noted.Secrets...)
	asked.ConfigMaps = append(asked.ConfigMaps, noted.ConfigMaps...)
	return asked, nil
}

// notedOutputs reads the outputs of the annotation: an object as spec.outputs, or a list as spec.secretRefs whose paths call
// something.
func notedOutputs(text string) (noted keys, err error) {
	const hint = `; write it as {"secrets":[{"name":"SECRET","key":"KEY","from":"listKeys().key1"}]}`
	if text == "" {
		return noted, nil
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		if err := decodeStrictly([]byte(text), &noted); err != nil {
			return noted, fmt.Errorf("%w%s", err, hint)
		}
		if len(noted.Secrets)+len(noted.ConfigMaps) == 0 {
			return noted, fmt.Errorf("it names no output%s", hint)
		}
		return noted, nil
	}
	var refs []outside.Ref
	if err := decodeStrictly([]byte(text), &refs); err != nil {
		return noted, fmt.Errorf("%w%s", err, hint)
	}
	for i, ref := range refs {
		if !outside.IsCall(ref.Path) || ref.Name == "" || ref.Key == "" {
			return noted, fmt.Errorf("entry %d needs a path that calls something, as listKeys().key1, and the name and the key of a Secret%s", i, hint)
		}
		noted.Secrets = append(noted.Secrets, key{ref.Name, ref.Key, ref.Path})
	}
	return noted, nil
}

func decodeStrictly(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
