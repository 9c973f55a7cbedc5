package converter

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script returns a command that runs a shell script.
func script(t *testing.T, text string) Command {
	t.Helper()
	file := filepath.Join(t.TempDir(), "converter")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Command{[]string{"/bin/sh", file}, time.Minute}
}

const success = `{"response":{"uid":"%d","convertedObjects":[%s],"result":{"status":"Success"}}}\n`

// TestConvert answers reviews by scripts.
func TestConvert(t *testing.T) {
	one, two := []json.RawMessage{json.RawMessage(`{}`)}, []json.RawMessage{json.RawMessage(`{"a":1}`), json.RawMessage(`{"poison":1}`)}
	for _, test := range []struct {
		reason, script string
		objects        []json.RawMessage
		want           []string // an object, or ! and the message of its error
		err            string   // the error of all
	}{
		{"one object", `read a; printf '` + success + `' 1 '{"x":1}'`, one, []string{`{"x":1}`}, ""},
		{
			"a poison object", `n=0; while read a; do n=$((n+1)); case "$a" in *poison*) printf '{"response":{"result":{"status":"Failure","message":"no\\u001b"}}}\n';;
				*) printf '` + success + `' $n '{"x":1}';; esac; done`, two, []string{`{"x":1}`, "!no "}, "",
		},
		{"the end", `exit 0`, one, nil, "converter"},
		{"a message of a program that ends", `read a; echo broken >&2; exit 1`, one, nil, "it reports: broken"},
		{"no JSON", `read a; echo hello`, one, nil, "read an answer"},
		{"an answer to another review", `read a; printf '` + success + `' 7 '{}'`, one, nil, "it is to another review"},
		{"too few objects", `read a; printf '` + success + `' 1 ''`, one, nil, "it has 0 objects, want 1"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			p, err := script(t, test.script).Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			results, err := p.Convert("a.b/v1", test.objects)
			if test.want == nil {
				if err == nil || !strings.Contains(err.Error(), test.err) && test.err != "converter" {
					t.Errorf("the error is %v, want %s", err, test.err)
				}
				return
			}
			if err != nil || len(results) != len(test.want) {
				t.Fatalf("%v, %v", results, err)
			}
			for i, r := range results {
				got := string(r.Object)
				if r.Err != nil {
					got = "!" + r.Err.Error()
				}
				if got != test.want[i] {
					t.Errorf("object %d is %q, want %q", i, got, test.want[i])
				}
			}
		})
	}
}

// TestConvertEnds checks that a program that does not answer ends with its context.
func TestConvertEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p, err := script(t, "read a; exec sleep 1000").Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	stop()
	if _, err := p.Convert("a.b/v1", []json.RawMessage{json.RawMessage(`{}`)}); err == nil {
		t.Error("it answered")
	}
}

// TestNoAnswerInTime checks that a program which does not answer in time ends.
func TestNoAnswerInTime(t *testing.T) {
	command := script(t, "read a; exec sleep 1000")
	command.Limit = 50 * time.Millisecond
	p, err := command.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Convert("a.b/v1", []json.RawMessage{json.RawMessage(`{}`)}); err == nil || !strings.Contains(err.Error(), "no answer within 50ms") {
		t.Errorf("the conversion: %v", err)
	}
	command = script(t, "exec sleep 1000")
	command.Limit = 50 * time.Millisecond
	if _, err := command.Ask(t.Context()); err == nil || !strings.Contains(err.Error(), "no answer within 50ms") {
		t.Errorf("the versions: %v", err)
	}
}

// TestAsk reads what programs report of their versions.
func TestAsk(t *testing.T) {
	v, err := script(t, `test "$1" = --versions && echo '{"format":1,"build":{"module":"m"},"kinds":[{"group":"a.b","kind":"C","versions":["v1"]}]}'`).Ask(t.Context())
	if err != nil || len(v.Kinds) != 1 || v.Kinds[0].Versions[0] != "v1" || v.Build["module"] != "m" {
		t.Errorf("%+v, %v", v, err)
	}
	for text, want := range map[string]string{
		`echo '{"format":2}'`:     "the format is 2, and this program reads 1",
		`echo no`:                 "invalid character",
		`echo broken >&2; exit 2`: "it reports: broken",
	} {
		if _, err := script(t, text).Ask(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
