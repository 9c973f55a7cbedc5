package output

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// fileState identifies what a file contains without reading it. The system changes it with each
// write: users cannot set the time of the last change of an inode, as they can that of its data. It
// is the zero value where the system has no such time.
type fileState struct {
	size, modified, changed int64
	device, inode           uint64
}

// youngest is the age from which on a file's state identifies what it contains. A file that was
// written twice within one tick of the file system's clock may have one state with two contents.
var youngest = 2 * time.Second // a variable for tests

// stable returns the state of a file, or the zero value if it does not identify what a reader gets
// from now on.
func stable(info fs.FileInfo, now time.Time) fileState {
	s := stateOf(info)
	if !info.Mode().IsRegular() || now.UnixNano()-max(s.changed, s.modified) < int64(youngest) {
		return fileState{}
	}
	return s
}

// Sums stores the digests of files with the states in which they had them, so that a file whose
// state is unchanged need not be read again. It is a cache: without it, all files are read. The
// methods are safe for concurrent use. A nil *Sums stores nothing.
type Sums struct {
	file  string // in the cache folder
	known map[string]knownSum

	mu    sync.Mutex
	fresh map[string]knownSum // of this run, by path
	read  int                 // how many files were read
}

type knownSum struct {
	state fileState
	sum   Digest
}

// ReadSums returns the digests that earlier runs stored about an output folder, under a name for
// their purpose. They are none if the file is missing or damaged.
func ReadSums(dir, purpose string) *Sums {
	s := &Sums{known: map[string]knownSum{}}
	var body []byte
	if s.file, body = readCache(dir, "."+purpose); body == nil {
		return s
	}
	known := make(map[string]knownSum, bytes.Count(body, []byte("\n")))
	for line := range strings.Lines(string(body)) {
		name, row, ok := parseSum(line)
		if !ok {
			return s
		}
		known[name] = row
	}
	s.known, s.fresh = known, make(map[string]knownSum, len(known))
	return s
}

// sum returns the digest of a file. It reads the file unless its state is the one that is stored.
func (s *Sums) sum(w *worker, file string) (Digest, error) {
	if s == nil {
		return w.sum(file)
	}
	info, err := os.Stat(file)
	if err != nil {
		return Digest{}, err
	}
	now := stable(info, time.Now())
	row, ok := s.known[file]
	isRead := !ok || now == fileState{} || row.state != now
	if isRead {
		row.state = now
		if row.sum, err = w.sum(file); err != nil {
			return Digest{}, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if isRead {
		s.read++
	}
	if now != (fileState{}) {
		if s.fresh == nil {
			s.fresh = map[string]knownSum{}
		}
		s.fresh[file] = row
	}
	return row.sum, nil
}

// Of returns the digest of a file below a folder.
func (s *Sums) Of(dir, name string) (Digest, error) { return s.sum(new(worker), onDisk(dir, name)) }

// Write stores the digests of the files that this run has asked for. It writes nothing if these are
// the ones that are stored.
func (s *Sums) Write() error {
	if s == nil || s.file == "" || s.read == 0 && len(s.fresh) == len(s.known) {
		return nil
	}
	var text []byte
	for name, row := range s.fresh {
		if !strings.ContainsAny(name, "\n\t") {
			text = appendSum(text, name, row)
		}
	}
	if err := writeCache(s.file, text); err != nil {
		return fmt.Errorf("write digests: %w", err)
	}
	return nil
}

// appendSum appends a line: the path, the state and the digest.
func appendSum(out []byte, name string, row knownSum) []byte {
	out = append(append(out, name...), '\t')
	for _, n := range []int64{row.state.size, row.state.modified, row.state.changed} {
		out = append(strconv.AppendInt(out, n, 10), '\t')
	}
	for _, n := range []uint64{row.state.device, row.state.inode} {
		out = append(strconv.AppendUint(out, n, 10), '\t')
	}
	text, _ := row.sum.MarshalText()
	return append(append(out, text...), '\n')
}

// parseSum parses a line that appendSum wrote.
func parseSum(line string) (name string, row knownSum, ok bool) {
	rest, ok := strings.CutSuffix(line, "\n")
	var fields [6]string
	for i := range fields {
		if fields[i], rest, ok = cutField(rest, ok); !ok {
			return "", knownSum{}, false
		}
	}
	var errs [6]error
	row.state.size, errs[0] = strconv.ParseInt(fields[1], 10, 64)
	row.state.modified, errs[1] = strconv.ParseInt(fields[2], 10, 64)
	row.state.changed, errs[2] = strconv.ParseInt(fields[3], 10, 64)
	row.state.device, errs[3] = strconv.ParseUint(fields[4], 10, 64)
	row.state.inode, errs[4] = strconv.ParseUint(fields[5], 10, 64)
	errs[5] = row.sum.UnmarshalText([]byte(rest))
	return fields[0], row, errs == [6]error{}
}

func cutField(rest string, ok bool) (field, after string, found bool) {
	field, after, found = strings.Cut(rest, "\t")
	return field, after, ok && found
}
