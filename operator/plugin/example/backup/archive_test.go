package backup_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/lock"
	"github.com/stratakube/strata/operator/plugin/plugintest"

	"example.com/backup/itemaction"
	"example.com/backup/itemaction/v1"
)

// TestActionUsesStore runs an action that stores copies by another plugin, which it may start
// because a lock file trusts it.
func TestActionUsesStore(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds two plugins")
	}
	plugins, copies := t.TempDir(), t.TempDir()
	if err := os.Rename(plugintest.Build(t, "./cmd/folder"), filepath.Join(plugins, "folder")); err != nil {
		t.Fatal(err)
	}
	trust(t, plugins)
	h := plugintest.Process(t, plugintest.Build(t, "./cmd/archive"))
	execute := func(config map[string]string, key string) error {
		action := plugintest.Get(t, h, itemaction.Latest, "archive", config)
		item := &v1.Item{Key: key, Body: []byte("an item")}
		out, err := action.Execute(t.Context(), &v1.ExecuteRequest{Backup: "monday", Item: item})
		if err == nil && string(out.GetItem().GetBody()) != "an item" {
			t.Errorf("the action returned %v", out)
		}
		return err
	}
	if err := execute(map[string]string{"plugins": plugins, "folder": copies}, "a"); err != nil {
		t.Fatal(err)
	}
	if stored, err := os.ReadFile(filepath.Join(copies, "monday", "a")); err != nil || string(stored) != "an item" {
		t.Errorf("the copy is %q, %v", stored, err)
	}
	if err := execute(map[string]string{"plugins": plugins, "folder": copies}, "../../b"); err == nil {
		t.Error("a key that leaves the folder is no error")
	}
	if err := execute(map[string]string{"plugins": t.TempDir(), "folder": copies}, "a"); err == nil {
		t.Error("plugins without a lock file are no error")
	}
}

// trust writes the lock file of a folder, for what its programs serve now.
func trust(t *testing.T, folder string) {
	t.Helper()
	programs, err := lock.Programs(folder)
	if err != nil {
		t.Fatal(err)
	}
	file := lock.File{}
	for _, program := range programs {
		h := plugintest.Open(t, host.Options{Plugins: []host.Plugin{program}})
		if err := h.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		file.Plugins = append(file.Plugins, lock.EntryOf(program, h.Served()))
	}
	if err := file.Write(folder); err != nil {
		t.Fatal(err)
	}
}
