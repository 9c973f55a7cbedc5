package v1

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/webhook/internal/hotel/v2"
)

// Room has a guest whose name is one string.
type Room struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec RoomSpec `json:"spec,omitempty"`
}

// RoomSpec describes the guest of a room.
type RoomSpec struct {
	Beds  int     `json:"beds,omitempty"`
	Guest string  `json:"guest,omitempty"`
	Rates []int64 `json:"rates,omitempty"`
}

// ConvertTo splits the name.
func (r *Room) ConvertTo(hub conversion.Hub) error {
	dst := hub.(*v2.Room)
	dst.ObjectMeta = r.ObjectMeta
	dst.Spec = v2.RoomSpec{Beds: r.Spec.Beds, Rates: r.Spec.Rates}
	if r.Spec.Guest != "" {
		first, last, _ := strings.Cut(r.Spec.Guest, " ")
		dst.Spec.Guest = &v2.Guest{First: first, Last: last}
	}
	return nil
}

// ConvertFrom joins the name.
func (r *Room) ConvertFrom(hub conversion.Hub) error {
	src := hub.(*v2.Room)
	r.ObjectMeta = src.ObjectMeta
	r.Spec = RoomSpec{Beds: src.Spec.Beds, Rates: src.Spec.Rates}
	if g := src.Spec.Guest; g != nil {
		r.Spec.Guest = strings.TrimSpace(g.First + " " + g.Last)
	}
	return nil
}

// DeepCopyObject copies a room.
func (r *Room) DeepCopyObject() k8sruntime.Object {
	out := *r
	r.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}
