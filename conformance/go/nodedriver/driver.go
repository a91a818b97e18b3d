package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

// driver prepares claims side by side. The lock is over what is remembered and its file: of one file there is one
// newest version.
type driver struct {
	where  places
	lock   sync.Mutex
	claims *checkpoint
}

var _ kubeletplugin.DRAPlugin = &driver{}

func newDriver(where places, claims *checkpoint) *driver {
	return &driver{where: where, claims: claims}
}

// PrepareResourceClaims answers for each claim.
func (d *driver) PrepareResourceClaims(_ context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	results := map[types.UID]kubeletplugin.PrepareResult{}
	for _, claim := range claims {
		devices, err := d.prepare(claim)
		results[claim.UID] = kubeletplugin.PrepareResult{Devices: devices, Err: err}
	}
	return results, nil
}

func (d *driver) prepare(claim *resourceapi.ResourceClaim) ([]kubeletplugin.Device, error) {
	entry, err := d.begin(claim)
	if err != nil {
		return nil, err
	}
	// Also where the claim is prepared already: the folder doesn't outlive the machine's start, the checkpoint does.
	if err := writeSpec(d.where.cdi, claim.UID, entry.Devices); err != nil {
		return nil, err
	}
	if entry.State != completed {
		if err := d.mark(claim.UID, completed); err != nil {
			return nil, err
		}
	}
	var devices []kubeletplugin.Device
	for _, device := range entry.Devices {
		devices = append(devices, kubeletplugin.Device{
			Requests:     []string{device.Request},
			PoolName:     device.Pool,
			DeviceName:   device.Device,
			CDIDeviceIDs: []string{cdiName(claim.UID, device.Device)},
		})
	}
	return devices, nil
}

// begin writes down what is about to be done, unless the claim is prepared already or a device isn't free.
func (d *driver) begin(claim *resourceapi.ResourceClaim) (entry, error) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if known, ok := d.claims.Claims[claim.UID]; ok && known.State == completed {
		return known, nil
	}
	begun := entry{Namespace: claim.Namespace, Name: claim.Name, State: started}
	for _, result := range claim.Status.Allocation.Devices.Results {
		if result.Driver != d.where.driver {
			continue
		}
		if result.Pool != d.where.node {
			return entry{}, fmt.Errorf("pool %s isn't this node's, %s", result.Pool, d.where.node)
		}
		admin := result.AdminAccess != nil && *result.AdminAccess
		if holder := d.holder(result.Device, claim.UID); holder != "" && !admin {
			return entry{}, fmt.Errorf("device %s is held by claim %s", result.Device, holder)
		}
		begun.Devices = append(begun.Devices, device{Request: result.Request, Pool: result.Pool, Device: result.Device, Admin: admin})
	}
	d.claims.Claims[claim.UID] = begun
	return begun, d.claims.save()
}

// holder is the claim, other than one, that has a device for itself; empty: none has.
func (d *driver) holder(name string, but types.UID) string {
	for uid, entry := range d.claims.Claims {
		for _, device := range entry.Devices {
			if uid != but && device.Device == name && !device.Admin {
				return fmt.Sprintf("%s/%s (%s)", entry.Namespace, entry.Name, uid)
			}
		}
	}
	return ""
}

// UnprepareResourceClaims lets go of each claim; of one that isn't known nothing is left to do.
func (d *driver) UnprepareResourceClaims(_ context.Context, claims []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	results := map[types.UID]error{}
	for _, claim := range claims {
		results[claim.UID] = d.unprepare(claim.UID)
	}
	return results, nil
}

func (d *driver) unprepare(uid types.UID) error {
	// From here on the claim isn't taken for prepared, though this process may die before the spec is gone.
	if err := d.mark(uid, started); err != nil {
		return err
	}
	if err := os.Remove(specPath(d.where.cdi, uid)); err != nil && !os.IsNotExist(err) {
		return err
	}
	return d.mark(uid, "")
}

// mark writes down how far a claim is; without a state it is forgotten.
func (d *driver) mark(uid types.UID, state string) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	entry, ok := d.claims.Claims[uid]
	if !ok {
		return nil
	}
	if state == "" {
		delete(d.claims.Claims, uid)
	} else {
		entry.State = state
		d.claims.Claims[uid] = entry
	}
	return d.claims.save()
}

// HandleError hears of what goes wrong in the background.
func (d *driver) HandleError(ctx context.Context, err error, msg string) {
	runtime.HandleErrorWithContext(ctx, err, msg)
}
