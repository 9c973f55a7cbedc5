package reconciler_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/api/crm/v20180808"
	"github.com/stratakube/strata/operator/fakeprovider"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/reconciler"
	"github.com/stratakube/strata/runtime"
)

// broken is a person of a version to which no conversion succeeds.
type broken struct {
	v20180808.Person `json:",inline"`
}

type brokenSpec struct{ v20180808.PersonSpec }

func (b *broken) NewEmptySpec() runtime.ConvertibleSpec { return &brokenSpec{} }

func (*brokenSpec) ConvertSpecFrom(runtime.ConvertibleSpec) error { return errors.New("no") }

// made creates a person that is Ready.
func made(w *world, pairs ...string) {
	w.object("Person", "ada", person(), pairs...)
	w.pass("Person", "ada")
}

// setProperty creates a person with a value in the spec.
func setProperty(w *world, name string, value any) {
	spec := person()
	spec[name] = value
	w.object("Person", "ada", spec)
	w.pass("Person", "ada")
}

// fails creates a person whose resource cannot be created.
func fails(reason v2.Reason) func(*world) {
	return func(w *world) {
		w.cloud.Before(failing("Apply", reason))
		made(w)
	}
}

// silent creates a person that was Ready, and about whose resource nothing can be learned any
// more.
func silent(err error) func(*world) {
	return func(w *world) {
		made(w)
		w.cloud.Before(func(fakeprovider.Call) error { return err })
		w.pass("Person", "ada")
	}
}

