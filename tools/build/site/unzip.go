package site

import (
	"archive/zip"
	"errors"
	"os"
)

// unzip writes the files of an archive into a folder.
func unzip(archive, folder string) (err error) {
	files, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close(), os.Remove(archive)) }()
	return os.CopyFS(folder, files)
}
