/* A fake libnvidia-ml.so.1 for tests: devices, their numbers, processes and events. MIG is in mig.c. */
#define _GNU_SOURCE
#include "nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

struct pci { char legacy[16]; u32 domain, bus, device, id, subsystem; char bus_id[32]; };
struct memory { u64 total, free, used; };
struct memory_v2 { u32 version; u64 total, reserved, free, used; };
struct process { u32 pid; u64 memory; u32 gi, ci; };
struct field { u32 id, scope; long long timestamp, latency; u32 type; int code; u64 value; };
struct event { handle_t device; u64 type, data; u32 gi, ci; };
_Static_assert(sizeof(struct pci) == 68, "pci");
_Static_assert(sizeof(struct memory_v2) == 40, "memory v2");
_Static_assert(sizeof(struct process) == 24, "process");
_Static_assert(sizeof(struct field) == 40, "field value");
_Static_assert(sizeof(struct event) == 32, "event");

static struct handle gpus[MAX_GPUS], parts[3][MAX_GPUS][16][9];
static const char *TEXT[] = {
    "Success", "Uninitialized", "Invalid Argument", "Not Supported", "Insufficient Permissions", "Already Initialized",
    "Not Found", "Insufficient Size", "Insufficient External Power", "Driver Not Loaded", "Timeout", "Interrupt Request Issue",
    "NVML Shared Library Not Found", "Function Not Found", "Corrupted infoROM", "GPU is lost", "GPU requires reset",
    "The operating system has blocked the request.", "RM has detected an NVML/RM version mismatch.", "In use by another client",
};

handle_t whole(int gpu) { gpus[gpu] = (struct handle){WHOLE, gpu, -1, -1}; return &gpus[gpu]; }

handle_t instance(int kind, int gpu, int gi, int ci) {
    handle_t place = &parts[kind - MIG_DEVICE][gpu][gi][ci < 0 ? 8 : ci];
    *place = (struct handle){kind, gpu, gi, ci};
    return place;
}

static int count(void) { return (int)number(0, "count"); }

static void text(char *into, u32 size, const char *value) { snprintf(into, size, "%s", value ? value : ""); }

const char *nvmlErrorString(int code) {
    if (code == INSUFFICIENT_RESOURCES) return "Insufficient Resources";
    if (code == ARGUMENT_VERSION_MISMATCH) return "Argument version mismatch";
    return code >= 0 && code < (int)(sizeof TEXT / sizeof *TEXT) ? TEXT[code] : "Unknown Error";
}

int nvmlInitWithFlags(u32 flags) {
    BEGIN(-1);
    NEED(count() > 0 || (flags & 1), 28);
    if (sessions++ == 0) {
        char value[32];
        snprintf(value, sizeof value, "1");
        put(value, "session.%d", getpid());
        save();
        freeze();
    }
    return finish(OK);
}

int nvmlShutdown(void) {
    BEGIN(-1);
    if (--sessions == 0) { drop("session.%d", getpid()); save(); }
    return finish(OK);
}

int nvmlSystemGetDriverVersion(char *version, u32 size) { BEGIN(-1); text(version, size, get("driver")); return finish(OK); }
int nvmlSystemGetNVMLVersion(char *version, u32 size) { BEGIN(-1); text(version, size, get("nvml")); return finish(OK); }
int nvmlSystemGetCudaDriverVersion(int *version) { BEGIN(-1); *version = (int)number(0, "cuda"); return finish(OK); }

/* --- who is there --- */
int nvmlDeviceGetCount_v2(u32 *n) { BEGIN(-1); *n = (u32)count(); return finish(OK); }

int nvmlDeviceGetHandleByIndex_v2(u32 index, handle_t *device) {
    BEGIN((int)index);
    NEED((int)index < count(), INVALID_ARGUMENT);
    *device = whole((int)index);
    return finish(OK);
}

/* By UUID every GPU may be started, so a lost one can spoil the look-up of others (a switch). */
int nvmlDeviceGetHandleByUUID(const char *uuid, handle_t *device) {
    BEGIN(-1);
    for (int i = 0; i < count(); i++) {
        if (number(0, "g%d.lost", i)) { NEED(!number(0, "lost_spoils_uuid"), GPU_IS_LOST); continue; }
        if (get("g%d.uuid", i) && strcmp(get("g%d.uuid", i), uuid) == 0) { *device = whole(i); return finish(OK); }
    }
    return finish(NOT_FOUND);
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, handle_t *device) {
    BEGIN(-1);
    for (int i = 0; i < count(); i++) {
        const char *own = get("g%d.pci", i);
        size_t tail = strlen(bus) < strlen(own) ? strlen(own) - strlen(bus) : 0;
        if (strcasecmp(own + tail, bus) == 0) {
            NEED(!number(0, "g%d.lost", i), GPU_IS_LOST);
            *device = whole(i);
            return finish(OK);
        }
    }
    return finish(NOT_FOUND);
}

