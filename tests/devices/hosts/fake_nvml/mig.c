/* MIG in the fake: modes, profiles, GPU and compute instances. It keeps its own books of what fits. */
#define _GNU_SOURCE
#include "nvml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROFILES = 18, GIS = 15, CIS = 8 };
struct placement { u32 start, size; };
struct gi_info { handle_t device; u32 id, profile; struct placement place; };
struct ci_info { handle_t device, gi; u32 id, profile; struct placement place; };
struct profile { u32 id, slices, most, sm, ce, dec, enc, jpeg, ofa, p2p; u64 mib; u32 size; char starts[96], name[96]; };
struct profile_v1 { u32 id, p2p, slices, most, sm, ce, dec, enc, jpeg, ofa; u64 mib; };
struct profile_v2 { u32 version, id, p2p, slices, most, sm, ce, dec, enc, jpeg, ofa; u64 mib; char name[96]; };
struct ci_profile_v1 { u32 id, slices, most, sm, ce, dec, enc, jpeg, ofa; };
struct ci_profile_v2 { u32 version, id, slices, most, sm, ce, dec, enc, jpeg, ofa; char name[96]; };
struct attributes { u32 sm, ce, dec, enc, jpeg, ofa, gi_slices, ci_slices; u64 mib; };
_Static_assert(sizeof(struct gi_info) == 24 && sizeof(struct ci_info) == 32, "instances");
_Static_assert(sizeof(struct profile_v1) == 48 && sizeof(struct profile_v2) == 152, "profiles");
_Static_assert(sizeof(struct ci_profile_v1) == 36 && sizeof(struct ci_profile_v2) == 136, "compute profiles");
_Static_assert(sizeof(struct attributes) == 40, "attributes");

/* compute instance profiles by enum: their ids aren't the enum (the sixth is id 5), and slices */
static const u32 CI_SLICES[] = {1, 2, 3, 4, 7, 8, 6, 1};

static int profile(int gpu, u32 number, struct profile *p) {
    const char *row = number < PROFILES ? get("g%d.prof.%u", gpu, number) : NULL;
    return row != NULL && sscanf(row, "%u %u %u %u %u %u %u %u %u %u %llu %u %95s %95s", &p->id, &p->slices, &p->most, &p->sm, &p->ce,
        &p->dec, &p->enc, &p->jpeg, &p->ofa, &p->p2p, &p->mib, &p->size, p->starts, p->name) == 14;
}

int profile_of_id(int gpu, u32 id) {
    struct profile p;
    for (u32 i = 0; i < PROFILES; i++) if (profile(gpu, i, &p) && p.id == id) return (int)i;
    return -1;
}

static int may_start(const struct profile *p, u32 start) {
    char text[96], *rest = text;
    snprintf(text, sizeof text, "%s", p->starts);
    for (char *each; (each = strsep(&rest, ",")) != NULL;) if ((u32)atoi(each) == start) return 1;
    return 0;
}

int mig_enabled(int gpu) { return (int)number(0, "g%d.mig", gpu); }

int gi_fields(int gpu, int gi, u32 *number_, u32 *start, u32 *size) {
    const char *row = get("g%d.gi.%d", gpu, gi);
    return row != NULL && sscanf(row, "%u %u %u", number_, start, size) == 3;
}

static int instances(int gpu) {
    int n = 0;
    for (int gi = 0; gi < GIS; gi++) n += get("g%d.gi.%d", gpu, gi) != NULL;
    return n;
}

static int busy(int gpu, int gi) {
    for (int i = 0; i < 64; i++) {
        const char *row = get("g%d.proc.%d", gpu, i);
        u32 own;
        if (row && sscanf(row, "%*d %*u %*u %u", &own) == 1 && (gi < 0 || own == (u32)gi)) return 1;
    }
    return 0;
}

/* others who hold the driver open, and the sessions of other processes; the caller's own doesn't count here */
static int held(int gpu) {
    if (busy(gpu, -1) || number(0, "clients") > 0) return 1;
    return number(0, "sessions_hold") && others_open();
}

