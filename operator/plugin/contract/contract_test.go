package contract_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v1"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v3"
	"github.com/stratakube/strata/operator/plugin/internal/changes/v7"
	providerv2 "github.com/stratakube/strata/operator/plugin/provider/v2"
)

func TestName(t *testing.T) {
	tests := []struct{ reason, name, want string }{
		{"a full name stays", "example.com/files", "example.com/files"},
		{"a bare one gets our domain", "files", "strata.dev/files"},
		{"dots and dashes are fine", "a-b.example.com/v1.files_x", "a-b.example.com/v1.files_x"},
		{"a domain has a dot", "localhost/files", ""},
		{"capital letters are no domain's", "Example.com/files", ""},
		{"two parts are one too many", "example.com/a/b", ""},
		{"a name is not empty", "", ""},
		{"nor is its second part", "example.com/", ""},
		{"it does not climb", "../files", ""},
		{"it is not too long", strings.Repeat("a", 64), ""},
	}
	for _, test := range tests {
		got, err := contract.Name(test.name, "strata.dev")
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: Name(%q) = %q, %v, want %q", test.reason, test.name, got, err, test.want)
		}
	}
}

func TestKindWithoutDomain(t *testing.T) {
	if got, err := contract.Name("files", ""); err == nil {
		t.Errorf("a bare name is %q, want an error", got)
	}
	if got, err := contract.Name("example.com/files", ""); got != "example.com/files" || err != nil {
		t.Errorf("a full name is %q, %v", got, err)
	}
}

func TestParseService(t *testing.T) {
	tests := []struct{ reason, service, want string }{
		{"the package is the kind", "example.backup.store.v12.Store", "example.backup.store.v12 Store"},
		{"our own kinds have a short name", "strata.provider.v1.Provider", "provider.v1 Provider"},
		{"deeper packages have none, so that no two are alike", "strata.a.b.v1.B", "strata.a.b.v1 B"},
		{"a kind has a project", "provider.v1.Provider", ""},
		{"a version is a number", "example.store.v1beta1.Store", ""},
		{"there is no version 0", "example.store.v0.Store", ""},
		{"an interface is exported", "example.store.v1.store", ""},
		{"nothing precedes the package", ".store.v1.Store", ""},
		{"nothing is empty", "", ""},
	}
	for _, test := range tests {
		id, name, err := contract.ParseService(test.service)
		if got := id.String() + " " + name; test.want != "" && (err != nil || got != test.want) || test.want == "" && err == nil {
			t.Errorf("%s: ParseService(%q) = %s, %v, want %q", test.reason, test.service, got, err, test.want)
		}
	}
}

// lacking lacks a method of version 1 of the notes; more has an additional one.
type lacking interface {
	Put(context.Context, *v1.PutText) (*v1.Done, error)
}

type more interface {
	v1.Notes
	Sort(context.Context, *v1.Nothing) (*v1.Done, error)
}

type other interface {
	Put(context.Context, *v1.PutText) (*v1.Done, error)
	List(context.Context, *v1.Nothing) (*v1.Texts, error)
	Purge(context.Context, *v1.Nothing) (*v1.Done, error)
}

func terms[T any](d contract.Definition[T]) error {
	_, err := contract.New(d).Terms()
	return err
}

const notes = "strata.changes.v1.Notes"

