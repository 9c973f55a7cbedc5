package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	strata "github.com/stratakube/strata/runtime"
)

// Engine is a kind of database.
// +kubebuilder:validation:Enum=Postgres;MySQL;SQLite
type Engine string

// Common is what all resources of the project have.
type Common struct {
	// Paused stops reconciliation.
	// +optional
	Paused bool `json:"paused,omitempty"`
	// +optional
	Tags []Tag `json:"tags,omitempty"`
}

// Tag names a cost centre.
type Tag string

// DatabaseSpec is what is wanted of a Database.
type DatabaseSpec struct {
	Common `json:",inline"`

	// Engine is what kind of database it is.
	Engine Engine `json:"engine"`
	// StorageGB is the size of the disk.
	StorageGB int32 `json:"storageGB"`
	// +optional
	Host string `json:"host,omitempty"`
	// +optional
	Port *int32 `json:"port,omitempty"`
	// +optional
	// +kubebuilder:default=1
	Replicas *int32 `json:"replicas,omitempty"`
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// +optional
	Backups []*Backup `json:"backups,omitempty"`
	// +optional
	Parameters map[string]string `json:"parameters,omitempty"`
	// +optional
	Maintenance *Window `json:"maintenance,omitempty"`
}

// Window is a time of the week.
type Window struct {
	Day   string `json:"day"`
	Hours []int8 `json:"hours"`
}

// Backup is made regularly.
type Backup struct {
	Name string `json:"name"`
	// +optional
	Schedule string `json:"schedule,omitempty"`
	// +optional
	Keep metav1.Duration `json:"keep,omitempty"`
	// +optional
	Last *metav1.Time `json:"last,omitempty"`
}

// DatabaseStatus is what was observed of a Database.
type DatabaseStatus struct {
	strata.VersionedStatus `json:",inline"`

	// +optional
	Ready bool `json:"ready,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Database is a database.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=db
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   DatabaseSpec   `json:"spec,omitempty"`
	Status DatabaseStatus `json:"status,omitempty"`
}

// DatabaseList is a list of Database.
// +kubebuilder:object:root=true
type DatabaseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Database `json:"items"`
}
