package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OvenSpec is the desired state of a oven.
type OvenSpec struct {
	// Degrees is the highest temperature.
	//
	// +optional
	Degrees *int32 `json:"degrees,omitempty"`
}

// OvenStatus is the observed state of a oven.
type OvenStatus struct {
	// Hot reports whether it is hot.
	//
	// +optional
	Hot bool `json:"hot,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=ov

// Oven is where food gets hot.
type Oven struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   OvenSpec   `json:"spec,omitempty"`
	Status OvenStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// OvenList is a list of ovens.
type OvenList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Oven `json:"items"`
}

func init() {
	SchemeBuilder.Register(&Oven{}, &OvenList{})
}
