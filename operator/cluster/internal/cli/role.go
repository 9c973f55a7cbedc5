package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/operator/cluster/internal/upgrade"
)

// roleCommand prints the roles that the upgrade of a plan needs.
func roleCommand(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "role FILE",
		Short: "print the roles that the upgrade of a saved plan needs",
		Long: "role prints two ClusterRoles: strata-upgrade for the user who applies the plan, and strata-migrator for the\n" +
			"account of --as. They name the CRDs of the plan. The right to read or write all resources is in them only if\n" +
			"versions go, or owner references name such versions.",
		Example: "  strata cluster upgrade role plan.json | kubectl apply -f -",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("role takes the file of a plan")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			plan, err := upgrade.Read(args[0])
			if err != nil {
				return err
			}
			return plan.Roles(s.Out)
		},
	}
}
