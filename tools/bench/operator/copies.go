package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/fixtures"
)

// The originals of copies: each kind in each version. One person owns the notes.
const (
	originals      = 27
	originalPrefix = "sample"
)

// copies copies resources that an operator has made ready: their objects in etcd, and what the
// simulator has. Each copy has a name, a UID and a claim of its own, so that an operator takes it
// for one that it has made itself.
type copies struct {
	*env.Env
	key        claimKey
	namespaces []string
	objects    []object
	resources  []armsim.Resource // of the objects, in the same order
	count      int               // of copies that were made
	bytes      int               // of all of these in etcd
}

// object is a stored object.
type object struct {
	kind fixtures.Kind
	name string
	uid  string
	text string // as etcd stores it
}

// newCopies has an operator make the originals ready, and makes the namespaces of the copies. From
// then on, the CRDs serve the storage version alone, so that the API server caches each object
// once.
func newCopies(ctx context.Context, r *env.Env, namespaces int, report func(string)) (*copies, error) {
	set, err := fixtures.New(r.Config, originalPrefix, originals)
	if err != nil {
		return nil, err
	}
	o, err := r.Operate(ctx)
	if err != nil {
		return nil, err
	}
	if err := set.Create(ctx); err != nil {
		return nil, err
	}
	if err := set.AwaitReady(ctx, report); err != nil {
		return nil, err
	}
	if err := o.Stop(); err != nil {
		return nil, err
	}
	c := &copies{Env: r}
	if err := c.read(ctx, set); err != nil {
		return nil, fmt.Errorf("read the originals: %w", err)
	}
	clients, err := kubernetes.NewForConfig(r.Config)
	if err != nil {
		return nil, err
	}
	if c.key, err = readClaimKey(ctx, clients); err != nil {
		return nil, err
	}
	for i := range namespaces {
		name := fmt.Sprintf("copies-%d", i)
		if _, err := clients.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			return nil, err
		}
		c.namespaces = append(c.namespaces, name)
	}
	return c, serveStorage(ctx, r.Config)
}

// read reads the originals from etcd and from the simulator.
func (c *copies) read(ctx context.Context, set *fixtures.Set) error {
	resources, err := c.Simulator.Resources()
	if err != nil {
		return err
	}
	byName := map[string]armsim.Resource{}
	for _, resource := range resources {
		byName[path.Base(resource.ID)] = resource
	}
	for _, m := range set.Members {
		text, err := c.Stored(ctx, keyOf(m.Kind, fixtures.Namespace, m.Name))
		if err != nil {
			return err
		}
		var content struct{ Metadata metav1.ObjectMeta }
		if err := json.Unmarshal(text, &content); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		resource, has := byName[m.Name]
		if !has {
			return fmt.Errorf("%s: the external API has no such resource", m.Name)
		}
		c.objects = append(c.objects, object{m.Kind, m.Name, string(content.Metadata.UID), string(text)})
		c.resources = append(c.resources, resource)
	}
	return nil
}

// keyOf is where etcd stores an object.
func keyOf(k fixtures.Kind, namespace, name string) string {
	return path.Join("/registry", fixtures.Group, k.Plural, namespace, name)
}

// batch is how many copies are written at once.
const batch = 1000

// grow makes copies until there is a number of resources, with the originals.
func (c *copies) grow(ctx context.Context, resources int, report func(string)) error {
	for c.count < resources-originals {
		stored, external := map[string][]byte{}, []armsim.Resource(nil)
		for len(external) < batch && c.count < resources-originals {
			set, i := c.count/originals, c.count%originals
			text, err := c.object(set, i)
			if err != nil {
				return fmt.Errorf("copy %s: %w", c.objects[i].name, err)
			}
			stored[keyOf(c.objects[i].kind, c.namespace(set), renamed(c.objects[i].name, set))] = text
			resource := c.resources[i]
			resource.ID = renamed(resource.ID, set)
			external = append(external, resource)
			c.count, c.bytes = c.count+1, c.bytes+len(text)
		}
		if err := errors.Join(c.Simulator.Restore(external...), c.StoreAll(ctx, stored)); err != nil {
			return err
		}
		report(fmt.Sprintf("there are %d resources", originals+c.count))
	}
	return c.awaitListed(ctx, resources)
}

// namespace is that of a set of copies.
func (c *copies) namespace(set int) string { return c.namespaces[set%len(c.namespaces)] }

// renamed replaces the names of originals in a text by those of copies.
func renamed(text string, set int) string {
	return strings.ReplaceAll(text, originalPrefix+"-", fmt.Sprintf("copy%d-", set))
}

// uidOf is the UID of a copy.
func uidOf(set, i int) string { return fmt.Sprintf("%08x-%04x-4000-8000-000000000000", set, i) }

// object returns the copy of an object as etcd stores it.
func (c *copies) object(set, i int) ([]byte, error) {
	text := renamed(c.objects[i].text, set)
	for j, other := range c.objects { // the owner of a note may be named by its UID
		text = strings.ReplaceAll(text, other.uid, uidOf(set, j))
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	content := map[string]any{}
	if err := decoder.Decode(&content); err != nil {
		return nil, err
	}
	meta, isObject := content["metadata"].(map[string]any)
	if !isObject {
		return nil, errors.New("it has no metadata")
	}
	meta["namespace"] = c.namespace(set)
	annotations, isObject := meta["annotations"].(map[string]any)
	if !isObject {
		return nil, errors.New("it has no annotations")
	}
	annotations[signature] = c.key.sign(uidOf(set, i), annotations)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(content)
	return out.Bytes(), err
}

// awaitListed waits until the caches of the API server have all resources.
func (c *copies) awaitListed(ctx context.Context, resources int) error {
	client, err := metadata.NewForConfig(c.Config)
	if err != nil {
		return err
	}
	count := func() (n int, err error) {
		for _, k := range fixtures.Kinds {
			list, err := client.Resource(k.Resource(k.Hub)).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
			if err != nil {
				return 0, err
			}
			n += len(list.Items)
		}
		return n, nil
	}
	return fixtures.Insist(ctx, func() error {
		n, err := count()
		if err == nil && n != resources {
			err = fmt.Errorf("the API server lists %d of %d resources", n, resources)
		}
		return err
	})
}

// serveStorage makes the CRDs serve their storage version alone.
func serveStorage(ctx context.Context, config *rest.Config) error {
	clients, err := apiextensions.NewForConfig(config)
	if err != nil {
		return err
	}
	definitions := clients.ApiextensionsV1().CustomResourceDefinitions()
	for _, k := range fixtures.Kinds {
		definition, err := definitions.Get(ctx, k.Plural+"."+fixtures.Group, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for i := range definition.Spec.Versions {
			definition.Spec.Versions[i].Served = definition.Spec.Versions[i].Storage
		}
		if _, err := definitions.Update(ctx, definition, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// claimKey is the key with which operators sign claims.
type claimKey struct {
	name string
	key  []byte
}

// readClaimKey reads the key that the operator of an environment has made.
func readClaimKey(ctx context.Context, clients kubernetes.Interface) (k claimKey, err error) {
	secret, err := clients.CoreV1().Secrets(env.ClaimKeyNamespace).Get(ctx, env.ClaimKeyName, metav1.GetOptions{})
	if err != nil {
		return k, err
	}
	if len(secret.Data) == 0 {
		return k, errors.New("the operator has made no key for claims")
	}
	k.name = slices.Max(slices.Collect(maps.Keys(secret.Data)))
	k.key = secret.Data[k.name]
	return k, nil
}
