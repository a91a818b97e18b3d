package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/cel"
)

// celCase is one line in: an expression, a device and the features under which it's compiled. The flat names
// and the nested "features" form mean the same.
type celCase struct {
	ID                 any         `json:"id"`
	Name               any         `json:"name"`
	Expr               *string     `json:"expr"`
	Expression         *string     `json:"expression"`
	Device             celDevice   `json:"device"`
	Devices            []celDevice `json:"devices"` // measure-cel only
	ListTypeAttributes bool        `json:"listTypeAttributes"`
	ConsumableCapacity bool        `json:"consumableCapacity"`
	NewExpressionsEnv  bool        `json:"newExpressionsEnv"`
	EnvType            string      `json:"envType"`
	Kubernetes         string      `json:"kubernetes"`
	Features           struct {
		ListTypeAttributes bool `json:"listTypeAttributes"`
		ConsumableCapacity bool `json:"consumableCapacity"`
	} `json:"features"`
}

// celDevice is resource.k8s.io/v1's device, with the driver beside its attributes. A capacity may be written
// as {"value": "1Gi"} or shortly as "1Gi".
type celDevice struct {
	Driver                   string                                                    `json:"driver"`
	AllowMultipleAllocations *bool                                                     `json:"allowMultipleAllocations"`
	Attributes               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute `json:"attributes"`
	Capacity                 map[resourceapi.QualifiedName]shortCapacity               `json:"capacity"`
}

type shortCapacity struct{ resourceapi.DeviceCapacity }

func (c *shortCapacity) UnmarshalJSON(data []byte) error {
	if strings.HasPrefix(strings.TrimSpace(string(data)), "{") {
		return json.Unmarshal(data, &c.DeviceCapacity)
	}
	var quantity resource.Quantity
	if err := json.Unmarshal(data, &quantity); err != nil {
		return err
	}
	c.Value = quantity
	return nil
}

func (d celDevice) device() cel.Device {
	capacity := make(map[resourceapi.QualifiedName]resourceapi.DeviceCapacity, len(d.Capacity))
	for name, value := range d.Capacity {
		capacity[name] = value.DeviceCapacity
	}
	return cel.Device{
		Driver: d.Driver, AllowMultipleAllocations: d.AllowMultipleAllocations, Attributes: d.Attributes, Capacity: capacity,
	}
}

// celAnswer is one line out. The verdict is T (true), F (false), E (a run-time error), C (refused by the compiler) or P
// (the compiler panicked).
type celAnswer struct {
	ID         any     `json:"id"`
	Verdict    string  `json:"verdict"`
	Error      *string `json:"error"`
	MaxCost    uint64  `json:"max_cost"`    // the static estimate; 0 where nothing was compiled
	ActualCost *uint64 `json:"actual_cost"` // null where nothing was evaluated
}

type celCompiler interface {
	CompileCELExpression(expression string, options cel.Options) cel.CompilationResult
}

// compilers keeps every compiler: the library keeps only the last one, and building an environment is slow.
var compilers = map[cel.Features]celCompiler{}

func readCEL(line []byte, number int) (id any, expression string, parsed celCase, err error) {
	if err = json.Unmarshal(line, &parsed); err != nil {
		return
	}
	if err = checkVersion(parsed.Kubernetes); err != nil {
		return
	}
	switch {
	case parsed.ID != nil:
		id = parsed.ID
	case parsed.Name != nil:
		id = parsed.Name
	default:
		id = strconv.Itoa(number)
	}
	switch {
	case parsed.Expr != nil:
		expression = *parsed.Expr
	case parsed.Expression != nil:
		expression = *parsed.Expression
	default:
		err = fmt.Errorf("neither expr nor expression is given")
	}
	return
}

