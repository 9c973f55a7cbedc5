package backup_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/plugin/releasetest"

	"example.com/backup"
)

// program is a plugin to test, and the list of a backup with it.
type program struct{ name, path, list string }

// TestPluginsOfAllReleases uses the plugin of each release, built from its recorded sources, and
// the present one. Each runs as a process.
func TestPluginsOfAllReleases(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds the plugin of each release")
	}
	const sized, unsized = "20 \"monday/a\"\n", "? \"monday/a\"\n"
	lists := map[string]string{"v0.1.0": sized, "v0.2.0": unsized, "v0.3.0": sized}
	all := []program{{"today", plugintest.Build(t, "./cmd/folder"), sized}}
	for _, r := range releasetest.Releases(t, "releases") {
		list, ok := lists[r.Name]
		if !ok {
			t.Fatalf("no list is expected of release %s", r.Name)
		}
		all = append(all, program{r.Name, r.Build(t), list})
	}
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) { use(t, p) })
	}
}

func use(t *testing.T, p program) {
	config := map[string]string{"folder": t.TempDir()}
	tool, err := backup.Open(t.Context(), plugintest.Process(t, p.path), "folder", config, "backup.example/mark")
	if err != nil {
		t.Fatal(err)
	}
	if err := tool.Save(t.Context(), "monday", "a", []byte("an item to")); err != nil {
		t.Fatal(err)
	}
	stored, err := os.ReadFile(config["folder"] + "/monday/a")
	if err != nil || string(stored) != "an item to in monday" {
		t.Errorf("the store has %q, %v", stored, err)
	}
	var restored, list bytes.Buffer
	if err := tool.Restore(t.Context(), "monday", "a", &restored); err != nil || restored.String() != "an item to in monday" {
		t.Errorf("restored %q, %v", restored.String(), err)
	}
	if err := tool.Print(t.Context(), "monday", &list); err != nil || list.String() != p.list {
		t.Errorf("the list is %q, %v, want %q", list.String(), err, p.list)
	}
	err = tool.Restore(t.Context(), "monday", "../../b", &restored)
	if err == nil || !strings.Contains(err.Error(), "backup.objectstore backup.example/folder v") {
		t.Errorf("error = %v, want that the key leaves the folder", err)
	}
}
