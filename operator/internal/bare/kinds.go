package main

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	notes "github.com/stratakube/strata/operator/api/crm/v20170707/storage"
	crm "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
)

// object is a pointer to a type of the API.
type object[T any] interface {
	*T
	client.Object
}

// kind is what a controller knows of its kind.
type kind[T any, P object[T]] struct {
	folder, version string // in the external API
	// owner returns the name of the person that the object belongs to; nil if it belongs to none.
	owner func(P) string
	// body returns what is sent.
	body func(P) any
	// conditions returns those of the status.
	conditions func(P) []metav1.Condition
	// observe sets the status to the answer of the external API, with conditions.
	observe func(P, []byte, []metav1.Condition) error
}

// request is the body of a request.
type request struct {
	Location   *string           `json:"location,omitzero"`
	Properties any               `json:"properties,omitzero"`
	Tags       map[string]string `json:"tags,omitzero"`
}

var persons = kind[crm.Person, *crm.Person]{
	folder: "persons", version: "2019-09-09",
	body: func(p *crm.Person) any {
		properties := p.Spec.Properties.DeepCopy()
		properties.PropertyBag = nil
		return request{p.Spec.Location, properties, p.Spec.Tags}
	},
	conditions: func(p *crm.Person) []metav1.Condition {
		if p.Status == nil {
			return nil
		}
		return p.Status.Conditions
	},
	observe: func(p *crm.Person, answer []byte, conditions []metav1.Condition) error {
		p.Status = new(crm.PersonStatus)
		err := observed(answer, p.Status)
		p.Status.Conditions = conditions
		return err
	},
}

var parties = kind[crm.Party, *crm.Party]{
	folder: "parties", version: "2019-09-09",
	body: func(p *crm.Party) any {
		properties := p.Spec.Properties.DeepCopy()
		properties.PropertyBag = nil
		return request{p.Spec.Location, properties, p.Spec.Tags}
	},
	conditions: func(p *crm.Party) []metav1.Condition {
		if p.Status == nil {
			return nil
		}
		return p.Status.Conditions
	},
	observe: func(p *crm.Party, answer []byte, conditions []metav1.Condition) error {
		p.Status = new(crm.PartyStatus)
		err := observed(answer, p.Status)
		p.Status.Conditions = conditions
		return err
	},
}

var personsNotes = kind[notes.PersonsNote, *notes.PersonsNote]{
	folder: "notes", version: "2017-07-07",
	owner: func(n *notes.PersonsNote) string { return *n.Spec.Owner.Name },
	body: func(n *notes.PersonsNote) any {
		properties := n.Spec.Properties.DeepCopy()
		properties.PropertyBag = nil
		return request{Properties: properties}
	},
	conditions: func(n *notes.PersonsNote) []metav1.Condition {
		if n.Status == nil {
			return nil
		}
		return n.Status.Conditions
	},
	observe: func(n *notes.PersonsNote, answer []byte, conditions []metav1.Condition) error {
		n.Status = new(notes.PersonsNoteStatus)
		err := observed(answer, n.Status)
		n.Status.Conditions = conditions
		return err
	},
}

func observed(answer []byte, into any) error {
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}
