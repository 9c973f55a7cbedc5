package review

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestTooLarge checks that an object that is too large is named, wherever its name is, and that
// little of it is in memory.
func TestTooLarge(t *testing.T) {
	const limit = 100_000
	pad := func(bytes int) string { return `"` + strings.Repeat("x", bytes) + `"` }
	names := `"apiVersion":"a/v1","kind":"K","metadata":{"namespace":"ns","name":"ann"}`
	for _, test := range []struct {
		reason, object, want string
	}{
		{"as the API server writes", `{` + names + `,"spec":{"a":` + pad(3*limit) + `}}`, `"a/v1" "K" ns ann`},
		{"with its names last", `{"spec":` + pad(3*limit) + `,` + names + `}`, `"a/v1" "K" ns ann`},
		{"with its names between", `{"a":[` + pad(limit) + `],` + names + `,"spec":{"a":` + pad(limit) + `}}`, `"a/v1" "K" ns ann`},
		{"in its metadata, behind the name", `{"kind":"K","metadata":{"name":"ann","z":` + pad(2*limit) + `}}`, ` "K"  ann`},
		{"in many small values", `{` + names + `,"spec":[` + strings.Repeat("1,", limit) + `1]}`, `"a/v1" "K" ns ann`},
		{"in the name of a member", `{` + names + `,` + pad(2*limit) + `:1}`, `"a/v1" "K" ns ann`},
		{"in white space", `{` + names + `,` + strings.Repeat(" ", 2*limit) + `"a":1}`, `"a/v1" "K" ns ann`},
		{"by one byte", `{` + names + `,"a":` + pad(limit-len(names)-7) + `}`, `"a/v1" "K" ns ann`},
		{"with names that are too long themselves", `{"kind":` + pad(2*maxWord) + `,"metadata":{"name":` + pad(2*maxWord) + `},"spec":` + pad(limit) + `}`, `   `},
		{"with a kind as long as it may be", `{"kind":` + pad(maxWord-2) + `,"a":` + pad(2*limit) + `}`, ` ` + pad(maxWord-2) + `  `},
		{"with a name as long as it may be", `{"metadata":{"namespace":"ns","name":` + pad(maxWord-2) + `},"a":` + pad(2*limit) + `}`, `  ns ` + strings.Repeat("x", maxWord-2)},
		{"with a name that is longer", `{"metadata":{"namespace":"ns","name":` + pad(maxWord-1) + `},"a":` + pad(2*limit) + `}`, `   `},
		{"in its kind", `{"kind":` + pad(2*limit) + `}`, `   `},
		{"with metadata that are none", `{"metadata":7,"kind":"K","a":` + pad(2*limit) + `}`, ` "K"  `},
		{"with a name twice, of which the last counts", `{"kind":"J","a":` + pad(2*limit) + `,"kind":"K"}`, ` "K"  `},
		{"and no object", `[` + pad(2*limit) + `]`, `   `},
	} {
		t.Run(test.reason, func(t *testing.T) {
			review := `{` + version + `,"request":{` + asks + `,"objects":[` + ann + `,` + test.object + `]}}`
			for how, src := range map[string]io.Reader{"at once": strings.NewReader(review), "in pieces": iotest.HalfReader(strings.NewReader(review)), "from memory": nil} {
				var r Reader
				var data []byte
				if src == nil {
					data = []byte(review)
				}
				r.Reset(data, src, Limits{ObjectBytes: limit})
				if _, err := r.Head(); err != nil {
					t.Fatal(err)
				}
				if _, err := next(&r); err != nil {
					t.Fatal(err)
				}
				_, err := next(&r)
				var large *TooLargeError
				if !errors.As(err, &large) {
					t.Fatalf("%s: error is %v", how, err)
				}
				if got := strings.Join([]string{string(large.APIVersion), string(large.Kind), large.Namespace, large.Name}, " "); got != test.want {
					t.Errorf("%s: it is %s, want %s", how, got, test.want)
				}
				if src != nil && cap(r.Buffer()) > limit+64<<10 {
					t.Errorf("%s: the buffer grew to %d bytes", how, cap(r.Buffer()))
				}
			}
		})
	}
}

