package store

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"runtime/debug"
	"slices"

	"go.etcd.io/bbolt"
)

var errDamaged = errors.New("it is damaged, or no state of a simulator")

// sound reads a file once from end to end, before anything is done with it. bbolt's own check comes
// last: it runs in a goroutine, where an address that is not in the file would end the process.
func sound(path string, buckets []string) (err error) {
	if info, err := os.Stat(path); errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	db, err := openDB(path, &bbolt.Options{Timeout: lockTime, ReadOnly: true, PreLoadFreelist: true, NoStatistics: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return guarded(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			if err := lengths(tx); err != nil {
				return err
			}
			err := tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
				if bucket == nil || !slices.Contains(buckets, string(name)) {
					return fmt.Errorf("%w: it holds %.40q", errDamaged, name)
				}
				return bucket.ForEach(func(key, value []byte) error { return found(bucket, key, value) })
			})
			if err != nil {
				return err
			}
			return check(tx)
		})
	})
}

// lengths checks the lengths in the headers of all pages. bbolt's own check trusts them.
func lengths(tx *bbolt.Tx) error {
	end := int(tx.Size()) / tx.DB().Info().PageSize
	for id := 2; id < end; id++ { // behind the two first pages
		page, err := tx.Page(id)
		if err != nil {
			return err
		}
		if page == nil || page.Type == "free" {
			continue
		}
		if id += page.OverflowCount; id >= end {
			return fmt.Errorf("%w: page %d is too long", errDamaged, page.ID)
		}
	}
	return nil
}

// found reads a key and its value whole, and looks for the key as a change would, which reads all
// that leads to it.
func found(bucket *bbolt.Bucket, key, value []byte) error {
	if value == nil || len(key) > bbolt.MaxKeySize {
		return fmt.Errorf("%w: the key %.40q has no value", errDamaged, key)
	}
	sum := crc32.ChecksumIEEE(value)
	if crc32.ChecksumIEEE(bucket.Get(slices.Clone(key))) != sum {
		return fmt.Errorf("%w: the key %.40q is at a wrong place", errDamaged, key)
	}
	return nil
}

func check(tx *bbolt.Tx) (first error) {
	for err := range tx.Check(bbolt.WithKVStringer(unread{})) {
		if first == nil {
			first = fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	return first
}

// unread shows a key without reading it: it may lie outside of the file.
type unread struct{}

func (unread) KeyToString(key []byte) string     { return fmt.Sprintf("%d bytes", len(key)) }
func (unread) ValueToString(value []byte) string { return fmt.Sprintf("%d bytes", len(value)) }

// guarded calls do and returns a panic as an error, also one for an invalid address: bbolt trusts
// the file that it maps into memory.
func guarded(do func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDamaged, r)
		}
	}()
	return do()
}
