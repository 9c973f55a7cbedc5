package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FrigateSpec is the desired state of a frigate.
type FrigateSpec struct {
	// Masts is the number of masts.
	//
	// +optional
	Masts int32 `json:"masts,omitempty"`
}

// FrigateStatus is the observed state of a frigate.
type FrigateStatus struct {
	// Afloat reports whether the frigate swims.
	//
	// +optional
	Afloat bool `json:"afloat,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// Frigate is a small ship.
type Frigate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   FrigateSpec   `json:"spec,omitempty"`
	Status FrigateStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// FrigateList is a list of frigates.
type FrigateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Frigate `json:"items"`
}

func init() {
	SchemeBuilder.Register(&Frigate{}, &FrigateList{})
}
