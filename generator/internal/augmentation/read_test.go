package augmentation_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/stratakube/strata/generator/internal/augmentation"
)

const files = `
-- crm/v1/names.go --
package v1

import storage "example.com/api/crm/v1/storage"

func (src *Person) AssignToPerson(dst *storage.Person) error { return nil }

func (src *Person) Assignable() bool { return true }

func AssignToNobody(dst *storage.Person) error { return nil }
-- crm/v1/storage/names.go --
package storage

import (
	"example.com/api/crm/v2/storage"
	other "example.com/elsewhere/storage"
)

func (src *Person) AssignToPerson(dst *storage.Person) error { return nil }

func (dst *Person) AssignFromPerson(src *other.Person) error { return nil }

func (src *Address) AssignToAddress(dst *Address) error { return nil }

func (src *Address) AssignToLocation(dst Address) error { return nil }
-- crm/v1/storage/names_test.go --
package storage

func (src *Person) AssignToTest(dst *Person) error { return nil }
-- crm/v1/broken.go --
package v1

func (src *Person) AssignToPerson(
-- crm/v1/plain.go --
package v1

var x = 1
`

func output(t *testing.T) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range txtar.Parse([]byte(files)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Name)
	}
	return dir, names
}

func TestRead(t *testing.T) {
	dir, names := output(t)
	steps, faults, err := augmentation.Read(dir, "example.com/api", names)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range steps {
		got = append(got, s.Folder+": "+s.Receiver+"."+s.Method+" of "+s.ParamFolder+" "+s.Param)
	}
	want := []string{
		"crm/v1: Person.AssignToPerson of crm/v1/storage Person",
		"crm/v1/storage: Person.AssignToPerson of crm/v2/storage Person",
		"crm/v1/storage: Person.AssignFromPerson of  ",
		"crm/v1/storage: Address.AssignToAddress of crm/v1/storage Address",
		"crm/v1/storage: Address.AssignToLocation of  ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if len(faults) != 1 || filepath.Base(faults[0].File) != "broken.go" || faults[0].Offset == 0 {
		t.Errorf("faults are %v, want one, in broken.go", faults)
	}
}
