package mutation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// store holds the verdicts of one target in a file of the user's cache folder, for as long as the tests are built of the
// same. A run that was stopped goes on where it was.
type store struct {
	file     string
	mu       sync.Mutex
	verdicts []verdictOf
}

type verdictOf struct {
	Name
	Verdict Verdict
}

// openStore reads the verdicts of earlier runs.
func openStore(t Target, key string) (*store, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find cache folder: %w", err)
	}
	s := &store{file: filepath.Join(cache, "strata", "mutation", filepath.FromSlash(t.Folder), key+".json")}
	text, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read verdicts: %w", err)
	}
	if err := json.Unmarshal(text, &s.verdicts); err != nil {
		return nil, fmt.Errorf("read verdicts of %s: %w", s.file, err)
	}
	return s, nil
}

// verdict is that of an earlier run, or empty.
func (s *store) verdict(name Name) Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.verdicts {
		if v.Name == name {
			return v.Verdict
		}
	}
	return ""
}

// add stores a verdict at once. The file is whole whenever the process ends.
func (s *store) add(name Name, v Verdict) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verdicts = append(s.verdicts, verdictOf{name, v})
	text, err := json.MarshalIndent(s.verdicts, "", "\t")
	if err != nil {
		return fmt.Errorf("store verdict: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o755); err != nil {
		return fmt.Errorf("store verdict: %w", err)
	}
	beside := s.file + ".new"
	if err := os.WriteFile(beside, text, 0o644); err != nil {
		return fmt.Errorf("store verdict: %w", err)
	}
	if err := os.Rename(beside, s.file); err != nil {
		return fmt.Errorf("store verdict: %w", err)
	}
	return nil
}
