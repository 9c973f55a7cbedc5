package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CaptainSpec is the desired state of a captain.
type CaptainSpec struct {
	// Rank is the rank of the captain.
	//
	// +kubebuilder:validation:Enum=Lieutenant;Commander;Captain
	// +optional
	Rank string `json:"rank,omitempty"`
}

// CaptainStatus is the observed state of a captain.
type CaptainStatus struct {
	// Ship is the name of the present ship.
	//
	// +optional
	Ship string `json:"ship,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// Captain is a captain of ships.
type Captain struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   CaptainSpec   `json:"spec,omitempty"`
	Status CaptainStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// CaptainList is a list of captains.
type CaptainList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Captain `json:"items"`
}

func init() {
	SchemeBuilder.Register(&Captain{}, &CaptainList{})
}
