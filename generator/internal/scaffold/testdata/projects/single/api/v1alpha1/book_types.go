package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BookSpec is the desired state of a book.
type BookSpec struct {
	// Title is printed on the cover.
	//
	// +kubebuilder:validation:MinLength=1
	Title string `json:"title"`

	// Shelf is where the book is. Later versions have no shelves.
	//
	// +optional
	Shelf string `json:"shelf,omitempty"`
}

// BookStatus is the observed state of a book.
type BookStatus struct {
	// Conditions describe the current state.
	//
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// Book is a book for sale.
type Book struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BookSpec   `json:"spec,omitempty"`
	Status BookStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// BookList is a list of books.
type BookList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Book `json:"items"`
}

func init() {
	SchemeBuilder.Register(&Book{}, &BookList{})
}
