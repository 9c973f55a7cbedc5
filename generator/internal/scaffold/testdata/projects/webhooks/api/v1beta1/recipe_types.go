package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RecipeSpec is the desired state of a recipe.
type RecipeSpec struct {
	// Servings is the number of people.
	//
	// +kubebuilder:default=4
	// +optional
	Servings int32 `json:"servings,omitempty"`
}

// RecipeStatus is the observed state of a recipe.
type RecipeStatus struct {
	// Phase is a word for the current state.
	//
	// +optional
	Phase string `json:"phase,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// Recipe is what a cook does.
type Recipe struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   RecipeSpec   `json:"spec,omitempty"`
	Status RecipeStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// RecipeList is a list of recipes.
type RecipeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Recipe `json:"items"`
}

func init() {
	SchemeBuilder.Register(&Recipe{}, &RecipeList{})
}
