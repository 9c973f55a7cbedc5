// Package v2 contains version v2 of rooms.
package v2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of this package.
var GroupVersion = schema.GroupVersion{Group: "hotel.example.com", Version: "v2"}

// AddToScheme registers rooms.
func AddToScheme(s *k8sruntime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Room{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
