package v2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
)

// Room is the hub.
type Room struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec RoomSpec `json:"spec,omitempty"`
}

// RoomSpec describes the guest of a room.
type RoomSpec struct {
	Beds  int     `json:"beds,omitempty"`
	Guest *Guest  `json:"guest,omitempty"`
	Rates []int64 `json:"rates,omitempty"`
}

// Guest has a first and a last name.
type Guest struct {
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
}

// Hub marks the hub.
func (*Room) Hub() {}

// DeepCopyObject copies a room.
func (r *Room) DeepCopyObject() k8sruntime.Object {
	out := *r
	r.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}
