package changes_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/plugin"
	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v1"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v2"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v3"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v4"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v5"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v6"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v7"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v8"
	"github.com/stratakube/strata/operator/plugin/plugintest"
)

// keeper implements what all versions have in common.
type keeper struct {
	notes   []*v6.Note
	flushed int
	limit   uint32 // of the last List, if it has one
}

func (k *keeper) texts() (texts []string) {
	for _, n := range k.notes {
		texts = append(texts, n.GetText())
	}
	return texts
}

type texts struct{ *keeper }

func (k texts) Put(_ context.Context, in *v1.PutText) (*v1.Done, error) {
	k.notes = append(k.notes, &v6.Note{Text: in.GetText()})
	return &v1.Done{}, nil
}

type limited struct{ *keeper }

func (k limited) List(_ context.Context, in *v1.Page) (*v1.Texts, error) {
	k.limit = in.GetLimit()
	return &v1.Texts{Texts: k.texts()}, nil
}

type signed struct{ *keeper }

func (k signed) Put(_ context.Context, in *v2.PutBy) (*v1.Done, error) {
	k.notes = append(k.notes, &v6.Note{Text: in.GetText(), Author: in.GetAuthor()})
	return &v1.Done{}, nil
}

type listing struct{ *keeper }

func (k listing) List(context.Context, *v1.Nothing) (*v1.Texts, error) {
	return &v1.Texts{Texts: k.texts()}, nil
}

type detailed struct{ *keeper }

func (k detailed) List(context.Context, *v1.Nothing) (*v6.Listed, error) {
	return &v6.Listed{Notes: k.notes}, nil
}

type purging struct{ *keeper }

func (purging) Purge(context.Context, *v1.Nothing) (*v1.Done, error) {
	return nil, errors.New("the newest version never purges")
}

type flushing struct{ *keeper }

func (k flushing) Flush(context.Context, *v1.Nothing) (*v1.Done, error) {
	k.flushed++
	return &v1.Done{}, nil
}

type counting struct{ *keeper }

func (k counting) Count(context.Context, *v1.Nothing) (*v7.Counted, error) {
	return &v7.Counted{Count: uint32(100 + len(k.notes))}, nil // to distinguish it from the adapter's
}

// serve registers a version.
func serve[T any](v *contract.Version[T], impl T) func(*plugin.Server) {
	return func(s *plugin.Server) {
		plugin.Register(s, v, "notes", func(context.Context, map[string]string) (T, error) { return impl, nil })
	}
}

// TestEveryChange uses plugins of all versions, each through all steps up to version 7.
func TestEveryChange(t *testing.T) {
	tests := []struct {
		reason   string
		version  int
		register func(*keeper) func(*plugin.Server)
		author   string // the author of the note, as the newest version returns it
		flushes  int
		count    uint32
		limit    uint32
	}{
		{"nothing is known of the author, and there is a limit", 1, func(k *keeper) func(*plugin.Server) {
			return serve[v1.Notes](v1.Version, struct {
				texts
				limited
				purging
			}{texts{k}, limited{k}, purging{k}})
		}, "", 0, 1, 1 << 20},
		{"an added parameter arrives", 2, func(k *keeper) func(*plugin.Server) {
			return serve[v2.Notes](v2.Version, struct {
				signed
				limited
				purging
			}{signed{k}, limited{k}, purging{k}})
		}, "", 0, 1, 1 << 20},
		{"a parameter that is gone is not given", 3, func(k *keeper) func(*plugin.Server) {
			return serve[v3.Notes](v3.Version, struct {
				signed
				listing
				purging
			}{signed{k}, listing{k}, purging{k}})
		}, "", 0, 1, 0},
		{"a new method arrives", 4, func(k *keeper) func(*plugin.Server) {
			return serve[v4.Notes](v4.Version, struct {
				signed
				listing
				purging
				flushing
			}{signed{k}, listing{k}, purging{k}, flushing{k}})
		}, "", 1, 1, 0},
		{"a method that is gone is not called", 5, func(k *keeper) func(*plugin.Server) {
			return serve[v5.Notes](v5.Version, struct {
				signed
				listing
				flushing
			}{signed{k}, listing{k}, flushing{k}})
		}, "", 1, 1, 0},
		{"a changed signature tells more", 6, func(k *keeper) func(*plugin.Server) {
			return serve[v6.Notes](v6.Version, struct {
				signed
				detailed
				flushing
			}{signed{k}, detailed{k}, flushing{k}})
		}, "ada", 1, 1, 0},
		{"what the version before has is embedded", 7, func(k *keeper) func(*plugin.Server) {
			return serve[v7.Notes](v7.Version, struct {
				signed
				detailed
				flushing
				counting
			}{signed{k}, detailed{k}, flushing{k}, counting{k}})
		}, "ada", 1, 101, 0},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("v%d: %s", test.version, test.reason), func(t *testing.T) {
			k := &keeper{}
			n := plugintest.Get(t, plugintest.InMemory(t, test.register(k)), v7.Version, "notes", nil)
			_, putErr := n.Put(t.Context(), &v2.PutBy{Text: "hello", Author: "ada"})
			listed, listErr := n.List(t.Context(), &v1.Nothing{})
			_, flushErr := n.Flush(t.Context(), &v1.Nothing{})
			counted, countErr := n.Count(t.Context(), &v1.Nothing{})
			if err := errors.Join(putErr, listErr, flushErr, countErr); err != nil {
				t.Fatal(err)
			}
			got := listed.GetNotes()
			if len(got) != 1 || got[0].GetText() != "hello" || got[0].GetAuthor() != test.author {
				t.Errorf("listed %v, want hello by %q", got, test.author)
			}
			if k.flushed != test.flushes || counted.GetCount() != test.count || k.limit != test.limit {
				t.Errorf("flushed %d, counted %d, limit %d", k.flushed, counted.GetCount(), k.limit)
			}
		})
	}
}

func TestWholeNewInterface(t *testing.T) {
	k := &keeper{}
	h := plugintest.InMemory(t, serve[v5.Notes](v5.Version, struct {
		signed
		listing
		flushing
	}{signed{k}, listing{k}, flushing{k}}))
	_, err := host.Get(t.Context(), h, v8.Version, "notes", nil)
	want := "find changes strata.dev/notes: it has changes.v5, and changes.v7 cannot stand in for changes.v8, because a ledger that loses amounts is worse than none"
	if err == nil || err.Error() != want {
		t.Errorf("error = %v\nwant %s", err, want)
	}
}

func TestVersionsAreThoseOfChain(t *testing.T) {
	all, err := v8.Version.Versions()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, terms := range all {
		got = append(got, fmt.Sprint(terms.Number, len(terms.Methods)))
	}
	if want := "1 3,2 3,3 3,4 4,5 3,6 3,7 4,8 1"; strings.Join(got, ",") != want {
		t.Errorf("versions and how many methods they have are %s, want %s", strings.Join(got, ","), want)
	}
}
