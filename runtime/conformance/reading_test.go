package conformance_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/conformance"
)

type shelf struct {
	Metadata shelfMeta `json:"metadata"`
	Width    int       `json:"width"`
	Books    []string  `json:"books,omitempty"`
}

type shelfMeta struct {
	Annotations map[string]string `json:"annotations,omitempty"`
}

type oldShelf struct {
	Metadata shelfMeta `json:"metadata"`
	Size     int       `json:"size"`
	Books    []string  `json:"books,omitempty"`
}

func shelfTo(o *oldShelf, h *shelf) error {
	if o.Size < 0 {
		return errors.New("a shelf has no negative width")
	}
	*h = shelf{o.Metadata, o.Size, o.Books}
	return nil
}

func shelfFrom(o *oldShelf, h *shelf) error {
	*o = oldShelf{h.Metadata, h.Width, h.Books}
	o.Metadata.Annotations = map[string]string{"example.com/kept": "all"}
	for key, value := range h.Metadata.Annotations {
		o.Metadata.Annotations[key] = value
	}
	return nil
}

func TestCompareReadings(t *testing.T) {
	for _, one := range []struct {
		reason string
		read   func(stored map[string]any) map[string]any
		want   []string
	}{
		{
			reason: "a reading that is the same has no differences, whatever is kept in annotations",
			read: func(stored map[string]any) map[string]any {
				return map[string]any{"metadata": stored["metadata"], "size": stored["width"], "books": stored["books"]}
			},
		},
		{
			reason: "what is lost and what is changed is told by its path",
			read: func(stored map[string]any) map[string]any {
				books, _ := stored["books"].([]any)
				for i := range books {
					books[i] = "a book"
				}
				return map[string]any{"metadata": stored["metadata"], "books": books}
			},
			want: []string{"v1 books[]", "v1 size"},
		},
	} {
		t.Run(one.reason, func(t *testing.T) {
			var out bytes.Buffer
			err := conformance.CompareReadings(&out, "example.com/Shelf", 50, []string{"example.com/kept"}, []conformance.Former{
				conformance.FormerVersion("v1", shelfTo, shelfFrom), conformance.FormerHub[shelf]("v2"),
			}, func(version string, stored []byte) ([]byte, error) {
				if version == "v2" {
					return stored, nil
				}
				decoder := json.NewDecoder(bytes.NewReader(stored))
				decoder.UseNumber()
				object := map[string]any{}
				if err := decoder.Decode(&object); err != nil {
					return nil, err
				}
				return json.Marshal(one.read(object))
			})
			if err != nil {
				t.Fatal(err)
			}
			var got conformance.Reading
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if got.Stored+got.Refused != 100 || got.Refused == 0 || got.Read != 2*got.Stored {
				t.Errorf("%d stored, %d refused, %d read", got.Stored, got.Refused, got.Read)
			}
			var paths []string
			for _, d := range got.Differences {
				paths = append(paths, d.Version+" "+d.Path)
			}
			if strings.Join(paths, ",") != strings.Join(one.want, ",") {
				t.Errorf("got differences at %q, want %q", paths, one.want)
			}
		})
	}
}
