package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	oci "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
	"tags.cncf.io/container-device-interface/pkg/cdi"
	"tags.cncf.io/container-device-interface/pkg/parser"
	specs "tags.cncf.io/container-device-interface/specs-go"
)

// cdiCase is one line in: the case file's name decides what is done with the input.
type cdiCase struct {
	File  string          `json:"file"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// cdiAnswer is one line out. Skipped says why the library could not be asked (host nodes need root).
type cdiAnswer struct {
	File     string         `json:"file"`
	Name     string         `json:"name"`
	OK       bool           `json:"ok"`
	Category *string        `json:"error_category"`
	Result   map[string]any `json:"result"`
	Skipped  string         `json:"skipped,omitempty"`
}

// categories sorts the library's error texts; the first that matches decides.
var categories = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"unresolvable", regexp.MustCompile(`unresolvable CDI devices`)},
	{"host", regexp.MustCompile(`failed to stat CDI host device|host type mismatch`)},
	{"conflict", regexp.MustCompile(`conflicting device`)},
	{"duplicate", regexp.MustCompile(`multiple device`)},
	{"syntax", regexp.MustCompile(`failed to (parse|unmarshal)|no Spec data|no devices`)},
	{"version", regexp.MustCompile(`invalid version|version must be at least|invalid spec version`)},
	{"name", regexp.MustCompile(`failed add device "[^"]*": invalid (\(empty\)|character|name|class)`)},
	{"edits", regexp.MustCompile(`failed add device|container edits|empty device edits|failed to inject devices|` +
		`invalid (mount|hook|net|linux|\(empty\)|type|permissions|ClosID|environment|IntelRdt)`)},
	{"name", regexp.MustCompile(`annotation`)},
	{"kind", regexp.MustCompile(`invalid vendor|invalid class`)},
}

func categoryOf(err error) *string {
	for _, category := range categories {
		if category.pattern.MatchString(err.Error()) {
			return &category.name
		}
	}
	other := "io"
	return &other
}

func answerCDI(line []byte, _ int) (any, error) {
	var c cdiCase
	if err := json.Unmarshal(line, &c); err != nil {
		return nil, err
	}
	answer := &cdiAnswer{File: c.File, Name: c.Name, Result: map[string]any{"error": nil}}
	operation := strings.SplitN(filepath.Base(c.File), ".", 2)[0]
	var err error
	switch operation {
	case "spec_load", "probes_spec_load":
		err = loadSpec(c.Input, answer)
	case "inject", "probes_inject", "random":
		err = injectDevices(c.Input, answer)
	case "issue_cases":
		err = issueCase(c.Input, answer)
	case "version_minimum":
		err = minimumVersion(c.Input, answer)
	case "version_validate":
		err = validateVersion(c.Input, answer)
	case "parser_qualified_name", "probes_names":
		err = qualifiedName(c.Input, answer)
	default:
		answer.Skipped = "the reference program doesn't do this operation"
	}
	return answer, err
}

// say records the outcome of an operation.
func (a *cdiAnswer) say(err error) {
	a.OK = err == nil
	if err != nil {
		a.Category, a.Result["error"] = categoryOf(err), err.Error()
	}
}

// --- single specs ---

func loadSpec(input json.RawMessage, answer *cdiAnswer) error {
	var given struct {
		FileName string  `json:"fileName"`
		Data     *string `json:"data"`
		YAML     *string `json:"yaml"`
	}
	if err := json.Unmarshal(input, &given); err != nil {
		return err
	}
	text, name := given.Data, given.FileName
	if text == nil {
		text = given.YAML
	}
	if text == nil {
		return errors.New("neither data nor yaml is given")
	}
	if name == "" {
		name = "spec.yaml"
	}
	folder, err := os.MkdirTemp("", "cdi")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, filepath.Base(name))
	if err := os.WriteFile(path, []byte(*text), 0o644); err != nil {
		return err
	}
	spec, err := readSpec(path)
	answer.say(err)
	answer.Result["valid"] = err == nil
	if err != nil {
		return nil
	}
	minimum, err := cdi.MinimumRequiredVersion(spec.Spec)
	if err != nil {
		return err
	}
	answer.Result["minimumVersion"] = minimum
	answer.Result["vendor"], answer.Result["class"] = spec.GetVendor(), spec.GetClass()
	answer.Result["spec"] = spec.Spec
	return nil
}