#define MIG_PART(device) BEGIN(GPU_OF(device)); NEED((device)->kind == WHOLE && get("g%d.mig", (device)->gpu), NOT_SUPPORTED)
#define MIG_ON(device) MIG_PART(device); NEED(number(1, "privileged"), NO_PERMISSION); NEED(mig_enabled((device)->gpu), NOT_SUPPORTED)
#define GI(gi) BEGIN(GPU_OF(gi)); NEED((gi)->kind == GPU_INSTANCE && get("g%d.gi.%d", (gi)->gpu, (gi)->gi), NOT_FOUND)
#define CI(ci) BEGIN(GPU_OF(ci)); NEED((ci)->kind == COMPUTE_INSTANCE && get("g%d.ci.%d.%d", (ci)->gpu, (ci)->gi, (ci)->ci), NOT_FOUND)

int nvmlDeviceGetMigMode(handle_t device, u32 *current, u32 *pending) {
    MIG_PART(device);
    *current = (u32)mig_enabled(device->gpu);
    *pending = (u32)number(*current, "g%d.mig_pending", device->gpu);
    return finish(OK);
}

/* SUCCESS although nothing was activated: the truth is in `activation`. */
int nvmlDeviceSetMigMode(handle_t device, u32 mode, int *activation) {
    MIG_PART(device);
    NEED(number(1, "privileged"), NO_PERMISSION);
    NEED(mode || instances(device->gpu) == 0, IN_USE);
    char value[2] = {mode ? '1' : '0', 0};
    put(value, "g%d.mig_pending", device->gpu);
    int reset = (int)number(0, "g%d.needs_reset", device->gpu);
    *activation = OK;
    if (reset && (u32)mig_enabled(device->gpu) != mode) *activation = held(device->gpu) ? IN_USE : (int)number(OK, "activation");
    if (*activation == OK) {
        put(value, "g%d.mig", device->gpu);
        if (get("g%d.minor_after_mig", device->gpu)) {
            char minor[32];
            snprintf(minor, sizeof minor, "%s", get("g%d.minor_after_mig", device->gpu));
            put(minor, "g%d.minor", device->gpu);
        }
    }
    save();
    return finish(OK);
}

/* --- profiles: asked by the enum, told with their ids --- */
static int profile_asked(handle_t device, u32 asked, struct profile *p) {
    if (!get("g%d.mig", device->gpu)) return NOT_SUPPORTED;
    if (!mig_enabled(device->gpu) && !number(1, "g%d.field.199", device->gpu)) return NOT_SUPPORTED;
    if (asked >= (u32)number(PROFILES, "profile_count")) return INVALID_ARGUMENT; /* an older library */
    return profile(device->gpu, asked, p) ? OK : NOT_SUPPORTED;
}

int nvmlDeviceGetGpuInstanceProfileInfo(handle_t device, u32 asked, struct profile_v1 *into) {
    BEGIN(GPU_OF(device));
    struct profile p;
    int code = profile_asked(device, asked, &p);
    if (code == OK) *into = (struct profile_v1){p.id, p.p2p, p.slices, p.most, p.sm, p.ce, p.dec, p.enc, p.jpeg, p.ofa, p.mib};
    return finish(code);
}

int nvmlDeviceGetGpuInstanceProfileInfoV(handle_t device, u32 asked, struct profile_v2 *into) {
    BEGIN(GPU_OF(device));
    NEED(into->version == 0x2000098, ARGUMENT_VERSION_MISMATCH);
    struct profile p;
    int code = profile_asked(device, asked, &p);
    if (code == OK) {
        *into = (struct profile_v2){0x2000098, p.id, p.p2p, p.slices, p.most, p.sm, p.ce, p.dec, p.enc, p.jpeg, p.ofa, p.mib, ""};
        snprintf(into->name, sizeof into->name, "MIG %s", p.name);
    }
    return finish(code);
}

int nvmlDeviceGetGpuInstancePossiblePlacements_v2(handle_t device, u32 id, struct placement *into, u32 *n) {
    MIG_PART(device);
    NEED(number(1, "privileged"), NO_PERMISSION);
    struct profile p;
    int found = profile_of_id(device->gpu, id);
    NEED(found >= 0 && profile(device->gpu, (u32)found, &p), INVALID_ARGUMENT);
    u32 there = 0;
    for (u32 start = 0; start < 32; start++) if (may_start(&p, start)) {
        if (into != NULL) into[there] = (struct placement){start, p.size};
        there++;
    }
    *n = there;
    return finish(OK);
}

/* --- GPU instances --- */
static int gi_id(int gpu, u32 start, u32 size) {
    u32 units = (u32)number(8, "g%d.units", gpu), share = units / (size ? size : 1);
    return (int)((share == 1 ? 0 : share == 2 ? 1 : share <= 4 ? 3 : 7) + start / size);
}

