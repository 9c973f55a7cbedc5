package diag

import (
	"os"
	"sync"
)

// Sources finds the bytes of the files in messages, for lines, columns and excerpts. It is safe for
// concurrent use. A nil *Sources has no files.
type Sources struct {
	read  func(file string) ([]byte, error)
	mu    sync.Mutex
	files map[string]*source
}

// source is a file with the index of its lines; a file that cannot be read has none.
type source struct {
	body  []byte
	lines *Lines
}

// NewSources returns Sources that read files that were not added with read, on demand and once. nil
// means os.ReadFile.
func NewSources(read func(file string) ([]byte, error)) *Sources {
	if read == nil {
		read = os.ReadFile
	}
	return &Sources{read: read, files: map[string]*source{}}
}

// Add adds the bytes of a file, which must not change afterwards.
func (s *Sources) Add(file string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[file] = &source{body: body}
}

// Body returns the bytes of a file; false if it cannot be read.
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

// Location is a position with line, column and excerpt.
type Location struct {
	// Line and Column count from 1; columns count characters.
	Line, Column int
	// Excerpt is the source line, cut to a window around the column. Caret is the number of
	// characters in Excerpt before the column.
	Excerpt string
	Caret   int
}

// Locate computes line, column and excerpt of a position. It returns false if the position is a
// whole file, or if the file cannot be read or has become shorter.
func (s *Sources) Locate(p Pos) (Location, bool) {
	if s == nil || p.File == "" || p.Offset < 0 {
		return Location{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	src := s.find(p.File)
	if src == nil || p.Offset > len(src.body) {
		return Location{}, false
	}
	return src.locate(p.Offset), true
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

func (s *source) locate(offset int) Location {
	line, text := s.lines.at(offset)
	start := s.lines.starts[line-1]
	before := min(offset-start, len(text))
	location := Location{Line: line, Column: s.lines.column(line, start+before)}
	location.Excerpt, location.Caret = window(s.body, start, text, before)
	return location
}
