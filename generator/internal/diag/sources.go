package diag

import (
	"os"
	"sync"
)

// Sources finds the bytes of the files that messages speak of, so that lines,
// columns and excerpts can be shown. It may be used from several goroutines; a
// nil *Sources knows no file.
type Sources struct {
	read  func(file string) ([]byte, error)
	mu    sync.Mutex
	files map[string]*source
}

// source is a file with its line starts; a file that cannot be read has none.
type source struct {
	body  []byte
	lines *Lines
}

// NewSources reads files that were not added through read, on demand and once;
// nil means os.ReadFile.
func NewSources(read func(file string) ([]byte, error)) *Sources {
	if read == nil {
		read = os.ReadFile
	}
	return &Sources{read: read, files: map[string]*source{}}
}

// Add gives the bytes of a file, which must not change afterwards.
func (s *Sources) Add(file string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[file] = &source{body: body}
}

// Body gives the bytes of a file; false if it cannot be read.
func (s *Sources) Body(file string) ([]byte, bool) {
	if s == nil {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	src := s.find(file)
	if src == nil {
		return nil, false
	}
	return src.body, true
}

// Place is a position as people read it.
type Place struct {
	// Line and Column count from 1; columns count characters.
	Line, Column int
	// Excerpt is the source line, cut to a window around the column, and Caret
	// the number of characters in Excerpt before the column.
	Excerpt string
	Caret   int
}

// Place works out line, column and excerpt. It is false when the position is
// about the file as a whole, the file cannot be read, or is shorter by now.
func (s *Sources) Place(p Pos) (Place, bool) {
	if s == nil || p.File == "" || p.Offset < 0 {
		return Place{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	src := s.find(p.File)
	if src == nil || p.Offset > len(src.body) {
		return Place{}, false
	}
	return src.place(p.Offset), true
}

func (s *Sources) find(file string) *source {
	src, known := s.files[file]
	if !known {
		if body, err := s.read(file); err == nil {
			src = &source{body: body}
		}
		s.files[file] = src
	}
	if src != nil && src.lines == nil {
		src.lines = NewLines(src.body)
	}
	return src
}

func (s *source) place(offset int) Place {
	line, text := s.lines.at(offset)
	start := s.lines.starts[line-1]
	before := min(offset-start, len(text))
	place := Place{Line: line, Column: s.lines.column(line, start+before)}
	place.Excerpt, place.Caret = window(text, before)
	return place
}
