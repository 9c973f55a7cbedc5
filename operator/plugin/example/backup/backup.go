// Package backup is a small backup tool, whose stores and actions are plugins. It is an example of
// a project that defines its own kinds of plugins.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/stratakube/strata/operator/plugin/host"

	"example.com/backup/itemaction"
	itemactionv1 "example.com/backup/itemaction/v1"
	itemactionv2 "example.com/backup/itemaction/v2"
	"example.com/backup/objectstore"
	objectstorev1 "example.com/backup/objectstore/v1"
	objectstorev3 "example.com/backup/objectstore/v3"
)

// Tool makes backups. It works with the newest interfaces of its kinds, whichever versions plugins
// implement.
type Tool struct {
	store   objectstore.ObjectStore
	actions []itemaction.BackupItemAction
}

// Open returns a tool with the store and the actions of these names.
func Open(ctx context.Context, h *host.Host, store string, config map[string]string, actions ...string) (*Tool, error) {
	t := &Tool{}
	var err error
	if t.store, err = host.Get(ctx, h, objectstore.Latest, store, config); err != nil {
		return nil, err
	}
	for _, name := range actions {
		action, err := host.Get(ctx, h, itemaction.Latest, name, nil)
		if err != nil {
			return nil, err
		}
		t.actions = append(t.actions, action)
	}
	return t, nil
}

// Save stores an item below the name of a backup, after all actions.
func (t *Tool) Save(ctx context.Context, backup, key string, body []byte) error {
	item := &itemactionv1.Item{Key: key, Body: body}
	for _, action := range t.actions {
		out, err := action.Execute(ctx, &itemactionv1.ExecuteRequest{Backup: backup, Item: item})
		if err != nil {
			return fmt.Errorf("save %s: %w", key, err)
		}
		if err := check(out); err != nil {
			return fmt.Errorf("save %s: %w", key, err)
		}
		item = out.GetItem()
		if operation := out.GetOperation(); operation != "" {
			if err := await(ctx, action, operation); err != nil {
				return fmt.Errorf("save %s: %w", key, err)
			}
		}
	}
	_, err := t.store.Put(ctx, &objectstorev1.PutRequest{Key: backup + "/" + item.GetKey(), Body: item.GetBody()})
	if err != nil {
		return fmt.Errorf("save %s: %w", key, err)
	}
	return nil
}

// check reports an answer that would lose an item. This tool saves one item at a time, and has no
// others.
func check(out *itemactionv2.ExecuteResponse) error {
	switch others := out.GetAdditional(); {
	case out.GetItem() == nil:
		return errors.New("an action returned no item")
	case out.GetItem().GetKey() == "":
		return errors.New("an action returned no key of the item")
	case len(others) > 0:
		return fmt.Errorf("an action asks for other items, as in %q, and this tool has one", others[0])
	}
	return nil
}

// await polls an operation until it has ended.
func await(ctx context.Context, action itemaction.BackupItemAction, operation string) error {
	for {
		progress, err := action.Progress(ctx, &itemactionv2.ProgressRequest{Operation: operation})
		if err != nil || progress.GetCompleted() {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval):
		}
	}
}

const pollInterval = time.Second

// Restore writes an item to w, piece by piece.
func (t *Tool) Restore(ctx context.Context, backup, key string, w io.Writer) error {
	return t.store.Get(ctx, &objectstorev1.GetRequest{Key: backup + "/" + key}, func(piece *objectstorev3.Piece) error {
		_, err := w.Write(piece.GetData())
		return err
	})
}

// Print lists a backup. A store that does not know the size of an object has a question mark.
func (t *Tool) Print(ctx context.Context, backup string, w io.Writer) error {
	return t.store.List(ctx, &objectstorev1.ListRequest{Prefix: backup + "/"}, func(object *objectstorev3.Object) error {
		size := "?"
		if object.Size != nil {
			size = fmt.Sprint(object.GetSize())
		}
		_, err := fmt.Fprintf(w, "%s %q\n", size, object.GetKey())
		return err
	})
}
