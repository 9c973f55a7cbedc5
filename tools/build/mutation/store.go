package mutation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// store stores the verdicts of one target in a file of the user's cache folder, a line for each,
// until an input of the tests changes. An interrupted run continues from there.
type store struct {
	file     string
	mu       sync.Mutex
	verdicts map[Name]Verdict
}

type verdictOf struct {
	Name
	Verdict Verdict
}

// openStore reads the verdicts of earlier runs. A line that was not written to its end is left out.
func openStore(t Target, key string) (*store, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find cache folder: %w", err)
	}
	s := &store{file: filepath.Join(cache, "strata", "mutation", filepath.FromSlash(t.Folder), key+".jsonl"), verdicts: map[Name]Verdict{}}
	text, err := os.ReadFile(s.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read verdicts: %w", err)
	}
	for line := range bytes.Lines(text) {
		var v verdictOf
		if json.Unmarshal(line, &v) == nil {
			s.verdicts[v.Name] = v.Verdict
		}
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o755); err != nil {
		return nil, fmt.Errorf("store verdicts: %w", err)
	}
	return s, nil
}

// verdict is that of an earlier run, or empty.
func (s *store) verdict(name Name) Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.verdicts[name]
}

// add stores a verdict at once.
func (s *store) add(name Name, v Verdict) error {
	line, err := json.Marshal(verdictOf{name, v})
	if err != nil {
		return fmt.Errorf("store verdict: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verdicts[name] = v
	file, err := os.OpenFile(s.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("store verdict: %w", err)
	}
	// The line begins with an end of line, in case that the last one was not written to its end.
	_, err = file.Write(slices.Concat([]byte("\n"), line))
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("store verdict: %w", err)
	}
	return nil
}
