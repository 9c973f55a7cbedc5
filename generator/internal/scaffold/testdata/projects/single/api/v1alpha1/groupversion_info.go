// Package v1alpha1 contains the API types of the group shop.example.com.
//
// +kubebuilder:object:generate=true
// +groupName=shop.example.com
package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	// GroupVersion is the group and version of these types.
	GroupVersion = schema.GroupVersion{Group: "shop.example.com", Version: "v1alpha1"}

	// SchemeBuilder registers these types.
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}

	// AddToScheme adds these types to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)
