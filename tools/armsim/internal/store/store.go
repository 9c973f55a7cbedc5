package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Options set the buckets of a file, and whether each write is synchronised.
type Options struct {
	Buckets []string // those that there are; a file with others is not taken
	Sync    bool     // a change waits for the disk
}

// Store is an open file. Its methods are safe for concurrent use.
type Store struct {
	path string
	db   *bbolt.DB
}

// lockTime is how long Open waits for a process that is about to end.
const lockTime = 500 * time.Millisecond

// Open opens a file, which is made if it is not there, and holds it until Close. It is an error
// that names the file if another process has it, if it is damaged, or if it is something else.
func Open(path string, o Options) (*Store, error) {
	s, err := open(path, o)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("open state %s: another process has it", path)
	case err != nil:
		return nil, fmt.Errorf("open state %s: %w", path, err)
	}
	return s, nil
}

// open writes the list of free pages with each change: without it bbolt looks for them when it
// opens a file, in a goroutine whose panic at damage cannot be recovered.
func open(path string, o Options) (*Store, error) {
	if err := sound(path, o.Buckets); err != nil {
		return nil, err
	}
	db, err := openDB(path, &bbolt.Options{
		Timeout: lockTime, NoSync: !o.Sync, NoGrowSync: !o.Sync, FreelistType: bbolt.FreelistMapType, NoStatistics: true,
	})
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range o.Buckets {
			if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{path: path, db: db}, nil
}

// openDB opens a database. It returns a panic of bbolt as an error, and releases the lock then.
func openDB(path string, o *bbolt.Options) (db *bbolt.DB, err error) {
	var file *os.File
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		var err error
		file, err = os.OpenFile(name, flag, mode)
		return file, err
	}
	err = guarded(func() (err error) {
		db, err = bbolt.Open(path, 0o600, o)
		return err
	})
	if errors.Is(err, errDamaged) && file != nil {
		file.Close()
	}
	return db, err
}

// Each gives all values of a bucket, in the order of their keys. A value is valid until each
// returns.
func (s *Store) Each(bucket string, each func(key string, value []byte) error) error {
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(bucket)).ForEach(func(key, value []byte) error {
			if err := each(string(key), value); err != nil {
				return fmt.Errorf("%.40q: %w", key, err)
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("read state %s: %s: %w", s.path, bucket, err)
	}
	return nil
}

// Change makes all that a function asks for, or nothing if it or the disk fails.
func (s *Store) Change(change func(*Writer) error) error {
	err := s.db.Update(func(tx *bbolt.Tx) error { return change(&Writer{tx}) })
	if err != nil {
		return fmt.Errorf("write state %s: %w", s.path, err)
	}
	return nil
}

// Close lets go of the file.
func (s *Store) Close() error { return s.db.Close() }

// Writer makes the changes of one transaction.
type Writer struct{ tx *bbolt.Tx }

// Put keeps a value as JSON, in the place of the one that its key had.
func (w *Writer) Put(bucket, key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %s %s: %w", bucket, key, err)
	}
	return w.tx.Bucket([]byte(bucket)).Put([]byte(key), data)
}

// Delete removes a value, if there is one.
func (w *Writer) Delete(bucket, key string) error {
	return w.tx.Bucket([]byte(bucket)).Delete([]byte(key))
}
