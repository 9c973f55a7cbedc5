package tutorial_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// makesImages follows a project's Dockerfile without containers. It runs the commands of the
// build stage, and checks that the other stages copy and start files that exist then.
func (s shell) makesImages(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	there := func(name string) bool {
		_, err := os.Stat(strings.Replace(name, "/out", out, 1))
		return err == nil && strings.HasPrefix(name, "/out/")
	}
	stages, stage := map[string]map[string]bool{}, "" // and what is copied into each
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		switch words[0] {
		case "FROM":
			if len(words) != 4 || words[2] != "AS" || !strings.Contains(words[1], ":") {
				t.Fatalf("no stage: %s", line)
			}
			stage = words[3]
			stages[stage] = map[string]bool{}
		case "WORKDIR":
		case "ENV":
			s.env = append(s.env, words[1:]...)
		case "RUN":
			if printed, err := s.run(t, strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(line), "RUN "), "/out", out)); err != nil {
				t.Fatalf("%s%v\n%s", line, err, printed)
			}
		case "COPY":
			if from, has := strings.CutPrefix(words[1], "--from="); has {
				if stages[from] == nil || !there(words[2]) {
					t.Errorf("what is copied is not there: %s", line)
				}
				stages[stage][words[3]] = true
			}
		case "ENTRYPOINT":
			var command []string
			if err := json.Unmarshal([]byte(strings.TrimPrefix(strings.TrimSpace(line), "ENTRYPOINT ")), &command); err != nil || len(command) == 0 || !stages[stage][command[0]] {
				t.Errorf("what is started is not there: %s", line)
			}
		default:
			t.Errorf("no instruction that is known here: %s", line)
		}
	}
	for _, name := range []string{"webhook", "operator"} {
		if stages[name] == nil || !there(path.Join("/out", name)) {
			t.Errorf("there is no image of the %s", name)
		}
	}
	lock, err := os.ReadFile(filepath.Join(out, "plugins", "strata-plugins.lock"))
	if err != nil || !strings.Contains(string(lock), "strata-arm") {
		t.Errorf("the plugin is not locked: %s (%v)", lock, err)
	}
}
