package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// TagOptions configure Tag.
type TagOptions struct {
	Sign      bool // git signs the tags
	Unchecked bool // the commit need not have passed Check
}

// Tag adds an annotated tag to the commit that is checked out, for each module whose version of
// releases.yaml has none. It returns the tags, and adds all or none. A tag never moves: the go
// command and its checksum database store what a version contained at first.
func (r *Release) Tag(ctx context.Context, o TagOptions) (tags []string, err error) {
	if err := r.Repository.Clean(ctx); err != nil {
		return nil, err
	}
	head, err := r.Repository.Head(ctx)
	if err != nil {
		return nil, err
	}
	pending, err := r.Pending(ctx)
	if err != nil {
		return nil, err
	}
	if len(pending) == 0 {
		return nil, errors.New("all versions of releases.yaml have tags: run release:prepare first")
	}
	if passed := r.passed(); passed != head && !o.Unchecked {
		return nil, fmt.Errorf("commit %.12s has not passed release:check", head)
	}
	if err := errors.Join(r.checkVersions(ctx, head), r.checkModFiles(ctx, head)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			for _, tag := range tags {
				err = errors.Join(err, r.Repository.Remove(context.WithoutCancel(ctx), tag))
			}
			tags = nil
		}
	}()
	for _, m := range pending {
		version := r.Settings.Versions[m.Name]
		tag := TagOf(m, version)
		if err := r.Repository.Tag(ctx, tag, head, fmt.Sprintf("%s %s", m.Path, version), o.Sign); err != nil {
			return tags, err
		}
		tags = append(tags, tag)
	}
	return tags, nil
}

// Push returns the command that publishes tags with the branch that is checked out, all or none.
func (r *Release) Push(ctx context.Context, tags []string) (string, error) {
	branch, err := r.Repository.Git(ctx, "rev-parse", "--abbrev-ref", "HEAD")
	if err != nil {
		return "", err
	}
	return "git push --atomic origin " + strings.TrimSpace(branch) + " " + strings.Join(tags, " "), nil
}

// passed returns the commit that has passed Check last.
func (r *Release) passed() string {
	text, err := os.ReadFile(r.passedFile())
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func (r *Release) pass(commit string) error {
	return os.WriteFile(r.passedFile(), []byte(commit+"\n"), 0o666)
}

func (r *Release) passedFile() string {
	out, err := r.Repository.Git(context.Background(), "rev-parse", "--git-path", "strata-release-checked")
	if err != nil {
		return ""
	}
	name := strings.TrimSpace(out)
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Workspace.Root, name)
	}
	return name
}