// drives maps each condition and each event to a function that causes it.
var drives = map[string]func(*world){
	"Ready True Succeeded":      func(w *world) { made(w) },
	"Ready True Observed":       func(w *world) { w.cloud.Put(ada, namedKing); made(w, annotation.ReconcilePolicy, "observe") },
	"Ready False Creating":      func(w *world) { w.cloud.Slow(5, false); made(w) },
	"Ready False Updating":      func(w *world) { made(w); w.cloud.Put(ada, namedKing); w.pass("Person", "ada") },
	"Ready False Deleting":      func(w *world) { made(w); w.cloud.Slow(5, false); w.delete("Person", "ada"); w.pass("Person", "ada") },
	"Ready False Gone":          func(w *world) { made(w); w.cloud.Remove(ada); w.pass("Person", "ada") },
	"Ready False OwnerNotFound": func(w *world) { w.object("PersonsNote", "n", note("ada")); w.pass("PersonsNote", "n") },
	"Ready False OwnerNotReady": func(w *world) {
		w.object("Person", "ada", person())
		w.object("PersonsNote", "n", note("ada"))
		w.pass("PersonsNote", "n")
	},
	"Ready False HasChildren": func(w *world) {
		made(w)
		w.object("PersonsNote", "n", note("ada"))
		w.pass("PersonsNote", "n")
		w.delete("Person", "ada")
		w.pass("Person", "ada")
	},
	"Ready False SecretNotFound": func(w *world) { made(w, annotation.Credentials, "none") },
	"Ready False Failed":         fails(v2.Reason_REASON_TRANSIENT),
	"Ready False ResultUnknown":  cut,
	"Ready False Throttled":      fails(v2.Reason_REASON_THROTTLED),
	"Ready False Conflict": func(w *world) {
		made(w)
		w.cloud.Put(ada, namedKing)
		w.cloud.Before(failing("Apply", v2.Reason_REASON_CONFLICT))
		w.pass("Person", "ada")
	},
	"Ready False NeedsMissing":        fails(v2.Reason_REASON_NOT_FOUND),
	"Ready False Unauthorized":        fails(v2.Reason_REASON_UNAUTHORIZED),
	"Ready False ProviderUnavailable": func(w *world) { w.provider = "strata.dev/nobody"; w.restart(); made(w) },
	"Ready False NotThere":            func(w *world) { made(w, annotation.ReconcilePolicy, "observe") },
	"Ready False NotProvisioned": func(w *world) {
		made(w)
		w.isOut(func(r *fakeprovider.Resource) {
			r.Facts = []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: "Failed"}}
		})
		w.pass("Person", "ada")
	},
	"Ready False ClusterFailed": func(w *world) { w.live = errors.New("no"); made(w) },
	"Ready False Invalid":       fails(v2.Reason_REASON_INVALID),
	"Ready False Exists":        func(w *world) { w.cloud.Put(ada, namedKing); made(w) },
	"Ready False PlaceChanged": func(w *world) {
		made(w)
		w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["azureName"] = "augusta" })
		w.pass("Person", "ada")
	},
	"Ready False CredentialsChanged": func(w *world) {
		w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
		made(w)
		w.secret("strata-credentials", "AZURE_TENANT_ID", "b")
		w.pass("Person", "ada")
	},
	"Ready False Claiming": meetsAnother,
	"Ready False OwnedByAnother": func(w *world) {
		w.object("Person", "augusta", named("ada"))
		w.pass("Person", "augusta")
		made(w)
	},
	"Ready False OwnerMissing": func(w *world) {
		w.object("PersonsNote", "n", map[string]any{"originalVersion": "v20130303"})
		w.pass("PersonsNote", "n")
	},
	"Ready False OwnerUnknown": func(w *world) { setProperty(w, "owner", map[string]any{"name": "crm"}) },
	"Ready False SecretNotOurs": func(w *world) {
		foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "keys"}}
		if err := w.client.Create(w.Context(), foreign); err != nil {
			w.Fatal(err)
		}
		made(w, annotation.Outputs, `[{"path":"listKeys().key1","name":"keys","key":"k"}]`)
	},
	"Ready False ConversionFailed": func(w *world) {
		w.scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "crm.example.com", Version: "v20180809", Kind: "Person"}, &broken{})
		setProperty(w, "originalVersion", "v20180809")
	},
	"Ready False PolicyUnknown": func(w *world) { made(w, annotation.ReconcilePolicy, "perhaps") },
	"Ready False OutputsFailed": func(w *world) {
		w.cloud.Before(func(c fakeprovider.Call) error {
			if c.Outputs > 0 {
				return fakeprovider.Fail(v2.Reason_REASON_INVALID, "no", 0)
			}
			return nil
		})
		made(w, annotation.Outputs, `[{"path":"listKeys().key1","name":"keys","key":"k"}]`)
	},
	"Ready False OutputsUnreadable": func(w *world) { made(w, annotation.Outputs, "{") },
	"Ready False ConfigMapNotFound": func(w *world) {
		setProperty(w, "configMapRefs", refs("location", "site", "region"))
	},
	"Ready False ConfigMapNotOurs": func(w *world) {
		w.configMap("site", "host", "theirs")
		setProperty(w, "outputs", outputs("configMaps", "site", "host", "location"))
	},
	"Ready False InputsInvalid": func(w *world) {
		w.configMap("site", "region", "west")
		setProperty(w, "configMapRefs", refs("properties", "site", "region"))
	},

	"Reconciling True ": func(w *world) { w.cloud.Slow(5, false); made(w) },
	"Stalled True ":     fails(v2.Reason_REASON_INVALID),

	"Reachable False Failed":              silent(fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "no", 0)),
	"Reachable False ResultUnknown":       cut,
	"Reachable False Throttled":           silent(fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "no", time.Hour)),
	"Reachable False ProviderUnavailable": func(w *world) { made(w); w.provider = "strata.dev/nobody"; w.restart(); w.pass("Person", "ada") },
	"Reachable False ClusterFailed":       func(w *world) { made(w); w.live = errors.New("no"); w.pass("Person", "ada") },

	"Drifted True NotAccepted": func(w *world) {
		made(w)
		for range 2 {
			w.cloud.Put(ada, namedKing)
			w.pass("Person", "ada")
		}
	},
	"Drifted True ObservedOnly": func(w *world) { w.cloud.Put(ada, namedKing); made(w, annotation.ReconcilePolicy, "observe") },
	"FullySent False NotExpressible": func(w *world) {
		setProperty(w, "properties", map[string]any{"mailingAddress": map[string]any{"city": "London", "latitude": 51.5}})
	},
	"OriginalVersionKept False NotKept":       func(w *world) { setProperty(w, "originalVersion", "v20180101") },
	"DeclaredVersionUsed False CannotExpress": func(w *world) { made(w, lastApplied, `{"apiVersion":"crm.example.com/v20110101"}`) },
	"  Reported": func(w *world) {
		changed := namedKing
		changed.Facts = []*v1.Fact{{Type: "Guessed", Reason: "for no reason"}}
		w.cloud.Put(ada, changed)
		made(w, annotation.ReconcilePolicy, "observe")
	},

	"Ready False UpgradePending": func(w *world) {
		made(w)
		wait := reconciler.Wait{Stored: w.kind("Person").Hub, Reason: reconciler.UpgradePending}
		if _, err := wait.Write(w.Context(), w.client, w.client); err != nil {
			w.Fatal(err)
		}
	},
	"Warning  NotDeleted": func(w *world) {
		w.object("Person", "ada", person())
		w.cloud.Before(failing("Apply", v2.Reason_REASON_TRANSIENT))
		w.pass("Person", "ada")
		w.cloud.Before(nil)
		w.cloud.Put(ada, namedKing)
		w.delete("Person", "ada")
		w.pass("Person", "ada")
	},
	"Normal  Created":        func(w *world) { made(w) },
	"Normal  Adopted":        func(w *world) { w.cloud.Put(ada, namedKing); made(w, annotation.Adopt, "true") },
	"Normal  Applied":        func(w *world) { w.cloud.Put(ada, namedKing); made(w, annotation.Adopt, "true") },
	"Normal  DriftCorrected": func(w *world) { made(w); w.cloud.Put(ada, namedKing); w.pass("Person", "ada") },
	"Normal  Gone":           func(w *world) { made(w); w.cloud.Remove(ada); w.pass("Person", "ada") },
	"Normal  Deleted":        func(w *world) { made(w); w.delete("Person", "ada"); w.pass("Person", "ada") },
	"Normal  Detached": func(w *world) {
		made(w, annotation.ReconcilePolicy, "detach-on-delete")
		w.delete("Person", "ada")
		w.pass("Person", "ada")
	},
	"Warning  ": fails(v2.Reason_REASON_INVALID),
}