#define WHOLE_ONLY(device) BEGIN(GPU_OF(device)); NEED((device)->kind == WHOLE, NOT_SUPPORTED)
#define NUMBER(function, type, key) \
    int function(handle_t device, type *into) { \
        WHOLE_ONLY(device); \
        NEED(get("g%d." key, device->gpu), NOT_SUPPORTED); \
        *into = (type)number(0, "g%d." key, device->gpu); \
        return finish(OK); \
    }

int nvmlDeviceGetName(handle_t device, char *name, u32 size) {
    BEGIN(GPU_OF(device));
    char full[96];
    text(full, sizeof full, get("g%d.name", device->gpu));
    if (device->kind == MIG_DEVICE) {
        u32 profile, start, length;
        NEED(gi_fields(device->gpu, device->gi, &profile, &start, &length), NOT_FOUND);
        char row[320];
        text(row, sizeof row, get("g%d.prof.%u", device->gpu, profile));
        snprintf(full + strlen(full), sizeof full - strlen(full), " MIG %s", strrchr(row, ' ') + 1);
    }
    text(name, size, full);
    return finish(OK);
}

int nvmlDeviceGetSerial(handle_t device, char *serial, u32 size) {
    WHOLE_ONLY(device);
    NEED(get("g%d.serial", device->gpu), NOT_SUPPORTED);
    text(serial, size, get("g%d.serial", device->gpu));
    return finish(OK);
}

int nvmlDeviceGetPciInfo_v3(handle_t device, struct pci *pci) {
    WHOLE_ONLY(device);
    const char *bus = get("g%d.pci", device->gpu);
    memset(pci, 0, sizeof *pci);
    sscanf(bus, "%x:%x:%x", &pci->domain, &pci->bus, &pci->device);
    snprintf(pci->bus_id, sizeof pci->bus_id, "%08X:%02X:%02X.0", pci->domain, pci->bus, pci->device);
    snprintf(pci->legacy, sizeof pci->legacy, "%04X:%02X:%02X.0", pci->domain & 0xffff, pci->bus, pci->device);
    pci->id = (u32)number(0, "g%d.pciid", device->gpu);
    return finish(OK);
}

int nvmlDeviceGetUUID(handle_t device, char *uuid, u32 size) {
    BEGIN(GPU_OF(device));
    const char *found = device->kind == WHOLE ? get("g%d.uuid", device->gpu)
                                              : get("g%d.ciuuid.%d.%d", device->gpu, device->gi, device->ci);
    NEED(found, NOT_FOUND);
    text(uuid, size, found);
    return finish(OK);
}

int nvmlDeviceGetCudaComputeCapability(handle_t device, int *major, int *minor) {
    BEGIN(GPU_OF(device));
    sscanf(get("g%d.cc", device->gpu), "%d.%d", major, minor);
    return finish(OK);
}

NUMBER(nvmlDeviceGetMinorNumber, u32, "minor")
NUMBER(nvmlDeviceGetBrand, u32, "brand")
NUMBER(nvmlDeviceGetArchitecture, u32, "arch")
NUMBER(nvmlDeviceGetPersistenceMode, int, "persistence")
NUMBER(nvmlDeviceGetComputeMode, int, "compute_mode")
NUMBER(nvmlDeviceGetPowerUsage, u32, "power")
NUMBER(nvmlDeviceGetEnforcedPowerLimit, u32, "power_limit")
NUMBER(nvmlDeviceGetCurrentClocksEventReasons, u64, "throttle")
NUMBER(nvmlDeviceGetCurrentClocksThrottleReasons, u64, "throttle")

int nvmlDeviceGetVirtualizationMode(handle_t device, u32 *mode) {
    WHOLE_ONLY(device);
    *mode = (u32)number(0, "g%d.virtualisation", device->gpu);
    return finish(OK);
}

int nvmlDeviceGetAddressingMode(handle_t device, u32 mode[2]) {
    WHOLE_ONLY(device);
    NEED(mode[0] == 0x1000008, ARGUMENT_VERSION_MISMATCH);
    NEED(get("g%d.addressing", device->gpu), NOT_SUPPORTED);
    mode[1] = (u32)number(0, "g%d.addressing", device->gpu);
    return finish(OK);
}