static int room(int gpu, u32 wanted, const struct profile *p, u32 start) {
    u32 compute = 0, same = 0;
    for (int gi = 0; gi < GIS; gi++) {
        u32 other, at, size;
        struct profile q;
        if (!gi_fields(gpu, gi, &other, &at, &size) || !profile(gpu, other, &q)) continue;
        if (start < at + size && at < start + p->size) return 0;
        if (strstr(p->name, "+me") && strstr(q.name, "+me")) return 0;
        compute += q.slices;
        same += other == wanted;
    }
    return same < p->most && compute + p->slices <= (u32)number(7, "g%d.compute", gpu);
}

int nvmlDeviceCreateGpuInstanceWithPlacement(handle_t device, u32 id, const struct placement *place, handle_t *into) {
    MIG_ON(device);
    struct profile p;
    int gpu = device->gpu, found = profile_of_id(gpu, id);
    NEED(found >= 0 && profile(gpu, (u32)found, &p), (int)number(INVALID_ARGUMENT, "bad_place"));
    NEED(may_start(&p, place->start) && place->size == p.size, (int)number(INVALID_ARGUMENT, "bad_place"));
    NEED(instances(gpu) > 0 || !busy(gpu, -1), IN_USE); /* the first one needs an idle GPU */
    NEED(room(gpu, (u32)found, &p, place->start), INSUFFICIENT_RESOURCES);
    int gi = gi_id(gpu, place->start, p.size);
    char row[64];
    snprintf(row, sizeof row, "%d %u %u", found, place->start, p.size);
    put(row, "g%d.gi.%d", gpu, gi);
    save();
    *into = instance(GPU_INSTANCE, gpu, gi, -1);
    return finish(OK);
}

int nvmlDeviceGetGpuInstanceRemainingCapacity(handle_t device, u32 id, u32 *n) {
    MIG_ON(device);
    struct profile p;
    int found = profile_of_id(device->gpu, id);
    NEED(found >= 0 && profile(device->gpu, (u32)found, &p), INVALID_ARGUMENT);
    *n = 0;
    for (u32 start = 0; start < 32; start++) *n += may_start(&p, start) && room(device->gpu, (u32)found, &p, start);
    return finish(OK);
}

int nvmlDeviceGetGpuInstances(handle_t device, u32 id, handle_t *into, u32 *n) {
    MIG_ON(device);
    int found = profile_of_id(device->gpu, id);
    NEED(found >= 0, INVALID_ARGUMENT);
    *n = 0;
    for (int gi = 0; gi < GIS; gi++) {
        u32 own, start, size;
        if (gi_fields(device->gpu, gi, &own, &start, &size) && (int)own == found) into[(*n)++] = instance(GPU_INSTANCE, device->gpu, gi, -1);
    }
    return finish(OK);
}

int nvmlDeviceGetGpuInstanceById(handle_t device, u32 id, handle_t *into) {
    MIG_ON(device);
    NEED(id < GIS && get("g%d.gi.%u", device->gpu, id), NOT_FOUND);
    *into = instance(GPU_INSTANCE, device->gpu, (int)id, -1);
    return finish(OK);
}

int nvmlGpuInstanceGetInfo(handle_t gi, struct gi_info *into) {
    GI(gi);
    u32 number_, start, size;
    struct profile p;
    gi_fields(gi->gpu, gi->gi, &number_, &start, &size);
    profile(gi->gpu, number_, &p);
    *into = (struct gi_info){whole(gi->gpu), (u32)gi->gi, p.id, {start, size}};
    return finish(OK);
}

static int first_ci(int gpu, int gi) {
    for (int ci = 0; ci < CIS; ci++) if (get("g%d.ci.%d.%d", gpu, gi, ci)) return ci;
    return -1;
}

int nvmlGpuInstanceDestroy(handle_t gi) {
    GI(gi);
    NEED(number(1, "privileged"), NO_PERMISSION);
    NEED(first_ci(gi->gpu, gi->gi) < 0 && !number(0, "g%d.held.%d", gi->gpu, gi->gi), IN_USE);
    drop("g%d.gi.%d", gi->gpu, gi->gi);
    save();
    return finish(OK);
}