// cut makes calls exceed their time limit.
func cut(w *world) {
	made(w)
	w.patience = 50 * time.Millisecond
	w.restart()
	w.cloud.Before(func(fakeprovider.Call) error { time.Sleep(3 * w.patience); return nil })
	w.pass("Person", "ada")
	w.later = 2 * reconciler.DefaultTolerance
	w.pass("Person", "ada")
}

// TestEveryMeaning causes each condition and event that the reference lists.
func TestEveryMeaning(t *testing.T) {
	for _, m := range reconciler.Meanings {
		key := strings.Join([]string{m.Of, m.Status, m.Reason}, " ")
		t.Run(key, func(t *testing.T) {
			drive := drives[key]
			if drive == nil {
				t.Fatal("nothing drives it")
			}
			w := newWorld(t)
			drive(w)
			if !w.hasReported(m) {
				t.Errorf("it was never said; there were %v", w.conditions)
			}
		})
	}
	if len(drives) != len(reconciler.Meanings) {
		t.Errorf("%d meanings are driven, and there are %d", len(drives), len(reconciler.Meanings))
	}
}

// hasReported reports whether a condition was written, or an event sent.
func (w *world) hasReported(m reconciler.Meaning) bool {
	for key := range w.conditions {
		words := strings.Split(key, " ")
		if (m.Of == "" || m.Of == words[0]) && (m.Status == "" || m.Status == words[1]) && (m.Reason == "" || m.Reason == words[2]) {
			return true
		}
	}
	for {
		select {
		case event := <-w.events.Events:
			if words := strings.Fields(event); words[0] == m.Of && (m.Reason == "" || m.Reason == words[1]) {
				return true
			}
		default:
			return false
		}
	}
}

// word is the pattern of reasons and types.
var word = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)

// others lists words in the code that are not conditions or events of the operator.
var others = []string{"Provisioned", "List", "Reconcile", "Secret", "Observe", "Apply", "Delete", "Poll", "Cancel", "Done", "Providers", "Namespace", "ConfigMap", "AdditionalProperties"}

// TestEveryReasonHasMeaning reads the code. Each word in it that could be a reason is in the
// table, and each reason of the table is in the code.
func TestEveryReasonHasMeaning(t *testing.T) {
	known := map[string]bool{}
	for _, other := range others {
		known[other] = true
	}
	for _, m := range reconciler.Meanings {
		known[m.Of], known[m.Status], known[m.Reason] = true, true, true
	}
	used := map[string]bool{}
	for _, dir := range []string{".", "../provider"} {
		for text, at := range wordsOf(t, dir) {
			if used[text] = true; !known[text] {
				t.Errorf("%s: %s is in no row of Meanings", at, text)
			}
		}
	}
	for _, m := range reconciler.Meanings {
		if m.Reason != "" && !used[m.Reason] {
			t.Errorf("no code has the reason %s", m.Reason)
		}
	}
	if !used[provider.ReasonThrottled] {
		t.Error("the code was not read")
	}
}

// wordsOf returns the words in string literals of the code of a package, except for the table
// itself.
func wordsOf(t *testing.T, dir string) map[string]token.Position {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files, words := token.NewFileSet(), map[string]token.Position{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "meaning.go" {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, is := n.(*ast.BasicLit)
			if !is || literal.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(literal.Value); err == nil && word.MatchString(text) {
				words[text] = files.Position(literal.Pos())
			}
			return true
		})
	}
	return words
}
