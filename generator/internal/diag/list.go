package diag

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// List collects messages. The zero value is an empty list. All methods are safe for concurrent use.
type List struct {
	mu       sync.Mutex
	messages []Message
}

// Add adds messages to the list.
func (l *List) Add(messages ...Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.messages = append(l.messages, messages...)
}

// Errorf adds an error.
func (l *List) Errorf(pos Pos, format string, args ...any) { l.Add(Errorf(pos, format, args...)) }

// Warnf adds a warning.
func (l *List) Warnf(pos Pos, format string, args ...any) { l.Add(Warnf(pos, format, args...)) }

// Notef adds a note.
func (l *List) Notef(pos Pos, format string, args ...any) { l.Add(Notef(pos, format, args...)) }

// AddError adds the messages of an error: of a Message, a *Failure or a join of these, also if it
// is wrapped. It drops the text of wrappers, since the position is more precise. Any other error
// becomes one message without a position. Nil adds nothing.
func (l *List) AddError(err error) { l.Add(messagesOf(err)...) }

// Messages returns a copy of the messages, sorted and without duplicates.
func (l *List) Messages() []Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	return sorted(slices.Clone(l.messages))
}

// Count returns the number of different messages of a severity.
func (l *List) Count(severity Severity) int { return count(l.Messages(), severity) }

// Err returns nil if the list has no errors. Otherwise it returns a *Failure with all messages,
// including warnings and notes.
func (l *List) Err() error {
	messages := l.Messages()
	if count(messages, Error) == 0 {
		return nil
	}
	return &Failure{messages: messages}
}

// Failure is an error that consists of a list with at least one error.
type Failure struct{ messages []Message }

// Messages returns the messages, sorted. Do not change them.
func (f *Failure) Messages() []Message { return f.messages }

// Error returns the first error, and the number of others.
func (f *Failure) Error() string {
	first := f.messages[slices.IndexFunc(f.messages, func(m Message) bool { return m.Severity == Error })]
	switch n := count(f.messages, Error) - 1; n {
	case 0:
		return first.Error()
	case 1:
		return first.Error() + " (and 1 more error)"
	default:
		return fmt.Sprintf("%s (and %d more errors)", first.Error(), n)
	}
}

func messagesOf(err error) []Message {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []Message
		for _, one := range joined.Unwrap() {
			all = append(all, messagesOf(one)...)
		}
		return all
	}
	var failure *Failure
	if errors.As(err, &failure) {
		return failure.messages
	}
	var message Message
	if errors.As(err, &message) {
		return []Message{message}
	}
	return []Message{{Severity: Error, Text: err.Error()}}
}

func sorted(messages []Message) []Message {
	slices.SortFunc(messages, Message.compare)
	return slices.Compact(messages)
}

func count(messages []Message, severity Severity) int {
	n := 0
	for _, m := range messages {
		if m.Severity == severity {
			n++
		}
	}
	return n
}