/* --- compute instances --- */
static int ci_profile(handle_t gi, u32 asked, u32 engine, struct profile *p) {
    u32 number_, start, size;
    if (engine != 0 || asked >= sizeof CI_SLICES / sizeof *CI_SLICES) return INVALID_ARGUMENT;
    gi_fields(gi->gpu, gi->gi, &number_, &start, &size);
    profile(gi->gpu, number_, p);
    return CI_SLICES[asked] <= p->slices && asked != 5 && asked != 6 ? OK : NOT_SUPPORTED;
}

int nvmlGpuInstanceGetComputeInstanceProfileInfo(handle_t gi, u32 asked, u32 engine, struct ci_profile_v1 *into) {
    GI(gi);
    struct profile p;
    int code = ci_profile(gi, asked, engine, &p);
    if (code == OK) *into = (struct ci_profile_v1){asked, CI_SLICES[asked], 1, p.sm, p.ce, 0, 0, 0, 0};
    return finish(code);
}

int nvmlGpuInstanceGetComputeInstanceProfileInfoV(handle_t gi, u32 asked, u32 engine, struct ci_profile_v2 *into) {
    GI(gi);
    NEED(into->version == 0x2000088, ARGUMENT_VERSION_MISMATCH);
    struct profile p;
    int code = ci_profile(gi, asked, engine, &p);
    if (code == OK) *into = (struct ci_profile_v2){0x2000088, asked, CI_SLICES[asked], 1, p.sm, p.ce, 0, 0, 0, 0, ""};
    return finish(code);
}

/* A UUID is a hash of the place, or new each time (a switch). */
static void uuid(char *into, size_t size, int gpu, int gi, int ci) {
    u64 seed = number(0, "fresh_uuids") ? (u64)number(0, "made") : 0, hash = 1469598103934665603ULL;
    char text[256];
    snprintf(text, sizeof text, "%s/%d/%d/%llu", get("g%d.uuid", gpu), gi, ci, seed);
    for (char *c = text; *c; c++) hash = (hash ^ (u64)*c) * 1099511628211ULL;
    snprintf(into, size, "MIG-%08llx-%04llx-5%03llx-8%03llx-%012llx", hash >> 32, (hash >> 16) & 0xffff, hash & 0xfff,
             (hash >> 12) & 0xfff, hash & 0xffffffffffffULL);
}

int nvmlGpuInstanceCreateComputeInstance(handle_t gi, u32 id, handle_t *into) {
    GI(gi);
    NEED(number(1, "privileged"), NO_PERMISSION);
    struct profile p;
    NEED(ci_profile(gi, id, 0, &p) == OK, INVALID_ARGUMENT);
    u32 used = 0;
    int free_ = -1;
    for (int ci = CIS - 1; ci >= 0; ci--) {
        const char *row = get("g%d.ci.%d.%d", gi->gpu, gi->gi, ci);
        if (row) used += CI_SLICES[atoi(row)]; else free_ = ci;
    }
    NEED(free_ >= 0 && used + CI_SLICES[id] <= p.slices, INSUFFICIENT_RESOURCES);
    char text[64];
    snprintf(text, sizeof text, "%lld", number(0, "made") + 1);
    put(text, "made");
    uuid(text, sizeof text, gi->gpu, gi->gi, free_);
    put(text, "g%d.ciuuid.%d.%d", gi->gpu, gi->gi, free_);
    snprintf(text, sizeof text, "%u", id);
    put(text, "g%d.ci.%d.%d", gi->gpu, gi->gi, free_);
    save();
    *into = instance(COMPUTE_INSTANCE, gi->gpu, gi->gi, free_);
    return finish(OK);
}

int nvmlGpuInstanceGetComputeInstances(handle_t gi, u32 id, handle_t *into, u32 *n) {
    GI(gi);
    NEED(number(1, "privileged"), NO_PERMISSION);
    *n = 0;
    for (int ci = 0; ci < CIS; ci++) {
        const char *row = get("g%d.ci.%d.%d", gi->gpu, gi->gi, ci);
        if (row && (u32)atoi(row) == id) into[(*n)++] = instance(COMPUTE_INSTANCE, gi->gpu, gi->gi, ci);
    }
    return finish(OK);
}

int nvmlComputeInstanceGetInfo_v2(handle_t ci, struct ci_info *into) {
    CI(ci);
    u32 id = (u32)number(0, "g%d.ci.%d.%d", ci->gpu, ci->gi, ci->ci);
    *into = (struct ci_info){instance(MIG_DEVICE, ci->gpu, ci->gi, ci->ci), instance(GPU_INSTANCE, ci->gpu, ci->gi, -1),
                             (u32)ci->ci, id, {0, CI_SLICES[id]}};
    return finish(OK);
}

