package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// shareIDPlaceholder stands in answers for the random identity of a share.
const shareIDPlaceholder = types.UID("aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa")

// cacheEntries is the size of kube-scheduler's cache of compiled selectors.
const cacheEntries = 10

// scenario is one line in: a cluster, the claims of one pod and the node to try ("any": all of them, in order).
type scenario struct {
	Name              string                       `json:"name"`
	Kubernetes        string                       `json:"kubernetes"`
	Features          json.RawMessage              `json:"features"`
	Nodes             []*v1.Node                   `json:"nodes"`
	Node              string                       `json:"node"`
	Slices            []*resourceapi.ResourceSlice `json:"slices"`
	Classes           []*resourceapi.DeviceClass   `json:"classes"`
	Claims            []*resourceapi.ResourceClaim `json:"claims"`
	AllocatedClaims   []*resourceapi.ResourceClaim `json:"allocatedClaims"`
	AllocatedDevices  []deviceID                   `json:"allocatedDevices"`
	AllocatedShares   []deviceID                   `json:"allocatedSharedDeviceIDs"`
	AllocatedCapacity []deviceID                   `json:"allocatedCapacity"`
}

// deviceID names a device; ShareID and Consumed only where the list is about those.
type deviceID struct {
	Driver   string                                          `json:"driver"`
	Pool     string                                          `json:"pool"`
	Device   string                                          `json:"device"`
	ShareID  types.UID                                       `json:"shareID"`
	Consumed map[resourceapi.QualifiedName]resource.Quantity `json:"consumed"`
}

type allocationAnswer struct {
	Name           string       `json:"name"`
	Implementation string       `json:"implementation,omitempty"` // the one that NewAllocator took
	Unsupported    string       `json:"unsupported,omitempty"`    // why there's no allocator for these features
	Nodes          []nodeAnswer `json:"nodes"`
	NS             *float64     `json:"ns,omitempty"` // set-up and all nodes, as for one pod
}

type nodeAnswer struct {
	Node             string                         `json:"node"`
	Outcome          string                         `json:"outcome"` // allocated, none or error
	Results          []resourceapi.AllocationResult `json:"results,omitzero"`
	Error            string                         `json:"error,omitempty"`
	NodeOnlyError    bool                           `json:"nodeOnlyError,omitempty"`
	TimedOut         bool                           `json:"timedOut,omitempty"`
	AllocateOneCalls int64                          `json:"allocateOneCalls"`
	NS               *float64                       `json:"ns,omitempty"`
}

type classLister []*resourceapi.DeviceClass

func (l classLister) List() ([]*resourceapi.DeviceClass, error) { return l, nil }

func (l classLister) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range l {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Group: resourceapi.GroupName, Resource: "deviceclass"}, name)
}

type allocation struct {
	implementation string
	repeat         int
	timeout        time.Duration
}

