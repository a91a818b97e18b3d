package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"
)

// labels checks KEY=VALUE and KEY- as kubectl label does.
func labels(found *cobra.Command, args []string) error {
	var names []string
	pairs := 0
	for _, arg := range args {
		key, value, set := strings.Cut(arg, "=")
		if !set && !strings.HasSuffix(arg, "-") {
			names = append(names, arg)
			continue
		}
		pairs++
		said := validation.IsQualifiedName(strings.TrimSuffix(key, "-"))
		if set && found.Name() == "label" {
			said = append(said, validation.IsValidLabelValue(value)...)
		}
		if len(said) > 0 {
			return fmt.Errorf("%q: %s", arg, strings.Join(said, "; "))
		}
	}
	if pairs == 0 {
		return errors.New("no label is given")
	}
	if found.Flags().Changed("all") || found.Flags().Changed("selector") {
		return kindOf(names)
	}
	return named(names)
}

// taints checks KEY[=VALUE]:EFFECT and KEY[:EFFECT]- as kubectl taint does.
func taints(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("taint needs a kind, a node and a taint: %q", args)
	}
	specs := 0
	for _, arg := range args[1:] {
		removed := strings.HasSuffix(arg, "-")
		word, effect, colon := strings.Cut(strings.TrimSuffix(arg, "-"), ":")
		key, value, _ := strings.Cut(word, "=")
		if !removed && !colon {
			continue // a node's name
		}
		specs++
		said := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...)
		if colon && effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute" {
			said = append(said, "no such effect: "+effect)
		}
		if len(said) > 0 {
			return fmt.Errorf("%q: %s", arg, strings.Join(said, "; "))
		}
	}
	if specs == 0 {
		return errors.New("no taint is given")
	}
	return kindOf(args[:1])
}
