package v1beta1

import (
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/webhook/internal/hotel/v2"
)

// Room has its number of beds as a string.
type Room struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec RoomSpec `json:"spec,omitempty"`
}

// RoomSpec describes the beds of a room.
type RoomSpec struct {
	Beds string `json:"beds,omitempty"`
}

// ConvertTo fails if beds is not a number, and panics if it is "haunted".
func (r *Room) ConvertTo(hub conversion.Hub) error {
	dst := hub.(*v2.Room)
	dst.ObjectMeta = r.ObjectMeta
	switch r.Spec.Beds {
	case "":
		return nil
	case "haunted":
		panic("a ghost")
	case "elsewhere":
		dst.Name = "elsewhere"
		return nil
	}
	beds, err := strconv.Atoi(r.Spec.Beds)
	if err != nil {
		return fmt.Errorf("spec.beds: %w", strconv.ErrSyntax)
	}
	dst.Spec.Beds = beds
	return nil
}

// ConvertFrom drops the guest.
func (r *Room) ConvertFrom(hub conversion.Hub) error {
	src := hub.(*v2.Room)
	r.ObjectMeta = src.ObjectMeta
	if src.Spec.Beds != 0 {
		r.Spec.Beds = strconv.Itoa(src.Spec.Beds)
	}
	return nil
}

// DeepCopyObject copies a room.
func (r *Room) DeepCopyObject() k8sruntime.Object {
	out := *r
	r.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}
