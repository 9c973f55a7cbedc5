package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	strata "github.com/stratakube/strata/runtime"
)

// Engine is a kind of database.
// +kubebuilder:validation:Enum=Postgres;MySQL
type Engine string

// The engines.
const (
	Postgres Engine = "Postgres"
	MySQL    Engine = "MySQL"
)

// DatabaseSpec is what is wanted of a Database.
type DatabaseSpec struct {
	// Engine is what kind of database it is.
	Engine Engine `json:"engine"`
	// Size of the disk, in GB.
	Size int32 `json:"size"`
	// Endpoint is host and port, as db:5432.
	// +optional
	Endpoint string `json:"endpoint,omitempty"`
	// +optional
	// +kubebuilder:default=1
	Replicas *int32 `json:"replicas,omitempty"`
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
	// +optional
	Backups []Backup `json:"backups,omitempty"`
	// +optional
	Parameters map[string]string `json:"parameters,omitempty"`
	// Pinned is only in this version.
	// +optional
	Pinned bool `json:"pinned,omitempty"`
}

// Backup is made regularly.
type Backup struct {
	Name string `json:"name"`
	// +optional
	Schedule string `json:"schedule,omitempty"`
	// +optional
	Keep metav1.Duration `json:"keep,omitempty"`
}

// DatabaseStatus is what was observed of a Database.
type DatabaseStatus struct {
	strata.VersionedStatus `json:",inline"`

	// +optional
	Ready bool `json:"ready,omitempty"`
	// +optional
	Message string `json:"message,omitempty"`
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
