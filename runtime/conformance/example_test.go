package conformance_test

import (
	"fmt"
	"testing"

	"github.com/stratakube/strata/runtime/conformance"
)

type Phone struct {
	Number *string `json:"number,omitzero"`
}

type Person struct {
	Name   *string `json:"name,omitzero"`
	Phones []Phone `json:"phones,omitzero"`
}

type Hub struct {
	FullName *string `json:"fullName,omitzero"`
	Phones   []Phone `json:"phones,omitzero"`
}

func (p *Person) ConvertToStorage(dst *Hub) error {
	*dst = Hub{FullName: p.Name, Phones: p.Phones}
	return nil
}

func (p *Person) ConvertFromStorage(src *Hub) error {
	*p = Person{Name: src.FullName, Phones: src.Phones}
	return nil
}

func (p *Person) ConvertTo(hub any) error   { return p.ConvertToStorage(hub.(*Hub)) }
func (p *Person) ConvertFrom(hub any) error { return p.ConvertFromStorage(hub.(*Hub)) }

func ExampleRun() {
	var t *testing.T // of func TestPersons(t *testing.T)

	conformance.Run(t, conformance.Resource("Microsoft.Crm/persons",
		conformance.Version("v20110101", (*Person).ConvertToStorage, (*Person).ConvertFromStorage),
		conformance.Type[Hub]("v20190909storage"),
	))
}

func ExampleProve() {
	var t *testing.T // of func TestPersons(t *testing.T)

	conformance.Prove(t, conformance.Kind("Microsoft.Crm/persons",
		conformance.Hub[*Person]("v20190909"),
	))
}

func ExampleCoverage() {
	fields, err := conformance.Coverage[Person]("Microsoft.Crm/persons v20110101", 1000)
	if err != nil {
		fmt.Println(err)
	}
	for _, field := range fields {
		fmt.Println(field.Path, field.Drawn > 100)
	}
	// Output:
	// Name true
	// Phones true
	// Phones[].Number true
}
