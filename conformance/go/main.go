// Command reference answers Aliquot's conformance cases with the reference implementations: the code that
// kube-scheduler itself links (k8s.io/dynamic-resource-allocation) and the CDI library that container
// runtimes link. JSON lines come in on standard input, one answer a line goes out on standard output, in order.
//
// It's built once per Kubernetes minor version (go.mod: 1.36, kubernetes-1.37.mod: 1.37); the sources are the same.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

const usage = `usage: reference VERB [flags] < cases.jsonl > answers.jsonl

verbs:
  cel          compile one expression and evaluate it on one device
  allocate     allocate the claims of a scenario on its nodes
  cdi          load, check and inject CDI specs
  measure-cel  time the compiler and the evaluator over many devices
  measure-cdi  time load and injection of CDI specs
  version      the Kubernetes minor version and the modules that answer
`

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func run(verb string, arguments []string) error {
	flags := flag.NewFlagSet(verb, flag.ExitOnError)
	repeat := flags.Int("repeat", 0, "time each call this many times and report the median (0: no timing)")
	switch verb {
	case "cel":
		_ = flags.Parse(arguments)
		return eachLine(answerCEL)
	case "measure-cel":
		_ = flags.Parse(arguments)
		return eachLine(func(line []byte, number int) (any, error) { return measureCEL(line, max(*repeat, 1)) })
	case "allocate":
		implementation := flags.String("implementation", "", "stable, incubating or experimental (default: as the features ask)")
		timeout := flags.Duration("timeout", 0, "cancel a search after this time, as kube-scheduler does after 10s (0: never)")
		_ = flags.Parse(arguments)
		allocator := allocation{implementation: *implementation, repeat: *repeat, timeout: *timeout}
		return eachLine(allocator.answer)
	case "cdi":
		_ = flags.Parse(arguments)
		return eachLine(answerCDI)
	case "measure-cdi":
		_ = flags.Parse(arguments)
		return eachLine(func(line []byte, number int) (any, error) { return measureCDI(line, max(*repeat, 1)) })
	case "version":
		return printVersion()
	}
	return fmt.Errorf("unknown verb %q\n%s", verb, usage)
}

// eachLine feeds every non-empty line of standard input to answer and prints what comes back.
func eachLine(answer func(line []byte, number int) (any, error)) error {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, readErr := in.ReadBytes('\n')
		if len(strings.TrimSpace(string(line))) > 0 {
			result, err := answer(line, number)
			if err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
			if err := encoder.Encode(result); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
			if in.Buffered() == 0 { // whoever asks line by line gets each answer at once
				if err := out.Flush(); err != nil {
					return err
				}
			}
		}
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if readErr != nil {
			return readErr
		}
	}
}

// kubernetesVersion is the minor version whose code this binary links, such as "1.36".
func kubernetesVersion() string {
	for path, version := range modules() {
		if path == "k8s.io/dynamic-resource-allocation" {
			parts := strings.SplitN(strings.TrimPrefix(version, "v0."), ".", 2)
			return "1." + parts[0]
		}
	}
	return ""
}

// checkVersion refuses a case that was written for another Kubernetes version than this binary's.
func checkVersion(wanted string) error {
	if wanted != "" && wanted != kubernetesVersion() {
		return fmt.Errorf("the case asks for Kubernetes %s, but this binary links %s", wanted, kubernetesVersion())
	}
	return nil
}

func modules() map[string]string {
	found := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			found[module.Path] = module.Version
		}
	}
	return found
}

func printVersion() error {
	linked := modules()
	fmt.Println("kubernetes", kubernetesVersion())
	for _, path := range []string{
		"k8s.io/dynamic-resource-allocation", "k8s.io/apiserver", "github.com/google/cel-go",
		"tags.cncf.io/container-device-interface",
	} {
		fmt.Println(path, linked[path])
	}
	return nil
}