int nvmlDeviceSetComputeMode(handle_t device, int mode) {
    WHOLE_ONLY(device);
    NEED(number(1, "privileged"), NO_PERMISSION);
    NEED(!(mig_enabled(device->gpu) && mode == 3), NOT_SUPPORTED);
    NEED(mode == 0 || mode == 2 || mode == 3, NOT_SUPPORTED);
    char value[16];
    snprintf(value, sizeof value, "%d", mode);
    put(value, "g%d.compute_mode", device->gpu);
    save();
    return finish(OK);
}

int nvmlDeviceGetTemperature(handle_t device, int sensor, u32 *celsius) {
    WHOLE_ONLY(device);
    NEED(sensor == 0, INVALID_ARGUMENT);
    NEED(get("g%d.temperature", device->gpu), NOT_SUPPORTED);
    *celsius = (u32)number(0, "g%d.temperature", device->gpu);
    return finish(OK);
}

int nvmlDeviceGetEccMode(handle_t device, int *current, int *pending) {
    WHOLE_ONLY(device);
    NEED(get("g%d.ecc", device->gpu), NOT_SUPPORTED);
    *current = (int)number(0, "g%d.ecc", device->gpu);
    *pending = (int)number(*current, "g%d.ecc_pending", device->gpu);
    return finish(OK);
}

int nvmlDeviceGetTotalEccErrors(handle_t device, int type, int counter, u64 *errors) {
    WHOLE_ONLY(device);
    NEED(number(0, "g%d.ecc", device->gpu), NOT_SUPPORTED);
    *errors = type == 1 && counter == 0 ? (u64)number(0, "g%d.uncorrected", device->gpu) : 0;
    return finish(OK);
}

int nvmlDeviceGetRemappedRows(handle_t device, u32 *corrected, u32 *uncorrected, u32 *pending, u32 *failed) {
    WHOLE_ONLY(device);
    NEED(!mig_enabled(device->gpu) && get("g%d.rows", device->gpu), NOT_SUPPORTED);
    sscanf(get("g%d.rows", device->gpu), "%u %u %u %u", corrected, uncorrected, pending, failed);
    return finish(OK);
}

int nvmlDeviceGetUtilizationRates(handle_t device, u32 rates[2]) {
    WHOLE_ONLY(device);
    NEED(!mig_enabled(device->gpu), NOT_SUPPORTED);
    rates[0] = (u32)number(0, "g%d.utilisation", device->gpu);
    rates[1] = 0;
    return finish(OK);
}

/* SUCCESS even where every field failed: each has a code of its own. */
int nvmlDeviceGetFieldValues(handle_t device, int n, struct field *fields) {
    BEGIN(GPU_OF(device));
    for (int i = 0; i < n; i++) {
        const char *value = get("g%d.field.%u", device->gpu, fields[i].id);
        fields[i].type = 1;
        fields[i].code = value ? OK : NOT_SUPPORTED;
        fields[i].value = value ? (u64)strtoull(value, NULL, 0) : 0xdeadbeef;
    }
    return finish(OK);
}

/* --- memory: a versioned struct is refused where its first word is wrong --- */
static int memory_of(handle_t device, u64 *total, u64 *reserved, u64 *used) {
    if (device->kind == MIG_DEVICE) {
        u32 profile, start, size;
        if (!gi_fields(device->gpu, device->gi, &profile, &start, &size)) return NOT_FOUND;
        u64 mib = 0;
        sscanf(get("g%d.prof.%u", device->gpu, profile), "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %llu", &mib);
        *total = mib << 20; *reserved = 0; *used = 0;
        return OK;
    }
    if (number(0, "g%d.foreign_parent", device->gpu)) return NO_PERMISSION;
    if (!get("g%d.memory", device->gpu)) return NOT_SUPPORTED;
    *total = (u64)number(0, "g%d.memory", device->gpu);
    *reserved = (u64)number(0, "g%d.reserved", device->gpu);
    *used = (u64)number(0, "g%d.used", device->gpu);
    return OK;
}

int nvmlDeviceGetMemoryInfo(handle_t device, struct memory *into) {
    BEGIN(GPU_OF(device));
    u64 reserved = 0;
    int code = memory_of(device, &into->total, &reserved, &into->used);
    into->used += reserved;
    into->free = into->total - into->used;
    return finish(code);
}

int nvmlDeviceGetMemoryInfo_v2(handle_t device, struct memory_v2 *into) {
    BEGIN(GPU_OF(device));
    NEED(into->version == 0x2000028, ARGUMENT_VERSION_MISMATCH);
    int code = memory_of(device, &into->total, &into->reserved, &into->used);
    into->free = into->total - into->used - into->reserved;
    return finish(code);
}

