package targets

import (
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/release"
	"github.com/stratakube/strata/tools/build/steps"
)

// releasing is a verb of one step on the releases of the current folder.
func releasing(ctx context.Context, name string, act func(context.Context, *release.Release) error) error {
	return do(ctx, one(name, func(ctx context.Context, w *modules.Workspace) error {
		r, err := release.Open(w.Root)
		if err != nil {
			return err
		}
		return act(ctx, r)
	}))
}

// ReleasePlan prints what changed since the last releases, and the versions that follow.
func ReleasePlan(ctx context.Context) error {
	return releasing(ctx, "release:plan", func(ctx context.Context, r *release.Release) error {
		plan, err := r.Plan(ctx)
		fmt.Print(plan)
		return err
	})
}

// ReleasePrepare commits the files of a release. versions are separated by commas.
func ReleasePrepare(ctx context.Context, versions string) error {
	return releasing(ctx, "release:prepare", func(ctx context.Context, r *release.Release) error {
		var wanted []string
		if versions != "next" {
			wanted = strings.Split(versions, ",")
		}
		plan, err := r.Prepare(ctx, wanted...)
		fmt.Print(plan)
		return err
	})
}

// ReleaseCheck runs the gates on the prepared commit.
func ReleaseCheck(ctx context.Context) error {
	w, err := modules.Find(".")
	if err != nil {
		return err
	}
	r, err := release.Open(w.Root)
	if err != nil {
		return err
	}
	isTerminal := term.IsTerminal(int(os.Stderr.Fd()))
	var gates []steps.Step
	remove := func() {}
	err = steps.Follow(ctx, os.Stderr, isTerminal, steps.Step{Name: "packs", Do: func(ctx context.Context) (err error) {
		gates, remove, err = r.Check(ctx)
		return err
	}})
	if err != nil {
		return err
	}
	defer remove()
	return steps.Follow(ctx, os.Stderr, isTerminal, gates...)
}

// ReleaseTag adds the tags of the prepared commit.
func ReleaseTag(ctx context.Context, sign bool) error {
	return releasing(ctx, "release:tag", func(ctx context.Context, r *release.Release) error {
		tags, err := r.Tag(ctx, release.TagOptions{Sign: sign})
		if err != nil {
			return err
		}
		push, err := r.Push(ctx, tags)
		if err == nil {
			if push.Note != "" {
				fmt.Fprintln(os.Stderr, push.Note)
			}
			fmt.Fprintln(os.Stderr, "nothing is pushed; this command does it")
			fmt.Println(push.Command)
		}
		return err
	})
}

// ReleaseTags checks all tags.
func ReleaseTags(ctx context.Context, published bool) error {
	return releasing(ctx, "release:tags", func(ctx context.Context, r *release.Release) error {
		n, err := r.Verify(ctx, published)
		if err == nil {
			fmt.Printf("tags that are verified: %d\n", n)
		}
		return err
	})
}
