package doctor

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/subprocess"
)

// Repository finds which of some files git ignores, or has not committed as they are. Folders stand
// for the files below them. There is nothing to find where there is no repository.
func Repository(ctx context.Context, paths ...string) ([]Finding, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, nil
	}
	dir := filepath.Dir(paths[0])
	args := []string{"-c", "core.quotePath=false", "status", "--porcelain", "--ignored", "--untracked-files=normal", "--"}
	var words []string
	for _, path := range paths {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		args, words = append(args, absolute), append(words, quoted(relative(absolute)))
	}
	out, err := subprocess.New(ctx, dir, "git", args...).Print()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, nil // no repository
	}
	var ignored, changed []string
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\r\n")
		if name, isIgnored := strings.CutPrefix(line, "!! "); isIgnored {
			ignored = append(ignored, name)
		} else if len(line) > 3 {
			changed = append(changed, line[3:])
		}
	}
	list, commit := strings.Join(words, " "), "git commit -m 'Generate with strata' -- "
	switch {
	case len(ignored) > 0:
		return []Finding{{
			ID: "ignored", Severity: Error, Subject: ignored[0],
			Explanation: "git ignores " + some(ignored) + ": without the ledger, the next run on another machine can change what is stored",
			Command:     "git add --force " + list + " && " + commit + list,
		}}, nil
	case len(changed) > 0:
		return []Finding{{
			ID: "not-committed", Severity: Warning, Subject: changed[0],
			Explanation: "git has not committed " + some(changed) + ": configuration, ledger and manifest belong together in one commit",
			Command:     "git add --force " + list + " && " + commit + list,
		}}, nil
	}
	return nil, nil
}

// some names the first few of many.
func some(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:few], ", ") + " and others"
}