func TestDefinitionsThatDoNotFit(t *testing.T) {
	good := []contract.Method[v1.Notes]{
		contract.Unary("Put", v1.Notes.Put), contract.Unary("List", v1.Notes.List), contract.Unary("Purge", v1.Notes.Purge),
	}
	tests := []struct {
		reason string
		err    error
		want   string
	}{
		{"a good one", terms(contract.Definition[v1.Notes]{Service: notes, Methods: good}), ""},
		{"a name of another form", terms(contract.Definition[v1.Notes]{Service: "notes.v1.Notes"}), `service "notes.v1.Notes" is not named`},
		{"a domain that is none", terms(contract.Definition[v1.Notes]{Service: notes, Methods: good, Domain: "no domain"}), `"no domain/name" is not the name of a plugin`},
		{"a service that is not there", terms(contract.Definition[v1.Notes]{Service: "strata.changes.v99.Notes"}), "service strata.changes.v99.Notes: proto"},
		{"a message instead", terms(contract.Definition[v1.Notes]{Service: "strata.changes.v1.Done"}), "strata.changes.v1.Done is not a service"},
		{"no interface", terms(contract.Definition[int]{Service: notes}), "int is not an interface"},
		{
			"a method of the interface that the service lacks",
			terms(contract.Definition[more]{Service: notes, Methods: []contract.Method[more]{
				contract.Unary("Put", more.Put), contract.Unary("List", more.List), contract.Unary("Purge", more.Purge),
			}}),
			"version changes.v1: the interface has a method Sort that the service lacks",
		},
		{
			"a method that is forgotten",
			terms(contract.Definition[v1.Notes]{Service: notes, Methods: good[:2]}), "method Purge is not among Methods",
		},
		{
			"a method that is called by a wrong name",
			terms(contract.Definition[lacking]{Service: notes, Methods: []contract.Method[lacking]{contract.Unary("Set", lacking.Put)}}),
			"the service has no method Set",
		},
		{
			"another message",
			terms(contract.Definition[other]{Service: notes, Methods: []contract.Method[other]{
				contract.Unary("Put", other.Put), contract.Unary("List", other.List), contract.Unary("Purge", other.Purge),
			}}),
			"method List takes strata.changes.v1.Nothing and returns strata.changes.v1.Texts, but in the service strata.changes.v1.Page",
		},
		{
			"a version that is not the one before",
			terms(contract.Definition[v1.Notes]{Service: notes, Methods: good, Steps: []contract.Step[v1.Notes]{contract.NotAdaptable[v3.Notes, v1.Notes](v3.Version, "x")}}),
			"the version before it cannot be changes.v3",
		},
	}
	for _, test := range tests {
		if test.want == "" && test.err != nil || test.want != "" && (test.err == nil || !strings.Contains(test.err.Error(), test.want)) {
			t.Errorf("%s: error = %v, want it to contain %q", test.reason, test.err, test.want)
		}
	}
}

// TestAnyOtherErrorEndsSearch asks for the newest of seven versions.
func TestAnyOtherErrorEndsSearch(t *testing.T) {
	broken := errors.New("broken")
	var asked []string
	_, err := v7.Version.Newest(func(terms *contract.Terms) (contract.Caller, error) {
		asked = append(asked, fmt.Sprint(terms.Number))
		if terms.Number == 5 {
			return nil, broken
		}
		return nil, contract.ErrNotServed
	})
	if !errors.Is(err, broken) || strings.Join(asked, " ") != "7 6 5" {
		t.Errorf("error = %v after asking for %v, want the search to end at 5", err, asked)
	}
	if _, err := v7.Version.Reach(func(contract.ID) bool { return false }); !errors.Is(err, contract.ErrNotServed) {
		t.Errorf("error = %v, want ErrNotServed", err)
	}
	if native, err := v7.Version.Reach(func(id contract.ID) bool { return id.Number < 4 }); err != nil || native.Number != 3 {
		t.Errorf("reaches %v, %v, want version 3", native, err)
	}
}

func TestIdempotenceIsThatOfService(t *testing.T) {
	terms, err := providerv2.Version.Terms()
	if err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string]bool{"Observe": true, "Apply": false, "Delete": true, "Poll": true, "Cancel": true} {
		if got := terms.Methods[method]; got.Idempotent != want || got.Path != "/strata.provider.v2.Provider/"+method {
			t.Errorf("%s is %+v, want idempotent %t", method, got, want)
		}
	}
}

func TestDetail(t *testing.T) {
	err := fmt.Errorf("apply: %w", providerv2.Fail(&providerv2.Failure{Message: "later", RetryAfter: durationpb.New(1)}))
	if f := providerv2.FailureOf(err); f.GetMessage() != "later" || err.Error() != "apply: later" {
		t.Errorf("got %v of %v", f, err)
	}
	if _, ok := contract.Detail[*v1.Done](err); ok {
		t.Error("a detail of another type is found")
	}
}
