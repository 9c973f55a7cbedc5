// Command folder is a plugin that stores objects in a folder, and an action that marks items.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/operator/plugin"
	"google.golang.org/protobuf/proto"

	itemactionv1 "example.com/backup/itemaction/v1"
	itemaction "example.com/backup/itemaction/v2"
	objectstorev1 "example.com/backup/objectstore/v1"
	objectstorev2 "example.com/backup/objectstore/v2"
	objectstore "example.com/backup/objectstore/v3"
)

func main() {
	plugin.Serve(func(s *plugin.Server) {
		objectstore.Register(s, "folder", openFolder)
		itemaction.Register(s, "mark", openMark)
	})
}

// folder stores each object in a file.
type folder struct{ root *os.Root }

func openFolder(_ context.Context, config map[string]string) (objectstore.ObjectStore, error) {
	if config["folder"] == "" {
		return nil, errors.New("the configuration lacks folder")
	}
	root, err := os.OpenRoot(config["folder"])
	if err != nil {
		return nil, err
	}
	return folder{root}, nil
}

// Close closes the folder at the end of the process.
func (f folder) Close() error { return f.root.Close() }

// Put stores an object whole or not at all: the file has another name until its content is on the
// disk. A process that is killed leaves the former object, and at most a file that List omits.
func (f folder) Put(_ context.Context, in *objectstorev1.PutRequest) (*objectstorev1.PutResponse, error) {
	if err := f.root.MkdirAll(filepath.Dir(in.GetKey()), 0o700); err != nil {
		return nil, err
	}
	hidden := filepath.Join(filepath.Dir(in.GetKey()), unfinished+rand.Text())
	err := f.write(hidden, in.GetBody())
	if err == nil {
		err = f.root.Rename(hidden, in.GetKey())
	}
	if err != nil {
		return nil, errors.Join(err, ignoreAbsence(f.root.Remove(hidden)))
	}
	return &objectstorev1.PutResponse{}, f.sync(filepath.Dir(in.GetKey()))
}

// unfinished begins the names of files that are being written.
const unfinished = ".unfinished-"

// write writes a new file to the disk.
func (f folder) write(name string, body []byte) (err error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(body); err != nil {
		return err
	}
	return file.Sync()
}

// sync writes the names of files in a folder to the disk.
func (f folder) sync(name string) error {
	dir, err := f.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func ignoreAbsence(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// pieceSize is the size of the pieces of an object.
const pieceSize = 64 << 10

func (f folder) Get(_ context.Context, in *objectstorev1.GetRequest, send func(*objectstore.Piece) error) error {
	file, err := f.root.Open(in.GetKey())
	if err != nil {
		return err
	}
	defer file.Close()
	piece := make([]byte, pieceSize)
	for {
		n, err := file.Read(piece)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := send(&objectstore.Piece{Data: piece[:n]}); err != nil {
			return err
		}
	}
}

func (f folder) List(_ context.Context, in *objectstorev1.ListRequest, send func(*objectstore.Object) error) error {
	return fs.WalkDir(f.root.FS(), ".", func(key string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasPrefix(key, in.GetPrefix()) || strings.HasPrefix(entry.Name(), unfinished) {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return send(&objectstore.Object{Key: key, Size: proto.Int64(info.Size())})
	})
}

func (f folder) Exists(_ context.Context, in *objectstorev2.ExistsRequest) (*objectstorev2.ExistsResponse, error) {
	_, err := f.root.Stat(in.GetKey())
	if errors.Is(err, fs.ErrNotExist) {
		return &objectstorev2.ExistsResponse{}, nil
	}
	return &objectstorev2.ExistsResponse{Exists: err == nil}, err
}

// mark adds the name of the backup to items.
type mark struct{}

func openMark(context.Context, map[string]string) (itemaction.BackupItemAction, error) {
	return mark{}, nil
}

func (mark) Execute(_ context.Context, in *itemactionv1.ExecuteRequest) (*itemaction.ExecuteResponse, error) {
	body := append(append([]byte{}, in.GetItem().GetBody()...), []byte(" in "+in.GetBackup())...)
	return &itemaction.ExecuteResponse{
		Item: &itemactionv1.Item{Key: in.GetItem().GetKey(), Body: body}, Operation: in.GetItem().GetKey(),
	}, nil
}

// Progress reports that the work has ended: marking takes no time.
func (mark) Progress(context.Context, *itemaction.ProgressRequest) (*itemaction.ProgressResponse, error) {
	return &itemaction.ProgressResponse{Completed: true}, nil
}
