package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/terminal"
)

// looking has the flags of the commands that read or change a StorageUpgrade.
type looking struct {
	access
	form string
}

// command returns a command that takes the name of an upgrade.
func (l *looking) command(use, short, long string, run func(context.Context, record.Store, *record.Upgrade) error) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Long: long,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return errors.New("name one upgrade, or none if the cluster has only one")
			case l.form != "table" && l.form != "json":
				return fmt.Errorf("-o is table or json, not %q", l.form)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			on, err := l.open()
			if err != nil {
				return err
			}
			store := record.Store{Client: on.objects}
			u, err := store.Get(c.Context(), first(args))
			if err != nil {
				return err
			}
			return run(c.Context(), store, u)
		},
	}
	l.add(c)
	c.Flags().StringVarP(&l.form, "output", "o", "table", "the `form` of the result: table or json")
	return c
}

func statusCommand(s Streams) *cobra.Command {
	var l looking
	return l.command("status [NAME]", "show what an upgrade has done",
		"status shows the stages of an upgrade, and the counts of its kinds. It exits with 1 if the goal is not reached.",
		func(_ context.Context, _ record.Store, u *record.Upgrade) error {
			if err := show(s.Out, l.form, (*state)(u)); err != nil {
				return err
			}
			if !meta.IsStatusConditionTrue(u.Status.Conditions, record.Done) {
				return errFindings
			}
			return nil
		})
}

func pauseCommand(s Streams) *cobra.Command  { return pausing(s, "pause", true) }
func resumeCommand(s Streams) *cobra.Command { return pausing(s, "resume", false) }

func pausing(s Streams, name string, on bool) *cobra.Command {
	var l looking
	what := map[bool]string{true: "stop", false: "let go on"}[on]
	return l.command(name+" [NAME]", what+" the process that works on an upgrade",
		name+" sets spec.paused of an upgrade. The process that works on it follows within seconds.",
		func(ctx context.Context, store record.Store, u *record.Upgrade) error {
			u, err := store.Set(ctx, u.Name, map[string]any{"paused": on})
			if err != nil {
				return err
			}
			return show(s.Out, l.form, (*state)(u))
		})
}

func resourceCommand(s Streams) *cobra.Command {
	return &cobra.Command{
		Use: "crd", Short: "print the CRD of StorageUpgrade", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := s.Out.Write(record.Manifest)
			return err
		},
	}
}

// state prints an upgrade.
type state record.Upgrade

// Table prints it as text.
func (u *state) Table(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n", u.Name, u.Spec.Goal)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "STAGE\tDONE\tMESSAGE")
	for _, s := range u.Status.Stages {
		message, _, _ := strings.Cut(s.Message, "\n")
		fmt.Fprintf(t, "%s\t%t\t%s\n", s.Name, s.Done, terminal.Line(message))
	}
	_ = t.Flush() // the writer's own error is returned to the caller
	fmt.Fprintln(t, "KIND\tOBJECTS\tWRITTEN\tUNCHANGED\tLEFT\tPOISON\tPROVED IN")
	for _, k := range u.Status.Kinds {
		proved := "-"
		if k.Evidence != nil {
			proved = k.Evidence.Version
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%s\n", k.CRD, k.Objects, k.Written, k.Unchanged, k.Left, k.Poison, proved)
		for _, e := range k.Examples {
			fmt.Fprintf(t, "  %s\n", terminal.Line(e.Object+": "+e.Reason))
		}
	}
	_ = t.Flush()
}