// TestAsLargeAsAllowed checks that objects of exactly the limit are read, with white space around
// them, also if they come first in a review.
func TestAsLargeAsAllowed(t *testing.T) {
	const limit = 100_000
	object := `{"a":"` + strings.Repeat("x", limit-8) + `"}`
	for reason, review := range map[string]string{
		"last":                `{` + version + `,"request":{` + asks + `,"objects":[` + object + `,` + object + `]}}`,
		"among white space":   `{` + version + `,"request":{` + asks + `,"objects":[` + strings.Repeat(" ", 2*limit) + object + `,` + object + strings.Repeat("\n", 2*limit) + `]}}`,
		"behind other things": `{"x":"` + strings.Repeat("x", 2*limit) + `",` + version + `,"request":{"x":[` + strings.Repeat("1,", limit) + `1],` + asks + `,"objects":[` + object + `,` + object + `]}}`,
	} {
		var r Reader
		r.Reset(nil, strings.NewReader(review), Limits{ObjectBytes: limit})
		if got, err := readAll(&r); err != nil || len(got) != len("\"u1\" a/v2\n")+2*(limit+1) {
			t.Errorf("%s: %d bytes and %v", reason, len(got), err)
		}
	}
}

// TestWordsOfHeadAreShort checks that the reader does not store long values of a review's head.
func TestWordsOfHeadAreShort(t *testing.T) {
	long := `"` + strings.Repeat("x", 200_000) + `"`
	for _, test := range []struct{ review, want string }{
		{`{"kind":` + long + `}`, "kind: is longer than"},
		{`{"apiVersion":` + long + `}`, "apiVersion: is longer than"},
		{`{` + version + `,"request":{"uid":` + long + `}}`, "request.uid: is longer than"},
		{`{` + version + `,"request":{"desiredAPIVersion":` + long + `}}`, "request.desiredAPIVersion: is longer than"},
		{`{` + version + `,"request":{"desiredAPIVersion":"` + strings.Repeat("x", maxWord) + `"}}`, "request.desiredAPIVersion: is longer than 1024"},
		{`{"request":{"objects":[` + long + `],` + asks + `},` + version + `}`, "request.objects: is longer than 100000"},
	} {
		var r Reader
		r.Reset(nil, strings.NewReader(test.review), Limits{ObjectBytes: 100_000})
		if _, err := r.Head(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error is %v, want %q", err, test.want)
		}
	}
}

// TestLongestWordsOfHead checks that values of the largest allowed length are read.
func TestLongestWordsOfHead(t *testing.T) {
	longest := strings.Repeat("x", maxWord-len(`""`))
	var r Reader
	r.Reset(nil, strings.NewReader(`{`+version+`,"request":{"uid":"`+longest+`","desiredAPIVersion":"`+longest+`","objects":[]}}`), Limits{ObjectBytes: 100_000})
	if head, err := r.Head(); err != nil || string(head.UID) != `"`+longest+`"` || head.Desired != longest {
		t.Errorf("%.100s %.100s, %v", head.UID, head.Desired, err)
	}
}

// bank counts buffers that are taken and returned.
type bank struct{ out, most int }

func (b *bank) Get(size int) ([]byte, error) {
	b.out += size
	b.most = max(b.most, b.out)
	if b.out > 1<<20 {
		return nil, errors.New("there is no more")
	}
	return make([]byte, 0, size), nil
}

func (b *bank) Put(buf []byte) { b.out -= cap(buf) }

// TestMemoryOfReview checks that every buffer comes from the given memory, and that an error of it
// is reported.
func TestMemoryOfReview(t *testing.T) {
	object := func(bytes int) string { return `{"a":"` + strings.Repeat("x", bytes) + `"}` }
	last := func(bytes int) string {
		return `{` + version + `,"request":{` + asks + `,"objects":[` + object(bytes) + `]}}`
	}
	first := func(bytes int) string {
		return `{"request":{"objects":[` + object(bytes) + `],` + asks + `},` + version + `}`
	}
	for _, test := range []struct {
		reason, review string
		most           int
		isError        bool
	}{
		{"a small one", last(100), 32 << 10, false},
		{"a large one", last(200_000), 800_000, false},
		{"one that has its objects first", first(200_000), 1_000_000, false},
		{"one for which there is too little", last(1 << 20), 4 << 20, true},
		{"one that has its objects first, for which there is too little", first(600_000), 4 << 20, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var r Reader
			b := &bank{}
			r.Reset(nil, strings.NewReader(test.review), Limits{})
			r.Use(b)
			_, err := readAll(&r)
			if (err != nil) != test.isError || err != nil && !strings.Contains(err.Error(), "there is no more") {
				t.Errorf("error is %v", err)
			}
			if b.most > test.most {
				t.Errorf("%d bytes were taken at most, want %d", b.most, test.most)
			}
			if err != nil {
				return
			}
			last := r.Buffer()
			r.Reset(nil, nil, Limits{})
			b.Put(last)
			if b.out != 0 {
				t.Errorf("%d bytes were not given back", b.out)
			}
		})
	}
}
