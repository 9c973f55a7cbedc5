package buildedit_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/buildedit"
)

// edit changes a file by its name.
func edit(name string, src []byte) ([]byte, error) {
	if strings.HasPrefix(name, "Makefile") {
		return buildedit.Makefile(src)
	}
	return buildedit.Kustomization(src, buildedit.CRDs{
		Replaced: func(p string) bool { return strings.HasPrefix(p, "bases/shop.example.com_") },
		Patches: func(p string) bool {
			return strings.HasPrefix(p, "patches/webhook_in_") || strings.HasPrefix(p, "patches/cainjection_in_")
		},
		Folder: "../../versions",
	})
}

// TestEdits compares files before and after: the archive has pairs called NAME and NAME.want. A
// file without NAME.want stays as it is. NAME.refused has the message and the lines to paste. An
// edited file is not edited again.
func TestEdits(t *testing.T) {
	for _, archive := range []string{"makefile", "kustomization"} {
		a, err := txtar.ParseFile("testdata/" + archive + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, f := range a.Files {
			files[f.Name] = string(f.Data)
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".want") || strings.HasSuffix(f.Name, ".refused") {
				continue
			}
			t.Run(f.Name, func(t *testing.T) {
				got, err := edit(f.Name, f.Data)
				if refused, ok := files[f.Name+".refused"]; ok {
					var r *buildedit.Refusal
					if !errors.As(err, &r) || got != nil {
						t.Fatalf("got %v\n%s", err, got)
					}
					if diff := cmp.Diff(refused, r.Error()+"\n"+r.Paste); diff != "" {
						t.Errorf("refused (-want +got):\n%s", diff)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				want, ok := files[f.Name+".want"]
				if !ok {
					want = string(f.Data)
				}
				if diff := cmp.Diff(want, string(got)); diff != "" {
					t.Errorf("edited (-want +got):\n%s", diff)
				}
				if again, err := edit(f.Name, got); err != nil || !bytes.Equal(again, got) {
					t.Errorf("a second time changes it: %v\n%s", err, cmp.Diff(string(got), string(again)))
				}
				applies(t, f.Data, got)
			})
		}
	}
}

// applies checks that git makes the edited file of the patch.
func applies(t *testing.T, before, after []byte) {
	t.Helper()
	patch := buildedit.Patch("a folder/file", before, after)
	if bytes.Equal(before, after) {
		if patch != nil {
			t.Errorf("a patch that changes nothing:\n%s", patch)
		}
		return
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "a folder", "file")
	if err := errors.Join(os.Mkdir(filepath.Dir(name), 0o755), os.WriteFile(name, before, 0o644)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "git", "apply", "-")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(patch)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, patch)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, after) {
		t.Errorf("git makes another file: %v\n%s", err, cmp.Diff(string(after), string(got)))
	}
}

// TestInclude includes a file of make in Makefiles of several forms, once.
func TestInclude(t *testing.T) {
	const file = "cmd/webhook/image.mk"
	for _, test := range []struct{ reason, before, want string }{
		{"an empty file", "", "\ninclude cmd/webhook/image.mk\n"},
		{"a last line without its end", "all:\n\ttrue", "all:\n\ttrue\n\ninclude cmd/webhook/image.mk\n"},
		{"it is included", "include  other.mk cmd/webhook/image.mk\nall:\n", "include  other.mk cmd/webhook/image.mk\nall:\n"},
		{"it is included if it is there", "-include cmd/webhook/image.mk\n", "-include cmd/webhook/image.mk\n"},
		{"another file is included", "include cmd/webhook/image.mk.old\n", "include cmd/webhook/image.mk.old\n\ninclude cmd/webhook/image.mk\n"},
	} {
		got := buildedit.Include([]byte(test.before), file)
		if diff := cmp.Diff(test.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if again := buildedit.Include(got, file); !bytes.Equal(again, got) {
			t.Errorf("%s: a second time changes it:\n%s", test.reason, again)
		}
	}
}
