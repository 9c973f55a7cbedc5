package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/operator/cluster/internal/upgrade"
)

// roleCommand prints the roles that the upgrade of a plan needs.
func roleCommand(s Streams) *cobra.Command {
	with, o := strataMigrator, upgrade.RoleOptions{}
	c := &cobra.Command{
		Use:   "role FILE",
		Short: "print the roles that the upgrade of a saved plan needs",
		Long: "role prints two ClusterRoles: strata-upgrade for the user who applies the plan, and strata-migrator for the\n" +
			"account of --as. They name the CRDs of the plan. The right to read or write all resources is in them only if\n" +
			"versions go, or owner references name such versions.",
		Example: "  strata cluster upgrade role plan.json | kubectl apply -f -\n  strata cluster upgrade role plan.json --with in-tree --evidence",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("role takes the file of a plan")
			}
			return checkMigrator(with)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			plan, err := upgrade.Read(args[0])
			if err != nil {
				return err
			}
			o.InTree = with == inTree
			return plan.Roles(s.Out, o)
		},
	}
	addMigrator(c, &with)
	c.Flags().BoolVar(&o.Evidence, "evidence", false, "add what --save-evidence of prune and verify needs")
	return c
}
