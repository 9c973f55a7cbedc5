// Package shop is an API that is written in Go, in its latest shape.
//
// +groupName=go.example.com
// +strata:version:name=v1alpha1
// +strata:version:name=v1beta1
// +strata:version:name=v1
package shop

import (
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// WidgetSpec is what a customer wants.
//
// +strata:resource:status=WidgetStatus
type WidgetSpec struct {
	// +optional
	// +strata:changed:since=v1beta1,fromName=name
	Title string `json:"title,omitzero"`

	// Functions convert what was a text in the first version.
	// +optional
	// +strata:changed:since=v1beta1,fromType=string,upgradeWith=ParseSize,downgradeWith=PrintSize
	Size *int32 `json:"size,omitzero"`

	// +optional
	// +kubebuilder:default=Red
	Color *Color `json:"color,omitzero"`

	// +optional
	// +strata:added:since=v1,default=DefaultFinish
	Finish *string `json:"finish,omitzero"`

	// +optional
	// +strata:removed:since=v1
	Weight *int64 `json:"weight,omitzero"`

	// +optional
	Port *intstr.IntOrString `json:"port,omitzero"`

	// +optional
	// +listType=map
	// +listMapKey=name
	Parts []Part `json:"parts,omitzero"`

	// +optional
	// +strata:deprecated:since=v1,note="use title"
	DeprecatedLabel *string `json:"label,omitzero"`

	// Gadgets were added later.
	// +optional
	// +strata:added:since=v1beta1
	Extras map[string]Part `json:"extras,omitzero"`
}

// Color is what it looks like.
type Color string

// The colors.
const (
	ColorRed Color = "Red"
	// +strata:changed:since=v1,fromName=Azure
	ColorBlue Color = "Blue"
)

// Part is a part of a widget, and has parts.
type Part struct {
	Name string `json:"name"`
	// +optional
	// +strata:added:since=v1
	Vendor *string `json:"vendor,omitzero"`
	// +optional
	Paint *Color `json:"paint,omitzero"`
}

// WidgetStatus is what became of it.
type WidgetStatus struct {
	// +optional
	Phase *string `json:"phase,omitzero"`
	// +optional
	// +strata:added:since=v1
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitzero"`
}

// ParseSize reads a size.
func ParseSize(text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("read size: %w", err)
	}
	return int32(n), nil
}

// PrintSize writes a size.
func PrintSize(size int32) string { return strconv.Itoa(int(size)) }

// DefaultFinish is that of widgets of the time before there were finishes.
func DefaultFinish() string { return "matt" }
