package conformance

import (
	"encoding/json"
	"strings"
	"testing"
)

type (
	emptyListTag struct {
		Tags []string `json:"tags,omitempty"`
	}
	emptyMapTag struct {
		Notes map[string]string `json:"notes,omitempty"`
	}
	zeroValueTag struct {
		Size   int64  `json:"size,omitempty"`
		Hidden string `json:"-"`
	}
	sameNameTag struct {
		First  *string `json:"name,omitzero"`
		Second *string `json:"Name,omitzero"`
	}
	asText struct {
		Size *int64 `json:"size,omitzero,string"`
		Free json.RawMessage
	}
)

func TestFaultyTypesAreCaught(t *testing.T) {
	for _, test := range []struct {
		reason string
		spoke  Spoke
		want   string
	}{
		{
			reason: "omitempty drops an empty list that is not behind a pointer",
			spoke:  Type[emptyListTag]("v1"),
			want:   "is not read as it was written at Tags: got absent, want []",
		},
		{
			reason: "omitempty drops an empty map that is not behind a pointer",
			spoke:  Type[emptyMapTag]("v1"),
			want:   "is not read as it was written at Notes: got absent, want {}",
		},
		{
			reason: "a value without a pointer and with omitempty loses the zero that the other side has",
			spoke:  Version("v1", upSize, downSize),
			want:   "down(up(x)) is not x at Size: got ",
		},
		{
			reason: "a field that JSON never writes",
			spoke:  Type[zeroValueTag]("v1"),
			want:   "is not read as it was written at Hidden: got \"\", want ",
		},
		{
			reason: "two names that differ by case, for a decoder that does not care",
			spoke:  Type[sameNameTag]("v1").Decode(foldingDecoder),
			want:   "is not read as it was written at ",
		},
		{
			reason: "raw JSON that is written as null when it is absent",
			spoke:  Type[asText]("v1"),
			want:   "is not read as it was written at Free: got null, want absent",
		},
		{
			reason: "the hub's type",
			spoke:  Version("v1", func(*empty, *emptyListTag) error { return nil }, func(*empty, *emptyListTag) error { return nil }),
			want:   "the JSON of conformance.emptyListTag is not read as it was written at Tags: got absent, want []",
		},
		{
			reason: "a deep copy that shares a list",
			spoke:  Type[sharing]("v1"),
			want:   "the deep copy of conformance.sharing is wrong at Tags: both share its memory",
		},
		{
			reason: "a deep copy that forgets a field",
			spoke:  Type[forgetting]("v1"),
			want:   "the deep copy of conformance.forgetting is wrong at Name: got absent, want ",
		},
		{
			reason: "a type without JSON",
			spoke:  Type[struct{ Call func() }]("v1"),
			want:   "Call: no value can be drawn for type func()",
		},
		{
			reason: "a type whose keys are not strings",
			spoke:  Type[struct{ Counts []map[int]string }]("v1"),
			want:   "Counts: no value can be drawn for type map[int]string",
		},
		{
			reason: "a type that has no end",
			spoke:  Type[struct{ Rows recursiveList }]("v1"),
			want:   "Rows: no value can be drawn for type conformance.recursiveList, which holds itself without an object between",
		},
		{
			reason: "a field that cannot be reached",
			spoke:  Type[struct{ hidden *string }]("v1"),
			want:   "hidden: no value can be drawn for an unexported field",
		},
		{
			reason: "a type that is not an object",
			spoke:  Type[string]("v1"),
			want:   "string is not an object",
		},
		{
			reason: "an ignored field that does not exist",
			spoke:  personSpoke().Ignore("Status.Bag"),
			want:   "ignored field Status.Bag: conformance.person has no Bag",
		},
	} {
		t.Run(test.reason, func(t *testing.T) { wantError(t, check(test.spoke, 500), test.want) })
	}
}

type metadata struct {
	ObjectMeta `json:"metadata,omitzero"`
}

type recursiveList []map[string]recursiveList

type empty struct{}

type sizeHub struct {
	Size int64 `json:"size,omitempty"`
}

type sizeAPI struct {
	Size *int64 `json:"size,omitzero"`
}

func upSize(src *sizeAPI, dst *sizeHub) error {
	if src.Size != nil {
		dst.Size = *src.Size
	}
	return nil
}

func downSize(dst *sizeAPI, src *sizeHub) error {
	if src.Size != 0 {
		dst.Size = &src.Size
	}
	return nil
}

func foldingDecoder(data []byte, into any) error {
	return json.Unmarshal([]byte(strings.ReplaceAll(string(data), `"Name":`, `"name":`)), into)
}

type sharing struct {
	Tags []string `json:"tags,omitzero"`
}

func (s *sharing) DeepCopyInto(out *sharing) { *out = *s }

type forgetting struct {
	Name *string           `json:"name,omitzero"`
	Bag  map[string]string `json:"bag,omitzero"`
}

func (f *forgetting) DeepCopyInto(out *forgetting) { *out = forgetting{} }
