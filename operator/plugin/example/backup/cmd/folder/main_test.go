package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	objectstorev1 "example.com/backup/objectstore/v1"
	objectstore "example.com/backup/objectstore/v3"
)

// TestPutIsWholeOrNothing puts an object where a reader has the former one open, and where it
// cannot be put: the reader reads the former content, and nothing is left behind.
func TestPutIsWholeOrNothing(t *testing.T) {
	dir := t.TempDir()
	store, err := openFolder(t.Context(), map[string]string{"folder": dir})
	if err != nil {
		t.Fatal(err)
	}
	f := store.(folder)
	t.Cleanup(func() { _ = f.Close() })
	put := func(key, body string) error {
		_, err := f.Put(t.Context(), &objectstorev1.PutRequest{Key: key, Body: []byte(body)})
		return err
	}
	if err := put("a/b", "first"); err != nil {
		t.Fatal(err)
	}
	before, err := os.Open(filepath.Join(dir, "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if err := put("a/b", "2"); err != nil {
		t.Fatal(err)
	}
	old := make([]byte, 10)
	if n, err := before.Read(old); err != nil || string(old[:n]) != "first" {
		t.Errorf("the former object reads %q, %v", old[:n], err)
	}
	if now, err := os.ReadFile(filepath.Join(dir, "a", "b")); err != nil || string(now) != "2" {
		t.Errorf("the object is %q, %v", now, err)
	}

	if err := os.MkdirAll(filepath.Join(dir, "a", "taken", "within"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := put("a/taken", "x"); err == nil {
		t.Error("an object took the name of a folder")
	}
	left, err := os.ReadDir(filepath.Join(dir, "a"))
	if err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}

	if err := os.WriteFile(filepath.Join(dir, "a", unfinished+"x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var listed []string
	err = f.List(context.Background(), &objectstorev1.ListRequest{}, func(o *objectstore.Object) error {
		listed = append(listed, o.GetKey())
		return nil
	})
	if err != nil || len(listed) != 1 || listed[0] != "a/b" {
		t.Errorf("List gives %q, %v", listed, err)
	}
}
