package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubectl/pkg/scheme"
)

var strict = jsonserializer.NewSerializerWithOptions(
	jsonserializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, jsonserializer.SerializerOptions{Strict: true})

// kinds is every kind that kubectl's scheme knows, by the words that name it on the command line.
var kinds = func() map[string]bool {
	found := map[string]bool{"pvc": true, "pv": true, "sc": true, "deploy": true, "ds": true, "sts": true, "rs": true,
		"rc": true, "cm": true, "sa": true, "ns": true, "no": true, "po": true, "quota": true, "limits": true, "pc": true,
		"pdb": true, "svc": true, "all": true, "ev": true, "cj": true, "crd": true, "customresourcedefinition": true}
	for known := range scheme.Scheme.AllKnownTypes() {
		plural, singular := meta.UnsafeGuessKindToResource(known)
		found[plural.Resource], found[singular.Resource] = true, true
		found[plural.Resource+"."+plural.Group] = true
	}
	return found
}()

// known is whether a word names a kind; one with a group (clusterpolicies.nvidia.com) may be a custom one.
func known(word string) bool {
	word = strings.ToLower(word)
	if kinds[word] {
		return true
	}
	_, group, found := strings.Cut(word, ".")
	return found && strings.Contains(group, ".")
}

// patchOf applies the patch to the object of the input and reads what comes out as its type, strictly.
func patchOf(found *cobra.Command, args []string, asked question, said *answer) error {
	if err := named(args); err != nil {
		return err
	}
	text, _ := found.Flags().GetString("patch")
	kind, _ := found.Flags().GetString("type")
	patch, err := yaml.ToJSON([]byte(text))
	if err != nil || text == "" {
		return fmt.Errorf("-p isn't readable: %v", err)
	}
	if len(asked.Objects) == 0 {
		return nil // a custom kind, or one that the dump doesn't hold
	}
	before, err := json.Marshal(asked.Objects[0])
	if err != nil {
		return err
	}
	object, _ := asked.Objects[0]["apiVersion"].(string)
	of, _ := asked.Objects[0]["kind"].(string)
	gvk := schema.FromAPIVersionAndKind(object, of)
	typed, typeErr := scheme.Scheme.New(gvk)
	var after []byte
	switch kind {
	case "", "strategic":
		if typeErr != nil {
			return fmt.Errorf("a strategic patch of %s, which is no built-in kind", gvk)
		}
		after, err = strategicpatch.StrategicMergePatch(before, patch, typed)
	case "merge":
		after, err = jsonpatch.MergePatch(before, patch)
	case "json":
		var operations jsonpatch.Patch
		if operations, err = jsonpatch.DecodePatch(patch); err == nil {
			after, err = operations.Apply(before)
		}
	default:
		return fmt.Errorf("--type must be one of json, merge, strategic, not %q", kind)
	}
	if err != nil {
		return fmt.Errorf("the patch doesn't apply: %w", err)
	}
	if err := json.Unmarshal(after, &said.Patched); err != nil {
		return err
	}
	if typeErr != nil {
		return nil
	}
	problems := strictly(after)
	if strictly(before) != nil { // a field that the dump already has too much isn't the patch's
		return nil
	}
	return problems
}

// strictly reads an object as its type, an unknown or repeated field being an error.
func strictly(object []byte) error {
	var into runtime.Object
	_, _, err := strict.Decode(object, nil, into)
	return err
}
