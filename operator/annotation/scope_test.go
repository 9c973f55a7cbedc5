package annotation

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestStatesShareScopes reads many states with few scopes, and states with more scopes than are
// shared. Each has its own scope, and equal ones take memory once.
func TestStatesShareScopes(t *testing.T) {
	read := func(scope string) map[string]string {
		claim := `{"uid":"u","id":"/a","scope":` + scope + `}`
		return Read(&metav1.ObjectMeta{UID: "u", Annotations: map[string]string{Claim: claim}}).Target.Scope
	}
	address := func(of map[string]string) uintptr { return reflect.ValueOf(of).Pointer() }
	ab, ba, other := read(`{"a":"1","b":"2"}`), read(`{"b":"2","a":"1"}`), read(`{"a":"1b2"}`)
	if address(ab) != address(ba) || address(ab) == address(other) {
		t.Errorf("%v and %v share %v, and %v is apart: %v", ab, ba, address(ab) == address(ba), other, address(ab) != address(other))
	}
	for i := range 2 * maxScopes {
		name := fmt.Sprint(i)
		if diff := cmp.Diff(map[string]string{"n": name}, read(`{"n":"`+name+`"}`)); diff != "" {
			t.Fatalf("scope %d (-want +got):\n%s", i, diff)
		}
	}
	if len(scopes.known) > maxScopes {
		t.Errorf("%d scopes are shared, want at most %d", len(scopes.known), maxScopes)
	}
	before := len(scopes.known)
	read(`{"a":"` + strings.Repeat("x", maxScopeBytes) + `"}`)
	var names []string
	for i := range maxScopeNames + 1 {
		names = append(names, fmt.Sprintf(`"name%d":""`, i))
	}
	if read("{" + strings.Join(names, ",") + "}"); len(scopes.known) != before {
		t.Error("large scopes are shared")
	}
	ab = read(`{"a":"1","b":"2"}`)
	older := Target{Scope: ab}
	if got := (Target{Scope: map[string]string{"b": "2"}}).Inherits(older).Scope; address(got) != address(ab) {
		t.Errorf("a target that inherits all of a scope has %v of its own", got)
	}
	state := Read(&metav1.ObjectMeta{UID: "u", Annotations: map[string]string{Claim: `{"uid":"u","id":"/a"}`, ID: strings.Clone("/a")}})
	if next := (Target{ID: strings.Clone("/a")}).Inherits(state.Target); unsafe.StringData(state.ID) != unsafe.StringData(state.Target.ID) || unsafe.StringData(next.ID) != unsafe.StringData(state.ID) {
		t.Error("equal identifiers take memory of their own")
	}
	inherits := Target{Scope: map[string]string{"b": "3"}}.Inherits(older)
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "3"}, inherits.Scope); diff != "" || ab["b"] != "2" {
		t.Errorf("what inherits (-want +got):\n%s; the older is %v", diff, ab)
	}
}
