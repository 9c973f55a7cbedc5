// Package fleet is the second example: an API that is written in Go, with a kind of the cluster and a kind that is scaled.
//
// +groupName=fleet.example.com
// +strata:version:name=v1alpha1
// +strata:version:name=v1
package fleet

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DepotSpec is where robots stand. Depots belong to the cluster.
//
// +strata:resource:status=DepotStatus,scope=Cluster
type DepotSpec struct {
	// +optional
	// +strata:changed:since=v1,fromName=town
	City string `json:"city,omitzero"`
}

// DepotStatus is what is known of a depot.
type DepotStatus struct {
	// +optional
	City string `json:"city,omitzero"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// RobotSpec is robots of one kind.
//
// +strata:resource:status=RobotStatus
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
type RobotSpec struct {
	// Replicas is how many there are to be.
	// +optional
	Replicas int32 `json:"replicas,omitzero"`
	// +optional
	// +strata:changed:since=v1,fromName=color
	Colour string `json:"colour,omitzero"`
}

// RobotStatus is what is known of robots.
type RobotStatus struct {
	// Replicas is how many there are.
	// +optional
	Replicas int32 `json:"replicas,omitzero"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
