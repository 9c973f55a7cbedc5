package output

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Stamp records a completed run: its inputs and its outputs. It is in the user's cache folder, one
// for each output folder. Losing it costs time and nothing else. The folder is bounded: writing a
// stamp removes old ones.
type Stamp struct {
	Inputs  Digest    `json:"inputs"`
	Outputs []FileSum `json:"outputs"`
	// Result is data of the caller, such as the messages of the run. It is nil or a JSON value.
	Result jsontext.Value `json:"result,omitzero"`
}

// ReadStamp returns the stamp of an output folder, or nil if there is none, it is damaged, or there
// is no cache folder.
func ReadStamp(dir string) *Stamp {
	_, body := readCache(dir, stampExtension)
	if body == nil {
		return nil
	}
	s := new(Stamp)
	if json.Unmarshal(body, s, json.RejectUnknownMembers(true)) != nil || len(s.Outputs) == 0 {
		return nil
	}
	return s
}

// Fresh reports whether the run is unnecessary: the inputs are those of the stamp, every output is
// unchanged in the folder, and no other file there has the header or remains of a killed run. It
// returns false for a nil stamp, and if anything cannot be read. sums spares reading outputs; nil
// reads them all.
func (s *Stamp) Fresh(ctx context.Context, dir string, inputs Digest, sums *Sums) bool {
	if s == nil || s.Inputs != inputs {
		return false
	}
	known := make(map[string]bool, len(s.Outputs))
	for _, row := range s.Outputs {
		known[row.Path] = true
	}
	err := each(ctx, len(s.Outputs), func(w *worker, i int) error {
		return s.Outputs[i].check(w, dir, sums)
	})
	if err != nil || hasLeft(dir, s.Outputs) {
		return false
	}
	found, err := strangers(ctx, dir, known)
	return err == nil && len(found) == 0
}

var errDiffers = errors.New("differs")

func (f FileSum) check(w *worker, dir string, sums *Sums) error {
	if err := checkPath(f.Path); err != nil {
		return err
	}
	sum, err := sums.sum(w, onDisk(dir, f.Path))
	if err == nil && sum != f.SHA256 {
		err = errDiffers
	}
	return err
}

// Write stores the stamp for an output folder.
func (s *Stamp) Write(dir string) error {
	file, err := stampFile(dir)
	if err != nil {
		return err
	}
	body, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("marshal stamp: %w", err)
	}
	if err := writeCache(file, body); err != nil {
		return fmt.Errorf("write stamp: %w", err)
	}
	if err := prune(filepath.Dir(file), filepath.Base(file), time.Now(), usual); err != nil {
		return fmt.Errorf("remove old stamps: %w", err)
	}
	return nil
}

// writeCache writes a file of the cache folder.
func writeCache(file string, body []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	folder, err := os.OpenRoot(filepath.Dir(file))
	if err != nil {
		return err
	}
	defer folder.Close()
	return writeFile(folder, filepath.Base(file), body)
}

// stampFile returns strata/<hash of the absolute folder>.json in the cache folder.
const stampExtension = ".json"

func stampFile(dir string) (string, error) { return cacheFile(dir, stampExtension) }

// readCache returns the name and the content of a file about an output folder in the cache folder,
// and records that it is used. The name is empty if there is no cache folder, and the content is
// nil if there is no such file.
func readCache(dir, extension string) (file string, body []byte) {
	file, err := cacheFile(dir, extension)
	if err != nil {
		return "", nil
	}
	if body, err = os.ReadFile(file); err != nil {
		return file, nil
	}
	touch(file, time.Now())
	return file, body
}

// cacheFile returns the file about an output folder in the cache folder, with an extension.
func cacheFile(dir, extension string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find cache folder: %w", err)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find output folder: %w", err)
	}
	name := Digest(sha256.Sum256([]byte(absolute))).String()
	return filepath.Join(cache, "strata", name+extension), nil
}

// writeFile writes a temporary file and renames it.
func writeFile(folder *os.Root, name string, body []byte) error {
	err := fill(folder, hidden(name), body)
	if err == nil {
		err = folder.Rename(hidden(name), name)
	}
	if err != nil {
		return errors.Join(err, folder.RemoveAll(hidden(name)))
	}
	return nil
}