// compile answers as the scheduler does (no cost estimate), then adds the estimate where there's one.
func compile(c celCase, expression string) (cel.CompilationResult, uint64) {
	features := cel.Features{
		EnableConsumableCapacity: c.ConsumableCapacity || c.Features.ConsumableCapacity,
		EnableListTypeAttributes: c.ListTypeAttributes || c.Features.ListTypeAttributes,
	}
	compiler, found := compilers[features]
	if !found {
		compiler = cel.GetCompiler(features)
		compilers[features] = compiler
	}
	envType := environment.StoredExpressions
	if c.NewExpressionsEnv || c.EnvType == "NewExpressions" {
		envType = environment.NewExpressions
	}
	result := compiler.CompileCELExpression(expression, cel.Options{EnvType: &envType})
	if result.Error == nil {
		return result, result.MaxCost
	}
	return compiler.CompileCELExpression(expression, cel.Options{EnvType: &envType, DisableCostEstimation: true}), 0
}

// compileOrPanic compiles, or tells with what the compiler panicked: bytes as the constant key of a map, and optional
// elements whose type isn't known to be optional, take it down.
func compileOrPanic(c celCase, expression string) (result cel.CompilationResult, maxCost uint64, fault string) {
	defer func() {
		if panicked := recover(); panicked != nil {
			fault = fmt.Sprintf("panic: %v", panicked)
		}
	}()
	result, maxCost = compile(c, expression)
	return
}

func answerCEL(line []byte, number int) (any, error) {
	id, expression, parsed, err := readCEL(line, number)
	if err != nil {
		return nil, err
	}
	answer := celAnswer{ID: id}
	result, maxCost, fault := compileOrPanic(parsed, expression)
	if fault != "" {
		answer.Verdict, answer.Error = "P", &fault
		return answer, nil
	}
	if result.Error != nil {
		answer.Verdict, answer.Error = "C", &result.Error.Detail
		return answer, nil
	}
	answer.MaxCost = maxCost
	matches, details, err := result.DeviceMatches(context.Background(), parsed.Device.device())
	if details != nil {
		answer.ActualCost = details.ActualCost()
	}
	switch {
	case err != nil:
		text := err.Error()
		answer.Verdict, answer.Error = "E", &text
	case matches:
		answer.Verdict = "T"
	default:
		answer.Verdict = "F"
	}
	return answer, nil
}

type celTiming struct {
	ID         any     `json:"id"`
	CompileNS  float64 `json:"compile_ns"`  // median of the repeats
	EvaluateNS float64 `json:"evaluate_ns"` // per device, median of the repeats
	Matches    int     `json:"matches"`
	Errors     int     `json:"errors"`
}

// measureCEL times what the scheduler does with a selector: compile it without estimate, then ask every device.
func measureCEL(line []byte, repeat int) (any, error) {
	id, expression, parsed, err := readCEL(line, 0)
	if err != nil {
		return nil, err
	}
	devices := make([]cel.Device, len(parsed.Devices))
	for i, device := range parsed.Devices {
		devices[i] = device.device()
	}
	if result, _ := compile(parsed, expression); result.Error != nil {
		return nil, fmt.Errorf("%q: %s", expression, result.Error.Detail)
	}
	compiler := compilers[cel.Features{
		EnableConsumableCapacity: parsed.ConsumableCapacity || parsed.Features.ConsumableCapacity,
		EnableListTypeAttributes: parsed.ListTypeAttributes || parsed.Features.ListTypeAttributes,
	}]
	var result cel.CompilationResult
	timing := celTiming{ID: id}
	timing.CompileNS = median(repeat, func() time.Duration {
		start := time.Now()
		result = compiler.CompileCELExpression(expression, cel.Options{DisableCostEstimation: true})
		return time.Since(start)
	})
	timing.EvaluateNS = median(repeat, func() time.Duration {
		timing.Matches, timing.Errors = 0, 0
		start := time.Now()
		for _, device := range devices {
			matches, _, err := result.DeviceMatches(context.Background(), device)
			if err != nil {
				timing.Errors++
			} else if matches {
				timing.Matches++
			}
		}
		return time.Since(start)
	}) / float64(max(len(devices), 1))
	return timing, nil
}
