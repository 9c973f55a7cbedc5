// Package v1 has the API types of version v1 of db.example.com.
//
// +kubebuilder:object:generate=true
// +groupName=db.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of this package.
var GroupVersion = schema.GroupVersion{Group: "db.example.com", Version: "v1"}

// AddToScheme registers the types of this package.
func AddToScheme(s *k8sruntime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Database{}, &DatabaseList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
