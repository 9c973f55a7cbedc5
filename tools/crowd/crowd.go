package crowd

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

const (
	// Group is that of all resources.
	Group = "crm.example.com"
	// Namespace is where all of them are.
	Namespace = "default"
)

// Kind is a kind of the worked example.
type Kind struct {
	Name, Plural string
	Type         string // outside
	Hub          string // the label of the version that is stored
	versions     []version
	owned        bool // by a person
}

// version is one in which resources are written, and what is then written.
type version struct {
	label, external string
	properties      map[string]any
}

// Kinds are all of them.
var Kinds = []Kind{
	{
		Name: "Person", Plural: "persons", Type: "Microsoft.Crm/persons", Hub: "v20190909storage",
		versions: []version{
			{"v20110101", "2011-01-01", map[string]any{"firstName": "Ada", "lastName": "Byron"}},
			{"v20150505", "2015-05-05", map[string]any{"legalName": "Augusta Ada King", "familyName": "King"}},
			{"v20190909", "2019-09-09", map[string]any{"legalName": "Augusta Ada King", "familyName": "King", "knownAs": "Ada"}},
		},
	},
	{
		Name: "Party", Plural: "parties", Type: "Microsoft.Crm/parties", Hub: "v20190909storage",
		versions: []version{
			{"v20150505", "2015-05-05", map[string]any{"displayName": "Analysts"}},
			{"v20170707", "2017-07-07", map[string]any{"displayName": "Analysts"}},
			{"v20190909", "2019-09-09", map[string]any{"displayName": "Analysts"}},
		},
	},
	{
		Name: "PersonsNote", Plural: "personsnotes", Type: "Microsoft.Crm/persons/notes", Hub: "v20170707storage", owned: true,
		versions: []version{
			{"v20130303", "2013-03-03", map[string]any{"text": "hello"}},
			{"v20150505", "2015-05-05", map[string]any{"text": "hello"}},
			{"v20170707", "2017-07-07", map[string]any{"text": "hello", "sentiment": 0.5}},
		},
	},
}

// Resource is the kind as clients name it, in a version.
func (k Kind) Resource(label string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: Group, Version: label, Resource: k.Plural}
}

// Member is a resource of a crowd.
type Member struct {
	Kind
	Name            string
	Label, External string // the version in which it is written, here and outside
	spec            map[string]any
}

// Crowd is many resources.
type Crowd struct {
	Client  dynamic.Interface
	Members []Member
}

// New is a crowd of a size of which nothing has been created. The names of its resources begin with a prefix.
func New(config *rest.Config, prefix string, size int) (*Crowd, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.WarningHandler = -1, rest.NoWarnings{}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	c := &Crowd{Client: client}
	for i := range size {
		c.Members = append(c.Members, member(prefix, i))
	}
	return c, nil
}

// member is a resource by its number. That with the number 0 is the person that the notes belong to.
func member(prefix string, i int) Member {
	k := Kinds[i%len(Kinds)]
	v := k.versions[i/len(Kinds)%len(k.versions)]
	m := Member{Kind: k, Name: fmt.Sprintf("%s-%d", prefix, i), Label: v.label, External: v.external, spec: map[string]any{"properties": v.properties}}
	if k.owned {
		m.spec["owner"] = map[string]any{"name": prefix + "-0"}
	}
	return m
}

// of is where clients find the resource, in a version.
func (c *Crowd) of(m Member, label string) dynamic.ResourceInterface {
	return c.Client.Resource(m.Resource(label)).Namespace(Namespace)
}

// Create creates all of them, several at a time.
func (c *Crowd) Create(ctx context.Context) error {
	const creators = 8
	errs := make(chan error, creators)
	var all sync.WaitGroup
	for creator := range creators {
		all.Go(func() {
			for i := creator; i < len(c.Members); i += creators {
				if err := c.create(ctx, c.Members[i]); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

// create also succeeds where the server had lost its voice: what is there already was created.
func (c *Crowd) create(ctx context.Context, m Member) error {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": Group + "/" + m.Label, "kind": m.Kind.Name, "metadata": map[string]any{"name": m.Name}, "spec": m.spec,
	}}
	return Insist(ctx, func() error {
		_, err := c.of(m, m.Label).Create(ctx, object.DeepCopy(), metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

// Insist tries again while a server is not there, or asks to come later.
func Insist(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil || isFinal(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// isFinal tells whether an error is the server's last word. What is no word of a server at all is that of a connection.
func isFinal(err error) bool {
	if _, later := apierrors.SuggestsClientDelay(err); later || apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err) {
		return false
	}
	return apierrors.ReasonForError(err) != metav1.StatusReasonUnknown
}

// Ready tells how many are ready, and of one that is not what it waits for.
func (c *Crowd) Ready(ctx context.Context) (ready int, waits string, err error) {
	objects := map[string]*unstructured.Unstructured{}
	for _, k := range Kinds {
		list, err := c.Client.Resource(k.Resource(k.Hub)).Namespace(Namespace).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return 0, "", err
		}
		for i := range list.Items {
			objects[k.Name+"/"+list.Items[i].GetName()] = &list.Items[i]
		}
	}
	for _, m := range c.Members {
		said := "it is not there"
		if object := objects[m.Kind.Name+"/"+m.Name]; object != nil {
			said = unready(object)
		}
		if said == "" {
			ready++
		} else {
			waits = m.Kind.Name + " " + m.Name + ": " + said
		}
	}
	return ready, waits, nil
}

// AwaitReady waits until all of them are ready.
func (c *Crowd) AwaitReady(ctx context.Context, report func(line string)) error {
	for {
		ready, waits, err := c.Ready(ctx)
		if err != nil {
			return err
		}
		report(fmt.Sprintf("%d of %d are ready", ready, len(c.Members)))
		if ready == len(c.Members) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d are ready: %w; %s", ready, len(c.Members), ctx.Err(), waits)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// unready says why a resource is not ready in its present generation; empty if it is.
func unready(object *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, c := range conditions {
		c, _ := c.(map[string]any)
		if c["type"] != "Ready" {
			continue
		}
		if generation, _ := c["observedGeneration"].(int64); c["status"] == "True" && generation == object.GetGeneration() {
			return ""
		}
		return fmt.Sprintf("%v: %v, of generation %v", c["reason"], c["message"], c["observedGeneration"])
	}
	return "nothing is said of it"
}
