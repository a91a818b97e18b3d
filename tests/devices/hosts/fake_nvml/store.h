/* The state of a fake machine: lines "key value" in a file that every call reads anew, under a lock. */
#ifndef STORE_H
#define STORE_H

#include <stddef.h>

#define MAX_GPUS 16

const char *get(const char *format, ...);
long long number(long long otherwise, const char *format, ...);
void put(const char *value, const char *format, ...);
void drop(const char *format, ...);
void save(void);

/* Both take and give back the lock; `begin` answers an NVML code: a fault that the state asks for, or 0. */
int begin(const char *function, int gpu);
int finish(int code);
int others_open(void);
void freeze(void); /* keep the state of now for `stale` sessions */
void use_frozen(int on);

extern int sessions;

#endif
