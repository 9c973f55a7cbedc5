package typed

import (
	"bytes"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
)

type counted struct {
	metav1.ObjectMeta `json:"metadata"`
	countedInline
	List   []*counted              `json:"list"`
	Map    map[string]counted      `json:"map"`
	Free   runtime.JSON            `json:"free"`
	Frees  map[string]runtime.JSON `json:"frees"`
	Any    any                     `json:"any"`
	Hidden *counted                `json:"-"`
}

type countedInline struct {
	Inner *counted `json:"inner"`
}

func TestContainers(t *testing.T) {
	for text, want := range map[string][2]int64{
		`{}`:                                      {1, 0},
		` { "list" : [ {} , { } , null ] } `:      {4, 0},
		`{"map":{"a":{},"b":{"list":[]}}}`:        {5, 0},
		`{"free":{"a":{},"b":[[],{}]},"x":"{"}`:   {1, 0},
		`{"free":[{},{}],"inner":{"free":[[]]}}`:  {2, 0},
		`{"frees":{"a":{"b":{}},"c":[{}],"d":1}}`: {2, 3},
		`{"any":{"a":[]}}`:                        {3, 0},
		`{"unknown":{"free":{"a":{}}}}`:           {4, 0},
		`{"-":{"free":{"a":{}}},"Hidden":{}}`:     {5, 0},
		`{"list":{"free":{"a":{}}}}`:              {4, 0},
		`{"inner":[{}],"a\"[":"\\","b":"[["}`:     {3, 0},
		`{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{"f:b":{}}}},{}],"labels":{}}}`: {6, 0},
	} {
		count, entries := containers([]byte(text), reflect.TypeFor[*counted]())
		if got := [2]int64{count, entries}; got != want {
			t.Errorf("%s has %d, want %d", text, got, want)
		}
	}
	if got, _ := containers([]byte(`{"free":{"a":{}}}`), nil); got != 3 {
		t.Errorf("an object of no type has %d", got)
	}
}

// FuzzContainers counts in bytes that are no JSON, which must end.
func FuzzContainers(f *testing.F) {
	for _, seed := range []string{``, `{`, `{"a`, `{"metadata":{"managedFields":[{"fieldsV1":{"a":{`, `{"a":]}`, `[}{]`, `{"list":[[],{}]}`, `"\`, `{,:"a":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		count, _ := containers(data, reflect.TypeFor[counted]())
		most := bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("["))
		if count < 0 || count > int64(most) {
			t.Errorf("%d objects and lists in %q", count, data)
		}
	})
}