/* In use by a process, or by one that nobody sees: a monitor that leaked a file. */
int nvmlComputeInstanceDestroy(handle_t ci) {
    CI(ci);
    NEED(number(1, "privileged"), NO_PERMISSION);
    long long leaked = number(0, "g%d.leaked.%d", ci->gpu, ci->gi);
    if (leaked > 0) {
        char left[32];
        snprintf(left, sizeof left, "%lld", leaked - 1);
        put(left, "g%d.leaked.%d", ci->gpu, ci->gi);
        save();
    }
    NEED(leaked == 0 && !busy(ci->gpu, ci->gi), IN_USE);
    drop("g%d.ci.%d.%d", ci->gpu, ci->gi, ci->ci);
    drop("g%d.ciuuid.%d.%d", ci->gpu, ci->gi, ci->ci);
    save();
    return finish(OK);
}

/* --- the walk over MIG devices: what an unprivileged caller has; sees no GPU instance without a compute instance --- */
int nvmlDeviceGetMaxMigDeviceCount(handle_t device, u32 *n) { BEGIN(GPU_OF(device)); *n = mig_enabled(device->gpu) ? 7 : 0; return finish(OK); }

int nvmlDeviceGetMigDeviceHandleByIndex(handle_t device, u32 index, handle_t *into) {
    BEGIN(GPU_OF(device));
    NEED(index < 7, INVALID_ARGUMENT);
    if (number(0, "stale")) use_frozen(1); /* an older session may not see what others changed */
    u32 seen = 0;
    for (int gi = GIS - 1; gi >= 0; gi--) for (int ci = 0; ci < CIS; ci++) {
        if (!get("g%d.ci.%d.%d", device->gpu, gi, ci)) continue;
        if (seen++ == index / (u32)number(1, "mig_index_step") && index % (u32)number(1, "mig_index_step") == 0) {
            use_frozen(0);
            *into = instance(MIG_DEVICE, device->gpu, gi, ci);
            return finish(OK);
        }
    }
    use_frozen(0);
    return finish(NOT_FOUND);
}

int nvmlDeviceGetIndex(handle_t device, u32 *index) {
    BEGIN(GPU_OF(device));
    *index = (u32)device->gpu;
    if (device->kind != MIG_DEVICE) return finish(OK);
    u32 before = 0;
    for (int gi = GIS - 1; gi >= 0; gi--) for (int ci = 0; ci < CIS; ci++) {
        if (gi == device->gi && ci == device->ci) {
            *index = before * (u32)number(1, "mig_index_step");
            return finish(OK);
        }
        before += get("g%d.ci.%d.%d", device->gpu, gi, ci) ? 1 : 0;
    }
    return finish(NOT_FOUND);
}

int nvmlDeviceIsMigDeviceHandle(handle_t device, u32 *is) { BEGIN(GPU_OF(device)); *is = device->kind == MIG_DEVICE; return finish(OK); }
int nvmlDeviceGetGpuInstanceId(handle_t device, u32 *id) { BEGIN(GPU_OF(device)); NEED(device->kind == MIG_DEVICE, NOT_SUPPORTED); *id = (u32)device->gi; return finish(OK); }
int nvmlDeviceGetComputeInstanceId(handle_t device, u32 *id) { BEGIN(GPU_OF(device)); NEED(device->kind == MIG_DEVICE, NOT_SUPPORTED); *id = (u32)device->ci; return finish(OK); }
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle_t device, handle_t *parent) { BEGIN(GPU_OF(device)); NEED(device->kind == MIG_DEVICE, INVALID_ARGUMENT); *parent = whole(device->gpu); return finish(OK); }

int nvmlDeviceGetAttributes_v2(handle_t device, struct attributes *into) {
    BEGIN(GPU_OF(device));
    u32 number_, start, size;
    struct profile p;
    NEED(device->kind == MIG_DEVICE && gi_fields(device->gpu, device->gi, &number_, &start, &size), NOT_SUPPORTED);
    profile(device->gpu, number_, &p);
    u32 ci = (u32)number(0, "g%d.ci.%d.%d", device->gpu, device->gi, device->ci);
    *into = (struct attributes){p.sm, p.ce, p.dec, p.enc, p.jpeg, p.ofa, p.slices, CI_SLICES[ci], p.mib};
    return finish(OK);
}
