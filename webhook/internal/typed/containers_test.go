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
	Number int64                   `json:"number"`
	Text   string                  `json:"text"`
	Flag   bool                    `json:"flag"`
	Lists  [][]int64               `json:"lists"`
	Hides  int64                   `json:"hidden"`
}

type countedInline struct {
	Inner *counted `json:"inner"`
}

func TestContainers(t *testing.T) {
	for text, want := range map[string]counts{
		`{}`:                                      {root: 1},
		` { "list" : [ {} , { } , null ] } `:      {root: 1, single: 1, repeated: 2, hiding: 1},
		`{"map":{"a":{},"b":{"list":[]}}}`:        {root: 1, single: 1, repeated: 3},
		`{"free":{"a":{},"b":[[],{}]},"x":"{"}`:   {root: 1, hiding: 1},
		`{"free":[{},{}],"inner":{"free":[[]]}}`:  {root: 1, single: 1},
		`{"frees":{"a":{"b":{}},"c":[{}],"d":1}}`: {root: 1, single: 1, entries: 3},
		`{"any":{"a":[]}}`:                        {root: 1, single: 2, hiding: 2},
		`{"hiding":{"free":{"a":{}}}}`:            {root: 1, single: 3, hiding: 1},
		`{"-":{"free":{"a":{}}},"Hidden":{}}`:     {root: 1, single: 4, hiding: 1},
		`{"list":{"free":{"a":{}}}}`:              {root: 1, single: 3, hiding: 2},
		`{"list":[{"x":{"y":[]},"any":[[]]}]}`:    {root: 1, single: 4, repeated: 2, hiding: 2},
		`{"inner":[{}],"a\"[":"\\","b":"[["}`:     {root: 1, single: 2, hiding: 2},
		`{"inner":{"list":[{}]}}`:                 {root: 1, single: 2, repeated: 1},
		`{"inner":{"metadata":{"labels":{}}}}`:    {root: 1, single: 3},
		`[{}]`:                                    {single: 2, hiding: 1},
		`{"number":1,"text":"a","flag":true}`:     {root: 1},
		`{"number":1234567890}`:                   {root: 1, hiding: 1},
		`{"number":1.5}`:                          {root: 1, hiding: 1},
		`{"number":"1"}`:                          {root: 1, hiding: 1},
		`{"text":1}`:                              {root: 1, hiding: 1},
		`{"text":"\ud800"}`:                       {root: 1, hiding: 1},
		`{"flag":null}`:                           {root: 1, hiding: 1},
		`{"lists":[[1,2],[3]]}`:                   {root: 1, single: 1, repeated: 2},
		`{"lists":[[1,"a","b"],[3]]}`:             {root: 1, single: 1, repeated: 2, hiding: 1},
		`{"lists":[[1],"a"]}`:                     {root: 1, single: 1, repeated: 1, hiding: 1},
		`{"hidden":1,"text":"a"}`:                 {root: 1, hiding: 1},
		`{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{"f:b":{}}}},{}],"labels":{}}}`: {root: 1, metadata: 5},
	} {
		if got := containers([]byte(text), reflect.TypeFor[*counted](), expected{hidden: hiddenMembers{reflect.TypeFor[counted](): {"hidden": true}}}); got != want {
			t.Errorf("%s has %+v, want %+v", text, got, want)
		}
	}
	sized := expected{sizes: map[reflect.Type]int64{reflect.TypeFor[counted](): 7}}
	if got := containers([]byte(`{"list":[{},{"map":{"a":{}}}],"inner":{}}`), reflect.TypeFor[*counted](), sized); got != (counts{root: 1, single: 1, repeated: 1, bytes: 28}) {
		t.Errorf("with the size of the type, it has %+v", got)
	}
	if got := containers([]byte(`{"free":{"a":{}}}`), nil, expected{}); got != (counts{root: 1, single: 2}) {
		t.Errorf("an object of no type has %+v", got)
	}
}

// FuzzContainers counts in bytes that are no JSON, which must end.
func FuzzContainers(f *testing.F) {
	for _, seed := range []string{``, `{`, `{"a`, `{"metadata":{"managedFields":[{"fieldsV1":{"a":{`, `{"a":]}`, `[}{]`, `{"list":[[],{}]}`, `"\`, `{,:"a":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := containers(data, reflect.TypeFor[counted](), expected{})
		count := c.root + c.metadata + c.single + c.repeated
		most := bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("["))
		if count < 0 || count > int64(most) || c.hiding > count {
			t.Errorf("%+v in %q", c, data)
		}
	})
}
