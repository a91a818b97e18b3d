/* What the two halves of the fake share. Layouts are written down from nvml.h's documented order and sizes. */
#ifndef FAKE_NVML_H
#define FAKE_NVML_H

#include "store.h"

enum {
    OK = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NO_PERMISSION = 4, NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7, TIMEOUT = 10, GPU_IS_LOST = 15, RESET_REQUIRED = 16, IN_USE = 19, INSUFFICIENT_RESOURCES = 23,
    ARGUMENT_VERSION_MISMATCH = 25, UNKNOWN = 999,
};
typedef unsigned int u32;
typedef unsigned long long u64;

/* A handle: a whole GPU, a MIG device, a GPU instance or a compute instance. One per place: handles come again. */
struct handle { int kind, gpu, gi, ci; };
enum { WHOLE = 1, MIG_DEVICE, GPU_INSTANCE, COMPUTE_INSTANCE };
typedef struct handle *handle_t;

handle_t whole(int gpu);
handle_t instance(int kind, int gpu, int gi, int ci);
int mig_enabled(int gpu);
int gi_fields(int gpu, int gi, u32 *profile, u32 *start, u32 *size); /* 1 where it's there */
int profile_of_id(int gpu, u32 id);                                   /* the enum, or -1 */

#define GPU_OF(device) ((device) != NULL && (device)->kind ? (device)->gpu : -1)
#define BEGIN(gpu) int code_ = begin(__func__, (gpu)); if (code_ != OK) return finish(code_)
#define NEED(condition, code) do { if (!(condition)) return finish(code); } while (0)

#endif