// readSpec turns the library's panics (on null list items) into errors.
func readSpec(path string) (spec *cdi.Spec, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			spec, err = nil, fmt.Errorf("failed to parse CDI Spec: panic: %v", fault)
		}
	}()
	return cdi.ReadSpec(path, 0)
}

func minimumVersion(input json.RawMessage, answer *cdiAnswer) error {
	var given struct {
		Spec specs.Spec `json:"spec"`
	}
	if err := json.Unmarshal(input, &given); err != nil {
		return err
	}
	minimum, err := specs.MinimumRequiredVersion(&given.Spec)
	answer.say(err)
	answer.Result["minimumVersion"] = minimum
	return nil
}

func validateVersion(input json.RawMessage, answer *cdiAnswer) error {
	var given struct {
		Spec specs.Spec `json:"spec"`
	}
	if err := json.Unmarshal(input, &given); err != nil {
		return err
	}
	answer.say(specs.ValidateVersion(&given.Spec))
	return nil
}

func qualifiedName(input json.RawMessage, answer *cdiAnswer) error {
	var given struct {
		Device string `json:"device"`
	}
	if err := json.Unmarshal(input, &given); err != nil {
		return err
	}
	vendor, class, name := parser.ParseDevice(given.Device)
	answer.Result["parsed"] = map[string]string{"vendor": vendor, "class": class, "name": name}
	vendor, class, name, err := parser.ParseQualifiedName(given.Device)
	if answer.say(err); err != nil {
		category := "name" // whichever part of the reference is wrong
		answer.Category = &category
	}
	answer.Result["parseQualified"] = map[string]string{"vendor": vendor, "class": class, "name": name}
	answer.Result["qualified"] = parser.IsQualifiedName(given.Device)
	vendor, class = parser.ParseQualifier(given.Device)
	answer.Result["qualifier"] = map[string]string{"vendor": vendor, "class": class}
	return nil
}

// --- injection ---

type injectionInput struct {
	Dirs    []string            `json:"dirs"`
	Files   map[string]string   `json:"files"`
	Host    map[string]hostNode `json:"host"`
	OCI     *oci.Spec           `json:"oci"`
	Devices []string            `json:"devices"`
	Data    *string             `json:"data"`
}

type hostNode struct {
	Type  string `json:"type"`
	Major uint32 `json:"major"`
	Minor uint32 `json:"minor"`
	Mode  uint32 `json:"mode"`
}

func issueCase(input json.RawMessage, answer *cdiAnswer) error {
	var given injectionInput
	if err := json.Unmarshal(input, &given); err != nil {
		return err
	}
	if given.Data != nil {
		return loadSpec(input, answer)
	}
	return injectDevices(input, answer)
}

func injectDevices(input json.RawMessage, answer *cdiAnswer) error {
	var given injectionInput
	if err := json.Unmarshal(input, &given); err != nil {
		return err
	}
	undo, err := makeHost(given.Host)
	defer undo()
	if err != nil {
		answer.Skipped = err.Error()
		return nil
	}
	root, dirs, err := writeFiles(given)
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	cache, err := newCache(dirs)
	if err != nil {
		answer.say(err)
		return nil
	}
	if given.OCI == nil {
		given.OCI = &oci.Spec{}
	}
	devices, priorities := map[string]string{}, map[string]int{}
	for _, name := range cache.ListDevices() {
		spec := cache.GetDevice(name).GetSpec()
		devices[name] = strings.TrimPrefix(spec.GetPath(), root+"/")
		priorities[name] = spec.GetPriority()
	}
	failures := map[string][]string{}
	for path, errs := range cache.GetErrors() {
		if _, err := os.Stat(path); err != nil {
			continue // a missing folder is no error of a file
		}
		for _, err := range errs {
			short := strings.TrimPrefix(path, root+"/")
			failures[short] = append(failures[short], strings.ReplaceAll(err.Error(), root+"/", ""))
		}
	}
	answer.Result["devices"], answer.Result["priorities"], answer.Result["errors"] = devices, priorities, failures
	answer.Result["vendors"], answer.Result["classes"] = cache.ListVendors(), cache.ListClasses()
	unresolved, err := cache.InjectDevices(given.OCI, given.Devices...)
	answer.say(err)
	answer.Result["unresolved"] = unresolved
	if err == nil {
		answer.Result["oci"] = given.OCI
	}
	return nil
}

