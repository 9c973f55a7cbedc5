package crm

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PersonsNoteSpec is the desired state of a note about a person.
//
// +strata:resource:categories=crm,shortNames=pn,status=PersonsNoteStatus
// +strata:added:since=v20130303
// +strata:removed:since=v20180808
type PersonsNoteSpec struct {
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

	// What the note says.
	Properties NoteProperties `json:"properties"`
}

// PersonsNoteStatus is the observed state of a note.
type PersonsNoteStatus struct {
	// What the note says.
	// +optional
	Properties *NoteProperties `json:"properties,omitzero"`

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

// NoteProperties are something that we want to remember about a person.
type NoteProperties struct {
	// What was noted.
	// +kubebuilder:validation:MaxLength=4000
	Text string `json:"text"`

	// Who wrote the note, as an e-mail address.
	// +optional
	Author *string `json:"author,omitzero"`

	// How urgent it is to read the note.
	// +optional
	Importance *Importance `json:"importance,omitzero"`

	// What the note is about; one word each.
	// +optional
	Topics []string `json:"topics,omitzero"`

	// Files that belong to the note.
	// +strata:added:since=v20150505
	// +optional
	Attachments []Attachment `json:"attachments,omitzero"`

	// Where the note was written: whatever the program that wrote it knows.
	// +strata:added:since=v20160606
	// +optional
	Context json.RawMessage `json:"context,omitzero"`

	// How the person feels about us: -1 is furious, 1 is delighted.
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=1
	// +strata:added:since=v20160606
	// +optional
	Sentiment *float64 `json:"sentiment,omitzero"`
}

// Importance is how urgent it is to read a note.
//
// +enum
type Importance string

// The degrees of importance.
const (
	ImportanceLow    Importance = "Low"
	ImportanceNormal Importance = "Normal"
	ImportanceHigh   Importance = "High"
)

// Attachment is a file that belongs to a note.
type Attachment struct {
	// The name of the file.
	Name string `json:"name"`

	// Where the file is.
	URI string `json:"uri"`

	// How large the file is.
	// +kubebuilder:validation:Minimum=0
	// +optional
	SizeInBytes *int64 `json:"sizeInBytes,omitzero"`
}
