package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Read reads the ledger in a folder; an empty one where there is none. All
// errors are reported at once.
func Read(dir string) (*Ledger, error) {
	name := filepath.Join(dir, IndexFile)
	body, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &Ledger{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	var ix index
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&ix); err != nil {
		return nil, fmt.Errorf("read the ledger: %s: %w", name, err)
	}
	if ix.Version != 1 {
		return nil, fmt.Errorf("read the ledger: %s: version %d was written by another release of strata", name, ix.Version)
	}
	return readEntries(dir, ix.Resources)
}

// readEntries reads the files of all resources, several at once.
func readEntries(dir string, rows []indexRow) (*Ledger, error) {
	out := &Ledger{Entries: make([]*Entry, len(rows))}
	errs := make([]error, len(rows))
	next := make(chan int, len(rows))
	for i := range rows {
		next <- i
	}
	close(next)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				out.Entries[i], errs[i] = readEntry(dir, rows[i])
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	return out, nil
}

func readEntry(dir string, row indexRow) (*Entry, error) {
	if !filepath.IsLocal(filepath.FromSlash(row.File)) {
		return nil, fmt.Errorf("%s: %q is not a file of the ledger", IndexFile, row.File)
	}
	name := filepath.Join(dir, filepath.FromSlash(row.File))
	body, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	e, err := parse(name, string(body))
	if err != nil {
		return nil, err
	}
	if e.Model.Type != row.Type || e.Model.Kind != row.Kind {
		return nil, fmt.Errorf("%s is of %s, not of %s", name, e.Model.Type, row.Type)
	}
	e.File = row.File
	return e, nil
}

// parse reads one file. The model's errors have its lines, counted in the file.
func parse(name, text string) (*Entry, error) {
	first, rest, _ := strings.Cut(text, "\n")
	if first != Format {
		return nil, fmt.Errorf("%s:1: %q is not %q: the ledger is damaged, or of another release of strata", name, first, Format)
	}
	e := &Entry{}
	n := 1
	for !strings.HasPrefix(rest, "resource ") {
		var head string
		var ok bool
		n++
		if head, rest, ok = strings.Cut(rest, "\n"); !ok {
			return nil, fmt.Errorf("%s:%d: the model is missing", name, n)
		}
		if err := e.head(head); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	// Blank lines in place of the head keep the model's line numbers.
	resources, err := model.Parse(name, []byte(strings.Repeat("\n", n)+rest))
	if err != nil {
		return nil, err
	}
	if len(resources) != 1 {
		return nil, fmt.Errorf("%s: %d resources, not one", name, len(resources))
	}
	e.Model = resources[0]
	return e, nil
}

// head reads one line of a file's head.
func (e *Entry) head(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "hub":
		e.Hubs = append(e.Hubs, rest)
	case "served":
		e.Served = append(e.Served, rest)
	case "key":
		row, err := key(rest)
		if err != nil {
			return err
		}
		e.Keys = append(e.Keys, row)
	default:
		return fmt.Errorf("unknown word %q", word)
	}
	return nil
}

// key reads the words of a key's line.
func key(text string) (chain.KeyRow, error) {
	var words []string
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return chain.KeyRow{}, fmt.Errorf("a word in quotes is expected at %q", text)
		}
		w, err := strconv.Unquote(quoted)
		if err != nil {
			return chain.KeyRow{}, fmt.Errorf("word %s: %w", quoted, err)
		}
		words = append(words, w)
		text = text[len(quoted):]
	}
	if len(words) < 3 {
		return chain.KeyRow{}, errors.New("a key needs a version, a name and a property")
	}
	return chain.KeyRow{Version: words[0], Name: words[1], Property: words[2], Path: words[3:]}, nil
}
