package journal

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// Journal is a file of records. Its methods are not safe for concurrent use.
type Journal struct {
	path string
	file *os.File
	held *os.File // the lock
	size int64    // of the whole records
	bad  error    // why nothing can be appended any more
}

// maxRecord is how long a line may be that is read.
const maxRecord = 64 << 20

// Open reads the records of a file in order and opens it for more. A file that is not there is made. Only
// the last record may be torn, by a process that was ended while writing it: it is removed, as nobody was
// told that it was taken. The file is held until Close; another process that opens it meanwhile fails.
func Open(path string, each func(record json.RawMessage) error) (*Journal, error) {
	j := &Journal{path: path}
	if err := j.open(each); err != nil {
		j.Close()
		return nil, fmt.Errorf("open journal %s: %w", path, err)
	}
	return j, nil
}

func (j *Journal) open(each func(json.RawMessage) error) (err error) {
	if j.held, err = os.OpenFile(j.path+".lock", os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return err
	}
	if err := hold(j.held); err != nil {
		return fmt.Errorf("another process has it: %w", err)
	}
	if j.file, err = os.OpenFile(j.path, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return err
	}
	if err := j.replay(each); err != nil {
		return err
	}
	if err := j.file.Truncate(j.size); err != nil {
		return err
	}
	_, err = j.file.Seek(j.size, io.SeekStart)
	return err
}

func (j *Journal) replay(each func(json.RawMessage) error) error {
	lines := bufio.NewScanner(j.file)
	lines.Buffer(nil, maxRecord)
	lines.Split(whole)
	for number := 1; lines.Scan(); number++ {
		record, err := open(lines.Bytes())
		if err != nil {
			return fmt.Errorf("record %d: %w", number, err)
		}
		if err := each(record); err != nil {
			return fmt.Errorf("record %d: %w", number, err)
		}
		j.size += int64(len(lines.Bytes())) + 1
	}
	return lines.Err()
}

// whole splits lines, and leaves out what follows the last end of a line.
func whole(data []byte, _ bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	return 0, nil, nil
}

// sumLength is how many hexadecimal digits of a checksum begin a line.
const sumLength = 8

func open(line []byte) (json.RawMessage, error) {
	if len(line) <= sumLength+1 {
		return nil, errors.New("it is too short")
	}
	record := line[sumLength+1:]
	if string(line[:sumLength]) != sum(record) {
		return nil, errors.New("its checksum differs")
	}
	return record, nil
}

func sum(record []byte) string {
	s := crc32.ChecksumIEEE(record)
	return hex.EncodeToString([]byte{byte(s >> 24), byte(s >> 16), byte(s >> 8), byte(s)})
}

// Append adds a record. After an error the journal takes nothing more: what the file ends with is not known.
func (j *Journal) Append(record any) error {
	if j.bad != nil {
		return j.bad
	}
	line, err := seal(record)
	if err != nil {
		return err
	}
	n, err := j.file.Write(line)
	if err != nil {
		j.bad = fmt.Errorf("append to journal %s: %w", j.path, err)
		return j.bad
	}
	j.size += int64(n)
	return nil
}

func seal(record any) ([]byte, error) {
	data, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	if len(data) > maxRecord-sumLength-2 {
		return nil, fmt.Errorf("a record has %d bytes, more than the limit of %d", len(data), maxRecord)
	}
	line := make([]byte, 0, sumLength+len(data)+2)
	line = append(line, sum(data)...)
	line = append(line, ' ')
	line = append(line, data...)
	return append(line, '\n'), nil
}

// Size is the file's length in bytes.
func (j *Journal) Size() int64 { return j.size }

// Replace puts other records in the place of all. It is whole or not done: the new file takes the old
// one's name when it is complete.
func (j *Journal) Replace(records func(add func(any) error) error) error {
	if err := j.replace(records); err != nil {
		return fmt.Errorf("replace journal %s: %w", j.path, err)
	}
	return nil
}

func (j *Journal) replace(records func(add func(any) error) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(j.path), filepath.Base(j.path)+".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	out := bufio.NewWriter(file)
	var size int64
	add := func(record any) error {
		line, err := seal(record)
		if err != nil {
			return err
		}
		size += int64(len(line))
		_, err = out.Write(line)
		return err
	}
	if err := errors.Join(records(add), out.Flush()); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), j.path); err != nil {
		return err
	}
	j.file.Close()
	j.file, j.size = file, size
	return nil
}

// Close lets go of the file.
func (j *Journal) Close() error {
	var errs []error
	for _, f := range []*os.File{j.file, j.held} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	j.bad = os.ErrClosed
	return errors.Join(errs...)
}
