// Command archive is a plugin that uses another one: an action that stores a copy of each item in a
// second store.
package main

import (
	"context"
	"time"

	"github.com/stratakube/strata/operator/plugin"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/lock"

	"example.com/backup/itemaction/v1"
	"example.com/backup/objectstore"
	objectstorev1 "example.com/backup/objectstore/v1"
)

func main() {
	plugin.Serve(func(s *plugin.Server) { v1.Register(s, "archive", openArchive) })
}

// archive has a host of its own, for the plugins of a folder with a lock file.
type archive struct {
	host   *host.Host
	copies objectstore.ObjectStore
}

// openArchive finds the store by the newest version of its kind, as the backup tool does.
func openArchive(ctx context.Context, config map[string]string) (v1.BackupItemAction, error) {
	plugins, err := lock.Load(config["plugins"])
	if err != nil {
		return nil, err
	}
	h, err := host.Open(host.Options{Plugins: plugins})
	if err != nil {
		return nil, err
	}
	copies, err := host.Get(ctx, h, objectstore.Latest, "folder", map[string]string{"folder": config["folder"]})
	if err != nil {
		h.Stop(ctx)
		return nil, err
	}
	return archive{h, copies}, nil
}

// stopTime is the longest time of the end.
const stopTime = 5 * time.Second

// Close ends the other plugins, before this one ends.
func (a archive) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	a.host.Stop(ctx)
	return nil
}

func (a archive) Execute(ctx context.Context, in *v1.ExecuteRequest) (*v1.ExecuteResponse, error) {
	key := in.GetBackup() + "/" + in.GetItem().GetKey()
	_, err := a.copies.Put(ctx, &objectstorev1.PutRequest{Key: key, Body: in.GetItem().GetBody()})
	return &v1.ExecuteResponse{Item: in.GetItem()}, err
}
