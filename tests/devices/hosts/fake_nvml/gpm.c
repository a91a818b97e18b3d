/* Activity counters in the fake: two samples make percentages; each metric has an answer code of its own. */
#define _GNU_SOURCE
#include "nvml.h"

#include <math.h>
#include <stdlib.h>

struct sample { int gpu, gi, taken; };
struct metric { u32 id; int code; double value; const char *short_name, *long_name, *unit; };
struct metrics { u32 version, n; struct sample *older, *newer; struct metric metrics[]; };
struct support { u32 version, supported; };
_Static_assert(sizeof(struct metric) == 40 && sizeof(struct metrics) == 24 && sizeof(struct support) == 8, "gpm");

static int clock_;

int nvmlGpmQueryDeviceSupport(handle_t device, struct support *into) {
    BEGIN(GPU_OF(device));
    NEED(into->version == 1, ARGUMENT_VERSION_MISMATCH); /* a plain 1, not encoded with the size */
    into->supported = (u32)number(0, "g%d.gpm", device->gpu);
    return finish(OK);
}

int nvmlGpmSampleAlloc(struct sample **into) { BEGIN(-1); *into = calloc(1, sizeof **into); return finish(OK); }
int nvmlGpmSampleFree(struct sample *sample) { BEGIN(-1); free(sample); return finish(OK); }

int nvmlGpmSampleGet(handle_t device, struct sample *sample) {
    BEGIN(GPU_OF(device));
    NEED(number(0, "g%d.gpm", device->gpu), NOT_SUPPORTED);
    *sample = (struct sample){device->gpu, -1, ++clock_};
    return finish(OK);
}

int nvmlGpmMigSampleGet(handle_t device, u32 gi, struct sample *sample) {
    BEGIN(GPU_OF(device));
    NEED(number(0, "g%d.gpm", device->gpu), NOT_SUPPORTED);
    NEED(get("g%d.gi.%u", device->gpu, gi), NOT_FOUND);
    *sample = (struct sample){device->gpu, (int)gi, ++clock_};
    return finish(OK);
}

int nvmlGpmMetricsGet(struct metrics *asked) {
    BEGIN(-1);
    NEED(asked->version == 1, ARGUMENT_VERSION_MISMATCH);
    struct sample *a = asked->older, *b = asked->newer;
    NEED(a->taken && b->taken > a->taken && a->gpu == b->gpu && a->gi == b->gi, INVALID_ARGUMENT);
    for (u32 i = 0; i < asked->n; i++) {
        const char *value = a->gi < 0 ? get("g%d.metric.%u", a->gpu, asked->metrics[i].id)
                                      : get("g%d.metric.%d.%u", a->gpu, a->gi, asked->metrics[i].id);
        asked->metrics[i].code = value ? OK : NOT_SUPPORTED;
        asked->metrics[i].value = value ? strtod(value, NULL) : NAN;
    }
    return finish(OK);
}