func (a *allocation) answer(line []byte, _ int) (any, error) {
	var s scenario
	if err := json.Unmarshal(line, &s); err != nil {
		return nil, err
	}
	if err := checkVersion(s.Kubernetes); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	var features structured.Features
	if len(s.Features) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(s.Features))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&features); err != nil {
			return nil, fmt.Errorf("%s: features: %w", s.Name, err)
		}
	}
	if a.implementation != "" {
		structured.EnableAllocators(a.implementation)
	}
	cache := cel.NewCache(cacheEntries, cel.Features{
		EnableConsumableCapacity: features.ConsumableCapacity, EnableListTypeAttributes: features.ListTypeAttributes,
	})
	newAllocator := func() (structured.Allocator, error) {
		return structured.NewAllocator(
			context.Background(), features, s.allocatedState(features.ConsumableCapacity), classLister(s.Classes), s.Slices, cache)
	}
	answer := allocationAnswer{Name: s.Name, Nodes: []nodeAnswer{}}
	allocator, err := newAllocator()
	if err != nil {
		answer.Unsupported = err.Error()
		return answer, nil
	}
	answer.Implementation = channel(allocator)
	nodes, err := s.nodesToTry()
	if err != nil {
		return nil, err
	}
	for _, node := range nodes {
		before := steps(allocator)
		result := a.allocate(allocator, node, s.copyOfClaims())
		result.AllocateOneCalls = steps(allocator) - before
		answer.Nodes = append(answer.Nodes, result)
	}
	if a.repeat > 0 {
		if err := a.measure(&answer, nodes, s, newAllocator); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// measure times each node with an allocator of its own, and the whole pod: one new allocator, all nodes.
func (a *allocation) measure(
	answer *allocationAnswer, nodes []*v1.Node, s scenario, newAllocator func() (structured.Allocator, error),
) error {
	var failure error
	for i, node := range nodes {
		ns := median(a.repeat, func() time.Duration {
			allocator, err := newAllocator()
			if err != nil {
				failure = err
				return 0
			}
			claims := s.copyOfClaims()
			start := time.Now()
			a.allocate(allocator, node, claims)
			return time.Since(start)
		})
		answer.Nodes[i].NS = &ns
	}
	ns := median(a.repeat, func() time.Duration {
		copies := make([][]*resourceapi.ResourceClaim, len(nodes))
		for i := range copies {
			copies[i] = s.copyOfClaims()
		}
		start := time.Now()
		allocator, err := newAllocator()
		if err != nil {
			failure = err
			return 0
		}
		for i, node := range nodes {
			a.allocate(allocator, node, copies[i])
		}
		return time.Since(start)
	})
	answer.NS = &ns
	return failure
}

func (a *allocation) allocate(
	allocator structured.Allocator, node *v1.Node, claims []*resourceapi.ResourceClaim,
) (answer nodeAnswer) {
	answer.Node = node.Name
	defer func() {
		if fault := recover(); fault != nil {
			answer.Outcome, answer.Error = "error", fmt.Sprintf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	ctx := context.Background()
	if a.timeout > 0 {
		bounded, cancel := context.WithTimeout(ctx, a.timeout)
		defer cancel()
		ctx = bounded
	}
	results, err := allocator.Allocate(ctx, node, claims)
	switch {
	case err != nil:
		answer.Outcome, answer.Error = "error", err.Error()
		answer.NodeOnlyError = errors.Is(err, structured.ErrFailedAllocationOnNode)
		answer.TimedOut = errors.Is(err, context.DeadlineExceeded)
	case results == nil:
		answer.Outcome = "none"
	default:
		answer.Outcome, answer.Results = "allocated", withoutRandomShares(results)
	}
	return answer
}

func withoutRandomShares(results []resourceapi.AllocationResult) []resourceapi.AllocationResult {
	for i := range results {
		for j := range results[i].Devices.Results {
			if results[i].Devices.Results[j].ShareID != nil {
				placeholder := shareIDPlaceholder
				results[i].Devices.Results[j].ShareID = &placeholder
			}
		}
	}
	return results
}

func (s *scenario) nodesToTry() ([]*v1.Node, error) {
	if s.Node == "" || s.Node == "any" {
		return s.Nodes, nil
	}
	for _, node := range s.Nodes {
		if node.Name == s.Node {
			return []*v1.Node{node}, nil
		}
	}
	return nil, fmt.Errorf("%s: node %q is not among the nodes", s.Name, s.Node)
}

// copyOfClaims is needed because a search can change the claims that it's given.
func (s *scenario) copyOfClaims() []*resourceapi.ResourceClaim {
	claims := make([]*resourceapi.ResourceClaim, len(s.Claims))
	for i, claim := range s.Claims {
		claims[i] = claim.DeepCopy()
	}
	return claims
}

// allocatedState joins the three lists with what the allocated claims hold, by kube-scheduler's rules: admin
// access holds nothing; a share counts as one only while consumable capacity is on.
func (s *scenario) allocatedState(consumableCapacity bool) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, d := range s.AllocatedDevices {
		state.AllocatedDevices.Insert(structured.MakeDeviceID(d.Driver, d.Pool, d.Device))
	}
	for _, d := range s.AllocatedShares {
		id := structured.MakeDeviceID(d.Driver, d.Pool, d.Device)
		state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, &d.ShareID))
	}
	for _, d := range s.AllocatedCapacity {
		id := structured.MakeDeviceID(d.Driver, d.Pool, d.Device)
		state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, d.Consumed))
	}
	for _, claim := range s.AllocatedClaims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if result.AdminAccess != nil && *result.AdminAccess {
				continue
			}
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			if !consumableCapacity || result.ShareID == nil {
				state.AllocatedDevices.Insert(id)
				continue
			}
			state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, result.ShareID))
			if result.ConsumedCapacity != nil {
				state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, result.ConsumedCapacity))
			}
		}
	}
	return state
}

// steps reads the search's own step counter. Its type lives in an internal package, hence the reflection.
func steps(allocator structured.Allocator) int64 {
	method := reflect.ValueOf(allocator).MethodByName("GetStats")
	if !method.IsValid() {
		return 0
	}
	return method.Call(nil)[0].FieldByName("NumAllocateOneInvocations").Int()
}

func channel(allocator structured.Allocator) string {
	method := reflect.ValueOf(allocator).MethodByName("Channel")
	if !method.IsValid() {
		return ""
	}
	return method.Call(nil)[0].String()
}
