package operation_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/arm/internal/operation"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
)

// TestStates is a table over states that resources of Azure report.
func TestStates(t *testing.T) {
	for want, states := range map[v1.Change][]string{
		v1.Change_CHANGE_UNSPECIFIED: {""},
		v1.Change_CHANGE_SUCCEEDED:   {"Succeeded", "succeeded", "Activated", "Approved", "Online", "Ready"},
		v1.Change_CHANGE_RUNNING: {
			"Creating", "updating", "Running", "Accepted", "InProgress", "Pending", "ResolvingDNS", "ConfiguringAAD", "Preprovisioning",
			"InternallyReady", "CancelInProgress", "SettingUpStreamingRuntime",
		},
		v1.Change_CHANGE_DELETING: {"Deleting", "deleting", "Unprovisioning"},
		v1.Change_CHANGE_FAILED: {
			"Failed", "failed", "Canceled", "Cancelled", "Unknown", "Disconnected", "Incomplete", "Invalid", "Rejected",
			"RecoveringScaleFailure", "MigrationFailed", "Warning", "NotSpecified", "Disabled", "ANameThatNobodyKnows", "UpdatingFailed",
		},
	} {
		for _, state := range states {
			resource := fmt.Appendf(nil, `{"properties":{"provisioningState":%q}}`, state)
			if p := operation.ProvisioningOf(resource); p.Change != want || p.State != state {
				t.Errorf("%s: its last change is %v, want %v", state, p.Change, want)
			}
			isOver := want == v1.Change_CHANGE_SUCCEEDED || want == v1.Change_CHANGE_FAILED && operation.IsKnown(state)
			if operation.IsOver(state) != isOver {
				t.Errorf("%s: no change runs: %t, want %t", state, !isOver, isOver)
			}
		}
	}
}

// TestStatesOfCorpora checks that the table has each state of published schemas.
func TestStatesOfCorpora(t *testing.T) {
	dir := os.Getenv("STRATA_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "..", "shared", "corpora")
	}
	if _, err := os.Stat(filepath.Join(dir, "arm", "manifest.tsv")); err != nil {
		t.Skipf("needs corpora: there are no ARM schemas at %s; set STRATA_CORPORA to the folder that holds arm/manifest.tsv", dir)
	}
	found := map[string]string{}
	eachDocument(t, filepath.Join(dir, "arm", "schemas"), func(document any, file string) { armStates(document, false, file, found) })
	for _, root := range []string{"bicep", "bicep-network"} {
		eachDocument(t, filepath.Join(dir, root), func(document any, file string) { bicepStates(document, file, found) })
	}
	if len(found) < 40 {
		t.Fatalf("the corpora have only the states %q", slices.Sorted(maps.Keys(found)))
	}
	for _, state := range slices.Sorted(maps.Keys(found)) {
		if !operation.IsKnown(state) {
			t.Errorf("the table of states lacks %s of %s", state, found[state])
		}
	}
}

// eachDocument decodes all JSON files below a folder that can have states.
func eachDocument(t *testing.T, root string, do func(document any, file string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), `"provisioningState"`) {
			return err
		}
		var document any
		if err := json.Unmarshal(data, &document); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		do(document, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// armStates collects the enum values below properties with the name provisioningState.
func armStates(value any, isState bool, file string, found map[string]string) {
	switch value := value.(type) {
	case map[string]any:
		for name, inside := range value {
			if values, is := inside.([]any); is && isState && name == "enum" {
				collect(values, file, found)
				continue
			}
			armStates(inside, isState || name == "provisioningState", file, found)
		}
	case []any:
		for _, inside := range value {
			armStates(inside, isState, file, found)
		}
	}
}

func collect(values []any, file string, found map[string]string) {
	for _, value := range values {
		if state, is := value.(string); is {
			found[state] = file
		}
	}
}

// bicepStates collects the literals to which properties with the name provisioningState refer.
func bicepStates(document any, file string, found map[string]string) {
	types, _ := document.([]any)
	for _, one := range types {
		properties, _ := member(one, "properties").(map[string]any)
		if state, has := properties["provisioningState"]; has {
			literals(types, member(state, "type"), file, found)
		}
	}
}

func literals(types []any, reference any, file string, found map[string]string) {
	var index int
	text, _ := member(reference, "$ref").(string)
	if _, err := fmt.Sscanf(text, "#/%d", &index); err != nil || index >= len(types) {
		return
	}
	if value, is := member(types[index], "value").(string); is {
		found[value] = file
	}
	elements, _ := member(types[index], "elements").([]any)
	for _, element := range elements {
		literals(types, element, file, found)
	}
}

func member(value any, name string) any {
	object, _ := value.(map[string]any)
	return object[name]
}
