package diag_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/diag"
)

func TestMessagesAreSortedAndUnique(t *testing.T) {
	want := []diag.Message{
		diag.Errorf(diag.Pos{}, "nowhere"),
		diag.Errorf(diag.InFile("a"), "whole file"),
		diag.Notef(diag.At("a", 3, ""), "a text"),
		diag.Errorf(diag.At("a", 3, "p"), "b text"),
		diag.Errorf(diag.At("a", 3, "q"), "b text"),
		diag.Warnf(diag.At("a", 3, "q"), "b text"),
		diag.Warnf(diag.At("a", 3, "q"), "b text").WithHint("do %s", "it"),
		diag.Errorf(diag.At("a", 20, ""), "a text"),
		diag.Errorf(diag.At("b", 1, ""), "a text"),
	}
	for range 20 {
		var list diag.List
		shuffled := slices.Concat(want, want)
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		var all sync.WaitGroup
		for _, m := range shuffled {
			all.Go(func() { list.Add(m) })
		}
		all.Wait()
		if diff := cmp.Diff(want, list.Messages()); diff != "" {
			t.Fatalf("messages (-want +got):\n%s", diff)
		}
		if e, w, n := list.Count(diag.Error), list.Count(diag.Warning), list.Count(diag.Note); e != 6 || w != 2 || n != 1 {
			t.Fatalf("counted %d errors, %d warnings, %d notes", e, w, n)
		}
	}
}

func TestErr(t *testing.T) {
	tests := []struct {
		reason   string
		messages []diag.Message
		want     string // "" for no error
	}{
		{"an empty list is no error", nil, ""},
		{"warnings and notes are none", []diag.Message{diag.Warnf(diag.InFile("f"), "w"), diag.Notef(diag.Pos{}, "n")}, ""},
		{"one error is told with its place", []diag.Message{diag.Errorf(diag.At("f", 7, "a.b"), "broken")}, "f: a.b: broken"},
		{"the first error is told, not the warning before it",
			[]diag.Message{diag.Warnf(diag.InFile("a"), "w"), diag.Errorf(diag.InFile("c"), "later"), diag.Errorf(diag.InFile("b"), "first")},
			"b: first (and 1 more error)"},
		{"the others are counted",
			[]diag.Message{diag.Errorf(diag.Pos{}, "1"), diag.Errorf(diag.Pos{}, "2"), diag.Errorf(diag.Pos{}, "3")},
			"1 (and 2 more errors)"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var list diag.List
			list.Add(tt.messages...)
			got := ""
			if err := list.Err(); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAddError(t *testing.T) {
	a, b := diag.Errorf(diag.InFile("a"), "one"), diag.Warnf(diag.InFile("b"), "two").WithHint("three")
	var failed diag.List
	failed.Add(a, b)
	tests := []struct {
		reason string
		err    error
		want   []diag.Message
	}{
		{"nil adds nothing", nil, nil},
		{"a message is itself", b, []diag.Message{b}},
		{"a failure is all its messages", failed.Err(), []diag.Message{a, b}},
		{"a wrapped failure too", fmt.Errorf("read: %w", failed.Err()), []diag.Message{a, b}},
		{"a wrapped message keeps its place", fmt.Errorf("read: %w", a), []diag.Message{a}},
		{"a join is taken apart", errors.Join(b, fs.ErrNotExist), []diag.Message{{Text: "file does not exist"}, b}},
		{"any other error is its text", fmt.Errorf("open x: %w", fs.ErrPermission), []diag.Message{{Text: "open x: permission denied"}}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var list diag.List
			list.AddError(tt.err)
			if diff := cmp.Diff(tt.want, list.Messages()); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMessageRoundTrip checks that messages can be stored as JSON and read again.
func TestMessageRoundTrip(t *testing.T) {
	want := []diag.Message{
		diag.Errorf(diag.At("a", 3, "p.q"), "one").WithHint("two"),
		diag.Warnf(diag.InFile("b"), "three"), diag.Notef(diag.Pos{}, "four"),
	}
	body, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got []diag.Message
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if err := json.Unmarshal([]byte(`[{"Severity": "fatal"}]`), &got); err == nil {
		t.Error("an unknown severity is read")
	}
}

func TestPaths(t *testing.T) {
	path := diag.Key(diag.Index(diag.Key(diag.Key("", "resources"), "2014-04-04"), 3), "@odata.type")
	if want := `resources["2014-04-04"][3]["@odata.type"]`; path != want {
		t.Errorf("got %s, want %s", path, want)
	}
	if got := diag.Key(diag.Key("", "properties"), "osDisk"); got != "properties.osDisk" {
		t.Errorf("got %s", got)
	}
}
