package crm

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PersonSpec is the desired state of a person that we do business with.
//
// +strata:resource:plural=persons,categories=crm,status=PersonStatus
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
type PersonSpec struct {
	// The name of the resource in the external API; by default the name of the object.
	// +optional
	AzureName *string `json:"azureName,omitzero"`

	// The parent of the resource.
	// +optional
	Owner *Owner `json:"owner,omitzero"`

	// Where values of properties lie that are no secrets and that the spec does not have.
	// +listType=map
	// +listMapKey=path
	// +optional
	ConfigMapRefs []ConfigMapRef `json:"configMapRefs,omitzero"`

	// Where values are put that the external API gives out.
	// +optional
	Outputs *Outputs `json:"outputs,omitzero"`

	// The region in which the record is kept.
	// +optional
	Location *string `json:"location,omitzero"`

	// Labels for bills and searches.
	// +optional
	Tags map[string]string `json:"tags,omitzero"`

	// What is known of the person.
	Properties PersonProperties `json:"properties"`
}

// PersonStatus is the observed state of a person.
type PersonStatus struct {
	// The region in which the record is kept.
	// +optional
	Location *string `json:"location,omitzero"`

	// Labels for bills and searches.
	// +optional
	Tags map[string]string `json:"tags,omitzero"`

	// What is known of the person.
	// +optional
	Properties *PersonProperties `json:"properties,omitzero"`

	// The identifier of the resource outside the cluster.
	// +optional
	ID *string `json:"id,omitzero"`

	// The name of the resource outside the cluster.
	// +optional
	Name *string `json:"name,omitzero"`

	// The type of the resource outside the cluster.
	// +optional
	Type *string `json:"type,omitzero"`

	// The observed state of the resource.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitzero"`
}

// PersonProperties are what is known of a person.
type PersonProperties struct {
	// Identifies the person in every system that the CRM service talks to; a UUID.
	// +optional
	ID *string `json:"id,omitzero"`

	// The given name, as it is used in letters.
	// +strata:removed:since=v20140404preview
	// +optional
	FirstName *string `json:"firstName,omitzero"`

	// The names between the first and the last one.
	// +strata:added:since=v20130303
	// +strata:removed:since=v20140404preview
	// +optional
	MiddleName *string `json:"middleName,omitzero"`

	// The name that the person shares with the family.
	// +strata:removed:since=v20140404preview
	// +optional
	LastName *string `json:"lastName,omitzero"`

	// All names in the order in which they are said.
	// +strata:added:since=v20140404preview
	// +strata:removed:since=v20140404
	// +optional
	FullName *string `json:"fullName,omitzero"`

	// The complete name, as it stands in the person's passport.
	// +strata:added:since=v20140404,default=none
	LegalName string `json:"legalName"`

	// The part of the name that the person shares with the family.
	// +strata:added:since=v20140404preview,default=none
	FamilyName string `json:"familyName"`

	// What the person wants to be called.
	// +strata:added:since=v20140404preview
	// +optional
	KnownAs *string `json:"knownAs,omitzero"`

	// Where the person is found in an alphabetical list.
	// +strata:added:since=v20140404
	// +strata:changed:since=v20150505,fromName=alphaKey
	// +optional
	SortKey *string `json:"sortKey,omitzero"`

	// Where letters to the person are sent.
	// +strata:added:since=v20160606
	// +optional
	MailingAddress *Location `json:"mailingAddress,omitzero"`

	// Where the person lives, as a label to print.
	// +strata:added:since=v20130303
	// +strata:removed:since=v20140404preview
	// +optional
	ResidentialLabel *Label `json:"residentialAddress,omitzero"`

	// Where the person lives: the property of earlier days is back, in another shape.
	// +strata:added:since=v20190909
	// +optional
	ResidentialAddress *Address `json:"residentialAddress,omitzero"`
}

// Label is an address as it is printed.
type Label struct {
	// The lines of the label.
	// +optional
	Label *string `json:"label,omitzero"`
}

// Address is where a person lives.
type Address struct {
	// The street, with the number of the house.
	// +optional
	Street *string `json:"street,omitzero"`

	// The part of the city.
	// +optional
	Suburb *string `json:"suburb,omitzero"`

	// The town or city.
	// +optional
	City *string `json:"city,omitzero"`

	// The country, by its English short name.
	// +optional
	Country *string `json:"country,omitzero"`
}

// Location is a place that letters can be sent to.
type Location struct {
	// The street, with the number of the house.
	// +strata:removed:since=v20180808
	// +optional
	Street *string `json:"street,omitzero"`

	// The whole address in lines, as it would be printed on an envelope.
	// +strata:added:since=v20180808
	// +optional
	FullAddress *string `json:"fullAddress,omitzero"`

	// The town or city.
	// +optional
	City *string `json:"city,omitzero"`

	// The country, by its English short name.
	// +strata:added:since=v20180808
	// +optional
	Country *string `json:"country,omitzero"`

	// The code that the postal service of the country sorts by.
	// +strata:added:since=v20180808
	// +optional
	PostCode *string `json:"postCode,omitzero"`

	// Degrees north of the equator; south is negative.
	// +kubebuilder:validation:Minimum=-90
	// +kubebuilder:validation:Maximum=90
	// +strata:added:since=v20190909
	// +optional
	Latitude *float64 `json:"latitude,omitzero"`

	// Degrees east of Greenwich; west is negative.
	// +kubebuilder:validation:Minimum=-180
	// +kubebuilder:validation:Maximum=180
	// +strata:added:since=v20190909
	// +optional
	Longitude *float64 `json:"longitude,omitzero"`
}