func newCache(dirs []string) (cache *cdi.Cache, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			cache, err = nil, fmt.Errorf("failed to parse CDI Spec: panic: %v", fault)
		}
	}()
	return cdi.NewCache(cdi.WithSpecDirs(dirs...), cdi.WithAutoRefresh(false))
}

// writeFiles puts the spec files into folders of a temporary root.
func writeFiles(given injectionInput) (root string, dirs []string, err error) {
	if root, err = os.MkdirTemp("", "cdi"); err != nil {
		return
	}
	for _, dir := range given.Dirs {
		dirs = append(dirs, filepath.Join(root, dir))
		if err = os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return
		}
	}
	for name, text := range given.Files {
		path := filepath.Join(root, name)
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return
		}
		if err = os.WriteFile(path, []byte(text), 0o644); err != nil {
			return
		}
	}
	return
}

// hostRoot is the only folder in which host nodes are made; the shared cases name nodes there.
const hostRoot = "/opt/cdihost/"

// makeHost makes the device nodes that a case describes, unless they are there (as /dev/null is everywhere).
func makeHost(nodes map[string]hostNode) (undo func(), err error) {
	var made []string
	undo = func() {
		for _, path := range slices.Backward(made) {
			_ = os.Remove(path)
		}
	}
	for path, node := range nodes {
		var found unix.Stat_t
		kinds := map[string]uint32{"c": unix.S_IFCHR, "b": unix.S_IFBLK, "p": unix.S_IFIFO, "f": unix.S_IFREG, "d": unix.S_IFDIR}
		kind, known := kinds[node.Type]
		if !known {
			return undo, fmt.Errorf("host node %s has the unknown type %q", path, node.Type)
		}
		device := unix.Mkdev(node.Major, node.Minor)
		if unix.Lstat(path, &found) == nil {
			if found.Mode&unix.S_IFMT == kind && (kind == unix.S_IFREG || kind == unix.S_IFIFO || found.Rdev == device) {
				continue
			}
			return undo, fmt.Errorf("%s exists and is something else", path)
		}
		if !strings.HasPrefix(path, hostRoot) || syscall.Geteuid() != 0 {
			return undo, fmt.Errorf("%s is not on this host (nodes are made only below %s, by root)", path, hostRoot)
		}
		var missing []string
		for folder := filepath.Dir(path); unix.Access(folder, unix.F_OK) != nil; folder = filepath.Dir(folder) {
			missing = append([]string{folder}, missing...)
		}
		for _, folder := range missing {
			if err := os.Mkdir(folder, 0o755); err != nil {
				return undo, err
			}
			made = append(made, folder)
		}
		if kind == unix.S_IFDIR {
			err = os.Mkdir(path, 0o755)
		} else {
			err = unix.Mknod(path, kind|node.Mode, int(device))
		}
		if err != nil {
			return undo, fmt.Errorf("make %s: %w", path, err)
		}
		made = append(made, path)
		if err := unix.Chmod(path, node.Mode); err != nil { // the umask has no say here
			return undo, err
		}
	}
	return undo, nil
}

type cdiTiming struct {
	Name   string  `json:"name"`
	ColdNS float64 `json:"cold_ns"` // read the folders, then inject
	WarmNS float64 `json:"warm_ns"` // inject from a registry that is loaded
}

// measureCDI times loading and injecting; each call gets an OCI spec of its own.
func measureCDI(line []byte, repeat int) (any, error) {
	var c cdiCase
	var given injectionInput
	if err := json.Unmarshal(line, &c); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(c.Input, &given); err != nil {
		return nil, err
	}
	root, dirs, err := writeFiles(given)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	warm, err := newCache(dirs)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(given.OCI)
	if err != nil {
		return nil, err
	}
	var failure error
	inject := func(cache func() (*cdi.Cache, error)) func() time.Duration {
		return func() time.Duration {
			var container oci.Spec
			if err := json.Unmarshal(text, &container); err != nil {
				failure = err
			}
			start := time.Now()
			used, err := cache()
			if err == nil {
				_, err = used.InjectDevices(&container, given.Devices...)
			}
			elapsed := time.Since(start)
			if err != nil {
				failure = err
			}
			return elapsed
		}
	}
	timing := cdiTiming{Name: c.Name}
	timing.ColdNS = median(repeat, inject(func() (*cdi.Cache, error) { return newCache(dirs) }))
	timing.WarmNS = median(repeat, inject(func() (*cdi.Cache, error) { return warm, nil }))
	return timing, failure
}
