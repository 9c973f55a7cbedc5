package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	current, err := r.Current(ctx, head)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(r.checkVersions(ctx, head), r.checkModFiles(ctx, head, current)); err != nil {
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

// Publishing is how tags are published.
type Publishing struct {
	Command string
	Note    string // what the command does not do; empty if it publishes all of a release
}

// Push returns the command that publishes tags with the commit that is checked out, all or none.
// The commit goes to the upstream of the branch that is checked out. If none is, it goes to the
// default branch of origin, unless that has the commit, or commits that this one does not have.
func (r *Release) Push(ctx context.Context, tags []string) (Publishing, error) {
	remote, ref, note, err := r.destination(ctx)
	if err != nil {
		return Publishing{}, err
	}
	words := append([]string{"git push --atomic", remote}, tags...)
	if ref != "" {
		words = slices.Insert(words, 2, ref)
	}
	return Publishing{strings.Join(words, " "), note}, nil
}

// destination returns a remote, and the branch that a push names besides tags, as git push does;
// empty for none. The note says why the commit comes to no branch then.
func (r *Release) destination(ctx context.Context) (remote, ref, note string, err error) {
	const origin = "origin"
	out, err := r.Repository.Git(ctx, "branch", "--show-current")
	if err != nil {
		return "", "", "", err
	}
	if branch := strings.TrimSpace(out); branch != "" {
		out, err = r.Repository.Git(ctx, "for-each-ref", "--format=%(upstream:remotename) %(upstream:remoteref)", "refs/heads/"+branch)
		remote, to, _ := strings.Cut(strings.TrimSpace(out), " ")
		if to = strings.TrimPrefix(to, "refs/heads/"); to != "" && to != branch {
			branch += ":" + to
		}
		return cmp.Or(remote, origin), branch, "", err
	}
	out, err = r.Repository.Git(ctx, "for-each-ref", "--format=%(symref)", "refs/remotes/"+origin+"/HEAD")
	if err != nil {
		return "", "", "", err
	}
	tracking := strings.TrimSpace(out)
	if tracking == "" {
		return origin, "", "no branch is checked out, and the default branch of origin is not known: only the tags are pushed", nil
	}
	branch := strings.TrimPrefix(tracking, "refs/remotes/"+origin+"/")
	ahead, behind, err := r.distance(ctx, tracking)
	switch {
	case err != nil:
		return "", "", "", err
	case ahead == 0: // origin has the commit
		return origin, "", "", nil
	case behind == 0:
		return origin, "HEAD:" + branch, "", nil
	}
	return origin, "", fmt.Sprintf("no branch is checked out, and %s of origin has other commits: only the tags are pushed; merge the commit into %[1]s, so that it requires the released versions", branch), nil
}

// distance counts the commits that the one checked out has and ref does not, and the reverse.
func (r *Release) distance(ctx context.Context, ref string) (ahead, behind int, err error) {
	out, err := r.Repository.Git(ctx, "rev-list", "--left-right", "--count", "HEAD..."+ref)
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscan(out, &ahead, &behind)
	return ahead, behind, err
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
