// Command kubectl-check says whether command lines are what they claim to be: kubectl's own command tree looks at verb,
// flags and arguments, kubectl's own patching makes the patched object, which its type must read without a field left over.
// JSON lines come in on standard input ({"argv": [...], "objects": [...]}), one answer a line goes out:
// {"problems": [...], "patched": {...}}. No server is asked.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd"
)

type question struct {
	Argv    []string         `json:"argv"`
	Objects []map[string]any `json:"objects"`
}

type answer struct {
	Problems []string       `json:"problems"`
	Patched  map[string]any `json:"patched,omitempty"`
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(strings.TrimSpace(string(line))) > 0 {
			var asked question
			if err := json.Unmarshal(line, &asked); err != nil {
				fmt.Fprintln(os.Stderr, "kubectl-check:", err)
				os.Exit(1)
			}
			if err := out.Encode(answerTo(asked)); err != nil {
				os.Exit(1)
			}
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "kubectl-check:", err)
			os.Exit(1)
		}
	}
}

// answerTo judges one command; each gets a command tree of its own, since flags keep what they were given.
func answerTo(asked question) (said answer) {
	said.Problems = []string{}
	defer func() {
		if reason := recover(); reason != nil {
			said.Problems = append(said.Problems, fmt.Sprint("kubectl panics: ", reason))
		}
	}()
	if len(asked.Argv) == 0 || asked.Argv[0] != "kubectl" {
		said.Problems = append(said.Problems, "no kubectl command")
		return said
	}
	root := cmd.NewKubectlCommand(cmd.KubectlOptions{IOStreams: genericiooptions.NewTestIOStreamsDiscard()})
	found, rest, err := root.Find(asked.Argv[1:])
	if err == nil && found == root {
		err = fmt.Errorf("no such command: %q", asked.Argv[1:])
	}
	if err == nil {
		err = found.ParseFlags(rest)
	}
	if err == nil {
		err = found.ValidateRequiredFlags()
	}
	if err == nil {
		err = found.ValidateFlagGroups()
	}
	if err == nil {
		err = found.ValidateArgs(found.Flags().Args())
	}
	if err == nil {
		err = arguments(found, asked, &said)
	}
	if err != nil {
		said.Problems = append(said.Problems, err.Error())
	}
	return said
}

// arguments checks what a verb takes, as its Complete and Validate would with a server at hand.
func arguments(found *cobra.Command, asked question, said *answer) error {
	args := found.Flags().Args()
	path := strings.TrimPrefix(found.CommandPath(), "kubectl ")
	switch path {
	case "patch":
		return patchOf(found, args, asked, said)
	case "label", "annotate":
		return labels(found, args)
	case "taint":
		return taints(args)
	case "scale":
		if !found.Flags().Changed("replicas") {
			return fmt.Errorf("scale needs --replicas")
		}
		return named(args)
	case "delete", "get", "describe":
		selected := found.Flags().Lookup("filename").Changed || found.Flags().Changed("all")
		if selector := found.Flags().Lookup("selector"); selector != nil {
			selected = selected || selector.Changed
		}
		if path == "delete" && !selected {
			return named(args)
		}
		if len(args) == 0 && !selected && !found.Flags().Changed("raw") {
			return fmt.Errorf("%s names no resource", path)
		}
		return kindOf(args)
	case "apply", "replace", "create":
		if !found.Flags().Changed("filename") {
			return fmt.Errorf("%s needs -f", path)
		}
		return nil
	case "create priorityclass", "create namespace", "create serviceaccount", "create quota":
		if len(args) != 1 {
			return fmt.Errorf("%s takes one name: %q", path, args)
		}
		return nil
	case "cordon", "uncordon", "drain":
		if len(args) == 0 && !found.Flags().Changed("selector") {
			return fmt.Errorf("%s names no node", path)
		}
		return nil
	}
	return nil
}

// named wants a kind with names, or kind/name.
func named(args []string) error {
	if len(args) == 0 || (len(args) == 1 && !strings.Contains(args[0], "/")) {
		return fmt.Errorf("no name is given: %q", args)
	}
	return kindOf(args)
}

func kindOf(args []string) error {
	for _, arg := range args {
		if kind, _, found := strings.Cut(arg, "/"); found || arg == args[0] {
			for _, one := range strings.Split(kind, ",") {
				if !known(one) {
					return fmt.Errorf("no such resource: %q", one)
				}
			}
		}
		if slices.Contains(strings.Split(arg, "/"), "") {
			return fmt.Errorf("an empty name: %q", arg)
		}
	}
	return nil
}
