package cli

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/buildedit"
	"github.com/stratakube/strata/generator/internal/conversion"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
)

// The forms of results of convert alone.
const (
	diffs   = "diff"
	patches = "patch"
)

func (a *app) convert() *cobra.Command {
	var flags flags
	var request engine.ConvertRequest
	var to []string
	var check bool
	var converter string
	format := newFormat(yaml, json, diffs, patches)
	c := &cobra.Command{
		Use:   "convert PATH...",
		Short: "convert manifests to another API version, without a cluster",
		Long: "convert converts the objects in manifests: in files, in folders, and in the standard input (-). It\n" +
			"prints the manifests, and with --write it changes the files. Comments, order, quotes and anchors stay,\n" +
			"and all bytes outside of converted objects. Patches of kustomizations are converted, too.\n\n" +
			"It is an error if the version cannot express a value; --keep stores the value in the object, as the\n" +
			"webhook does. Nothing is written if there is an error.\n\n" +
			"The conversions are those of strata.yaml, or of --from: a plan file, which strata generate writes to\n" +
			"conversions/ of the output folder, a folder of such files or of CRDs, or a cluster (kube://CONTEXT).\n" +
			"The webhook of a project converts kinds with hand-written steps: name its command with --converter.",
		Example: "  strata convert --to v20190909 deploy/ --write\n" +
			"  strata convert --to v2 --from api/conversions/shop.json - < order.yaml\n" +
			"  strata convert --to Order=v2 --to Item=v3 --from crds deploy/ -o diff\n" +
			"  strata convert --to v2 --from kube://staging --check deploy/\n" +
			"  strata convert --to v2 --converter 'bin/webhook convert' deploy/",
		RunE: func(c *cobra.Command, args []string) (err error) {
			if err := convertUsage(c, args, to, check, &request); err != nil {
				return err
			}
			if request.Request, err = flags.request(a); err != nil {
				return err
			}
			request.Converter = converterOf(converter)
			request.Paths, request.In, request.Cluster = args, a.streams.In, a.askCluster
			result, err := within(c.Context(), func() (engine.ConvertResult, error) { return a.engine.Convert(c.Context(), request) })
			return a.converted(request, result, err, format, check)
		},
	}
	c.Flags().StringVar(&flags.config, "config", "strata.yaml", "the configuration file")
	completeFlag(c, "config", files("yaml", "yml"))
	c.Flags().StringArrayVar(&to, "to", nil, "the `version` to convert to, or KIND=VERSION; may be repeated")
	c.Flags().StringArrayVar(&request.From, "from", nil, "where the plans are: a `source`, which is a plan file, a folder of plan files or CRDs, or kube://CONTEXT; may be repeated")
	c.Flags().BoolVarP(&request.Write, "write", "w", false, "write the files, and print how many have changed")
	c.Flags().BoolVar(&check, "check", false, "write nothing, list the files that would change, and exit with 1 if there are any")
	c.Flags().BoolVar(&request.Keep, "keep", false, "store what the version cannot express in the object")
	c.Flags().StringVar(&converter, "converter", "", "the `command` that converts kinds with hand-written steps, as in 'bin/webhook convert'; default the program "+conversion.ProgramPrefix+"GROUP")
	format.add(c)
	return c
}

// groupName matches names of groups, which are parts of names of programs.
var groupName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// converterOf returns the command lines of programs that convert groups: that of the user, or else
// the program of the group's name, beside strata or in PATH.
func converterOf(command string) func(group string) []string {
	return func(group string) []string {
		if words := strings.Fields(command); len(words) > 0 {
			return words
		}
		if !groupName.MatchString(group) {
			return nil
		}
		if program, found := findExternal(strings.TrimPrefix(conversion.ProgramPrefix, prefix) + group); found {
			return []string{program, "convert"}
		}
		return nil
	}
}

// convertUsage reads the versions of a command line, and refuses what does not fit together.
func convertUsage(c *cobra.Command, args, to []string, check bool, r *engine.ConvertRequest) error {
	switch {
	case len(args) == 0:
		return wrongUsage(c, fmt.Errorf("%s takes files or folders with manifests, or - for the standard input", c.CommandPath()))
	case len(to) == 0:
		return wrongUsage(c, fmt.Errorf("%s requires --to, the version to convert to", c.CommandPath()))
	case check && r.Write:
		return wrongUsage(c, fmt.Errorf("--check writes nothing: use it without --write"))
	case r.Write && slices.Contains(args, "-"):
		return wrongUsage(c, fmt.Errorf("--write changes files, and the standard input is none"))
	}
	r.Versions = map[string]string{}
	for _, text := range to {
		kind, version, isOfKind := strings.Cut(text, "=")
		switch {
		case isOfKind && kind != "" && version != "":
			r.Versions[kind] = version
		case isOfKind || text == "" || r.To != "":
			return wrongUsage(c, fmt.Errorf("--to takes one version, and versions of kinds as in Order=v2: %q", text))
		default:
			r.To = text
		}
	}
	return nil
}

// converted prints the result of strata convert.
func (a *app) converted(request engine.ConvertRequest, result engine.ConvertResult, err error, format *format, check bool) error {
	end(request.Request, err)
	failed := request.Messages.Err() != nil
	changed := changedFiles(result)
	if check && !failed && len(changed) > 0 {
		a.code = Findings
		request.Messages.Add(diag.Errorf(diag.Pos{}, "%s not in the version that is wanted", counted(len(changed), "file is", "files are")).WithHint("run the command with --write in place of --check"))
	}
	a.print(request.Messages.Messages(), request.Sources)
	if failed {
		a.code = Failed
		return nil
	}
	var out string
	switch {
	case check:
		for _, f := range changed {
			out += f.Name + "\n"
		}
	case request.Write:
		if a.quiet {
			return nil
		}
		objects := 0
		for _, f := range changed {
			objects += f.Converted()
		}
		out = fmt.Sprintf("converted %s in %s\n", counted(objects, "object", "objects"), counted(len(changed), "file", "files"))
	default:
		if out, err = convertedText(result, format.value); err != nil {
			return err
		}
	}
	return emit(a.streams.Out, out)
}

func changedFiles(result engine.ConvertResult) []*conversion.Result {
	return slices.DeleteFunc(slices.Clone(result.Files), func(f *conversion.Result) bool { return f.After == f.Text })
}

// convertedText prints the files in a form.
func convertedText(result engine.ConvertResult, form string) (string, error) {
	switch form {
	case json:
		return conversion.JSON(result.Files)
	case patches:
		return conversion.Patches(result.Files)
	case diffs:
		var out strings.Builder
		for _, f := range changedFiles(result) {
			out.Write(buildedit.Patch(strings.TrimPrefix(filepath.ToSlash(f.Name), "/"), []byte(f.Text), []byte(f.After)))
		}
		return out.String(), nil
	}
	var out strings.Builder
	for i, f := range result.Files {
		if text := out.String(); i > 0 && !strings.HasPrefix(f.After, "---") {
			if text != "" && !strings.HasSuffix(text, "\n") {
				out.WriteString("\n")
			}
			out.WriteString("---\n")
		}
		out.WriteString(f.After)
	}
	return out.String(), nil
}
