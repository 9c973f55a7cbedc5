package backup_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/plugin"
	"github.com/stratakube/strata/operator/plugin/plugintest"

	"example.com/backup"
	itemactionv1 "example.com/backup/itemaction/v1"
	itemaction "example.com/backup/itemaction/v2"
	objectstorev1 "example.com/backup/objectstore/v1"
)

// stores counts what is stored. It is a store of the first version.
type stores struct {
	objectstorev1.ObjectStore
	puts int
}

func (s *stores) Put(context.Context, *objectstorev1.PutRequest) (*objectstorev1.PutResponse, error) {
	s.puts++
	return nil, nil
}

// answers is an action that gives one answer.
type answers struct {
	itemaction.BackupItemAction
	answer *itemaction.ExecuteResponse
}

func (a answers) Execute(context.Context, *itemactionv1.ExecuteRequest) (*itemaction.ExecuteResponse, error) {
	return a.answer, nil
}

// TestAnswersThatWouldLoseItems stores nothing, and reports an error, when an action returns less
// than the item, or asks for more.
func TestAnswersThatWouldLoseItems(t *testing.T) {
	for want, answer := range map[string]*itemaction.ExecuteResponse{
		"returned no item":       nil,
		"returned no key":        {Item: &itemactionv1.Item{Body: []byte("x")}},
		`other items, as in "b"`: {Item: &itemactionv1.Item{Key: "a"}, Additional: []string{"b"}},
	} {
		store := &stores{}
		h := plugintest.InMemory(t, func(s *plugin.Server) {
			objectstorev1.Register(s, "store", func(context.Context, map[string]string) (objectstorev1.ObjectStore, error) { return store, nil })
			itemaction.Register(s, "action", func(context.Context, map[string]string) (itemaction.BackupItemAction, error) {
				return answers{answer: answer}, nil
			})
		})
		tool, err := backup.Open(t.Context(), h, "store", nil, "action")
		if err != nil {
			t.Fatal(err)
		}
		err = tool.Save(t.Context(), "monday", "a", []byte("an item"))
		if err == nil || !strings.Contains(err.Error(), want) || store.puts != 0 {
			t.Errorf("error = %v, want %q; %d items are stored", err, want, store.puts)
		}
	}
}