/* --- processes: asked for the size first; there may be more by the second call --- */
static int processes(handle_t device, int type, u32 *n, struct process *into) {
    struct process found[64];
    u32 there = 0;
    for (int i = 0; i < 64; i++) {
        const char *row = get("g%d.proc.%d", device->gpu, i);
        int kind;
        struct process p;
        if (row == NULL || sscanf(row, "%d %u %llu %u %u", &kind, &p.pid, &p.memory, &p.gi, &p.ci) != 5 || kind != type) continue;
        if (device->kind == MIG_DEVICE && (p.gi != (u32)device->gi || p.ci != (u32)device->ci)) continue;
        found[there++] = p;
    }
    if (there == 0) { *n = 0; return OK; }
    if (into == NULL && number(0, "processes_grow") > 0) { /* only one was there when the size was asked */
        char left[32];
        snprintf(left, sizeof left, "%lld", number(0, "processes_grow") - 1);
        put(left, "processes_grow");
        save();
        *n = 1;
        return INSUFFICIENT_SIZE;
    }
    if (*n < there || into == NULL) { *n = there; return INSUFFICIENT_SIZE; }
    memcpy(into, found, there * sizeof *into);
    *n = there;
    return OK;
}

int nvmlDeviceGetComputeRunningProcesses_v3(handle_t d, u32 *n, struct process *p) { BEGIN(GPU_OF(d)); return finish(processes(d, 0, n, p)); }
int nvmlDeviceGetGraphicsRunningProcesses_v3(handle_t d, u32 *n, struct process *p) { BEGIN(GPU_OF(d)); return finish(processes(d, 1, n, p)); }
int nvmlDeviceGetMPSComputeRunningProcesses_v3(handle_t d, u32 *n, struct process *p) { BEGIN(GPU_OF(d)); return finish(processes(d, 2, n, p)); }

/* --- NVLink: past the end one of two codes (a switch) --- */
static int link_there(handle_t device, u32 link) { return (long long)link < number(0, "g%d.nvlinks", device->gpu); }
#define LINK(device, link) WHOLE_ONLY(device); NEED(link_there(device, link), (int)number(INVALID_ARGUMENT, "link_end"))

int nvmlDeviceGetNvLinkState(handle_t device, u32 link, u32 *active) {
    LINK(device, link);
    *active = (u32)number(1, "g%d.link.%u", device->gpu, link);
    return finish(OK);
}

int nvmlDeviceGetNvLinkRemoteDeviceType(handle_t device, u32 link, u32 *type) {
    LINK(device, link);
    *type = (u32)number(2, "g%d.remote", device->gpu);
    return finish(OK);
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(handle_t device, u32 link, struct pci *pci) {
    LINK(device, link);
    memset(pci, 0, sizeof *pci);
    snprintf(pci->bus_id, sizeof pci->bus_id, "%s", "00000000:C6:00.0");
    return finish(OK);
}

/* --- events: only those after registration; no event is TIMEOUT; a lost GPU isn't named --- */
struct set { int cursor, registered; };

static int events_told(void) { int n = 0; while (get("event.%d", n)) n++; return n; }

int nvmlEventSetCreate(struct set **into) { BEGIN(-1); *into = calloc(1, sizeof **into); return finish(OK); }
int nvmlEventSetFree(struct set *set) { BEGIN(-1); free(set); return finish(OK); }

int nvmlDeviceGetSupportedEventTypes(handle_t device, u64 *types) {
    WHOLE_ONLY(device);
    *types = (u64)number(0x1 | 0x2 | 0x8, "g%d.events", device->gpu);
    return finish(OK);
}

int nvmlDeviceRegisterEvents(handle_t device, u64 types, struct set *set) {
    WHOLE_ONLY(device);
    u64 known = (u64)number(0x1 | 0x2 | 0x8, "g%d.events", device->gpu);
    NEED(known, NOT_SUPPORTED);
    NEED(!(types & ~known), INVALID_ARGUMENT);
    if (!set->registered) set->cursor = events_told();
    set->registered = 1;
    return finish(OK);
}

int nvmlEventSetWait_v2(struct set *set, struct event *event, u32 ms) {
    for (u32 waited = 0;; waited += 10) {
        int code = begin(__func__, -1);
        const char *row = code == OK ? get("event.%d", set->cursor) : NULL;
        if (row != NULL) {
            int gpu;
            u64 data;
            u32 gi, ci;
            sscanf(row, "%d %llu %u %u", &gpu, &data, &gi, &ci);
            set->cursor++;
            if (gpu < 0) return finish(GPU_IS_LOST);
            *event = (struct event){whole(gpu), 8, data, gi, ci};
        }
        finish(code);
        if (code != OK || row != NULL) return code;
        if (waited >= ms) return TIMEOUT;
        struct timespec pause = {0, 10000000L};
        nanosleep(&pause, NULL);
    }
}
