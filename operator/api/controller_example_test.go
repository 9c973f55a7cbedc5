package api_test

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/operator/api/crm/v20110101"
	hub "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
	"github.com/stratakube/strata/runtime"
)

// Service is the external API. It answers a PUT with what it has stored.
type Service interface {
	Put(ctx context.Context, version, name string, body []byte) ([]byte, error)
}

// Reconcile sends a person to the service in the version that its user wrote, and writes the answer
// to the status.
func Reconcile(ctx context.Context, service Service, all *k8sruntime.Scheme, person *hub.Person) error {
	spec, err := runtime.GetVersionedSpec(person, all)
	if err != nil {
		return err
	}
	body, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	version := runtime.EffectiveVersion(*person.OriginalGVK(), all).Version
	answer, err := service.Put(ctx, version, person.Name, body)
	if err != nil {
		return err
	}
	status, err := runtime.NewEmptyVersionedStatus(person, all)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, status); err != nil {
		return err
	}
	return person.SetStatus(status) // converts the status to the hub
}

// echo is a service that prints requests, and answers with an identifier.
type echo struct{}

func (echo) Put(_ context.Context, version, name string, body []byte) ([]byte, error) {
	fmt.Printf("PUT %s/%s %s\n", version, name, body)
	return []byte(`{"id": "/persons/ada", "properties": {"firstName": "Ada", "lastName": "King"}}`), nil
}

// A controller without Strata's operator reads the hub, and calls the external API in the version
// that the user wrote.
func Example_controller() {
	scheme := k8sruntime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		panic(err)
	}
	written := &v20110101.Person{
		ObjectMeta: metav1.ObjectMeta{Name: "ada"},
		Spec:       &v20110101.PersonSpec{Properties: &v20110101.PersonProperties{FirstName: ptr("Ada"), LastName: ptr("King")}},
	}
	var person hub.Person // as the webhook stores it, and a client of the hub reads it
	if err := written.ConvertTo(&person); err != nil {
		panic(err)
	}
	if err := Reconcile(context.Background(), echo{}, scheme, &person); err != nil {
		panic(err)
	}
	var read v20110101.Person
	if err := read.ConvertFrom(&person); err != nil {
		panic(err)
	}
	fmt.Println(*read.Status.Id, *read.Status.Properties.LastName)
	fmt.Println(*person.Status.Properties.FamilyName)
	// Output:
	// PUT v20110101/ada {"properties":{"firstName":"Ada","lastName":"King"}}
	// /persons/ada King
	// King
}
