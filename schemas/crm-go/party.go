package crm

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PartySpec is the desired state of a party: a company, an association or another group of people
// that we do business with.
//
// +strata:resource:categories=crm,status=PartyStatus
// +strata:added:since=v20150505
type PartySpec struct {
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

	// What is known of the party.
	Properties PartyProperties `json:"properties"`
}

// PartyStatus is the observed state of a party.
type PartyStatus struct {
	// The region in which the record is kept.
	// +optional
	Location *string `json:"location,omitzero"`

	// Labels for bills and searches.
	// +optional
	Tags map[string]string `json:"tags,omitzero"`

	// What is known of the party.
	// +optional
	Properties *PartyProperties `json:"properties,omitzero"`

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

// PartyProperties are what is known of a party.
type PartyProperties struct {
	// The name under which the party is listed.
	DisplayName string `json:"displayName"`

	// How far we have come with the party.
	// +optional
	Stage *Stage `json:"stage,omitzero"`

	// What only parties of this kind have.
	// +optional
	Details *PartyDetails `json:"details,omitzero"`

	// The people who belong to the party, the most important first.
	// +optional
	Members []PartyMember `json:"members,omitzero"`

	// Up to which sum the party may owe us money, in the currency of its account.
	// +kubebuilder:validation:Minimum=0
	// +optional
	CreditLimit *float64 `json:"creditLimit,omitzero"`

	// Facts about the party that have no property of their own, by name.
	// +optional
	Attributes map[string]string `json:"attributes,omitzero"`

	// Whatever add-ons of the CRM service keep with the party; any JSON value.
	// +optional
	Extensions json.RawMessage `json:"extensions,omitzero"`

	// How the party can be reached, by the name of the channel.
	// +strata:added:since=v20170707
	// +optional
	Channels map[string]Channel `json:"channels,omitzero"`

	// Where letters to the party are sent.
	// +strata:added:since=v20180808
	// +optional
	PostalAddress *Location `json:"postalAddress,omitzero"`
}

// Stage is how far we have come with a party.
type Stage string

// The stages.
const (
	StageProspect Stage = "Prospect"
	StageActive   Stage = "Active"
	StageDormant  Stage = "Dormant"
	// +strata:added:since=v20180808
	StageClosed Stage = "Closed"
)

// Kind is what sort of party it is.
type Kind string

// The kinds of parties.
const (
	KindAssociation Kind = "Association"
	KindCompany     Kind = "Company"
	// +strata:added:since=v20180808
	KindHousehold Kind = "Household"
)

// PartyDetails are what only parties of one kind have.
type PartyDetails struct {
	Kind Kind `json:"kind"`

	// Whom to call.
	// +optional
	Contact *Contact `json:"contact,omitzero"`

	// Of associations: what they exist for.
	// +optional
	Purpose *string `json:"purpose,omitzero"`

	// Of associations: how many people work for them without pay.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Volunteers *int64 `json:"volunteers,omitzero"`

	// Of companies: the number in the register of companies.
	// +optional
	RegistrationNumber *string `json:"registrationNumber,omitzero"`

	// Of companies: how many people they employ.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Employees *int64 `json:"employees,omitzero"`

	// Of households: how many people live in them.
	// +kubebuilder:validation:Minimum=1
	// +strata:added:since=v20180808
	// +optional
	Size *int64 `json:"size,omitzero"`
}

// Contact is whom to call.
type Contact struct {
	// The name of the person in the chair of an association.
	// +optional
	Chair *string `json:"chair,omitzero"`

	// The department of a company to ask for.
	// +optional
	Department *string `json:"department,omitzero"`

	// A telephone number, with the code of the country.
	// +optional
	Phone *string `json:"phone,omitzero"`
}

// PartyMember is a person's place in a party.
type PartyMember struct {
	// The name of the person's resource.
	PersonName string `json:"personName"`

	// What the person does in the party.
	// +optional
	Role *Role `json:"role,omitzero"`

	// Which part of the party belongs to the person, from 0 to 1.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	// +strata:added:since=v20170707
	// +optional
	Share *float64 `json:"share,omitzero"`
}

// Role is what a person does in a party.
//
// +enum
type Role string

// The roles.
const (
	RoleOwner     Role = "Owner"
	RoleEmployee  Role = "Employee"
	RoleAdviser   Role = "Adviser"
	RoleVolunteer Role = "Volunteer"
)

// Channel is a way to reach a party.
type Channel struct {
	// A telephone number, an e-mail address or a URL.
	Address string `json:"address"`

	// Whether to try this channel before others.
	// +optional
	Preferred *bool `json:"preferred,omitzero"`
}
