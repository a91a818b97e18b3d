#define _GNU_SOURCE
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { LINES = 4096, KEY = 80, VALUE = 320 };
struct line { char key[KEY]; char value[VALUE]; };

static struct line *now, *frozen, *lines;
static int now_count, frozen_count, *count;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int lock = -1;
int sessions;

static const char *path(void) {
    const char *given = getenv("FAKE_NVML_STATE");
    if (given == NULL) { fprintf(stderr, "fake nvml: FAKE_NVML_STATE isn't set\n"); abort(); }
    return given;
}

static void load(void) {
    if (now == NULL) now = calloc(LINES, sizeof *now);
    lines = now; count = &now_count; now_count = 0;
    FILE *file = fopen(path(), "r");
    if (file == NULL) { fprintf(stderr, "fake nvml: %s: %s\n", path(), strerror(errno)); abort(); }
    char text[KEY + VALUE + 2];
    while (fgets(text, sizeof text, file) != NULL && now_count < LINES) {
        text[strcspn(text, "\n")] = 0;
        char *space = strchr(text, ' ');
        if (space == NULL) continue;
        *space = 0;
        snprintf(now[now_count].key, KEY, "%s", text);
        snprintf(now[now_count++].value, VALUE, "%s", space + 1);
    }
    fclose(file);
}

void save(void) {
    char draft[4096];
    snprintf(draft, sizeof draft, "%s.new", path());
    FILE *file = fopen(draft, "w");
    for (int i = 0; i < now_count; i++) fprintf(file, "%s %s\n", now[i].key, now[i].value);
    fclose(file);
    rename(draft, path());
}

static int at(const char *key) {
    for (int i = 0; i < *count; i++) if (strcmp(lines[i].key, key) == 0) return i;
    return -1;
}

#define FORMAT_KEY char key[KEY]; va_list list; va_start(list, format); vsnprintf(key, KEY, format, list); va_end(list)

const char *get(const char *format, ...) { FORMAT_KEY; int i = at(key); return i < 0 ? NULL : lines[i].value; }

long long number(long long otherwise, const char *format, ...) {
    FORMAT_KEY;
    int i = at(key);
    return i < 0 ? otherwise : strtoll(lines[i].value, NULL, 0);
}

void put(const char *value, const char *format, ...) {
    FORMAT_KEY;
    int i = at(key);
    if (i < 0) { i = now_count++; snprintf(now[i].key, KEY, "%s", key); }
    snprintf(now[i].value, VALUE, "%s", value);
}

void drop(const char *format, ...) {
    FORMAT_KEY;
    int i = at(key);
    if (i >= 0) now[i] = now[--now_count];
}

/* Whether another living process has the library open. */
int others_open(void) {
    for (int i = 0; i < now_count; i++) {
        int pid;
        if (sscanf(now[i].key, "session.%d", &pid) == 1 && pid != getpid() && kill(pid, 0) == 0) return 1;
    }
    return 0;
}

void freeze(void) {
    if (frozen == NULL) frozen = calloc(LINES, sizeof *frozen);
    memcpy(frozen, now, LINES * sizeof *now);
    frozen_count = now_count;
}

void use_frozen(int on) { lines = on ? frozen : now; count = on ? &frozen_count : &now_count; }

/* A driver call that's stuck: deaf to every signal that can be ignored, and others can go on meanwhile. */
static void stall(long long ms) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    signal(SIGTERM, SIG_IGN);
    struct timespec left = {ms / 1000, (ms % 1000) * 1000000L};
    while (nanosleep(&left, &left) != 0) {}
}

int begin(const char *function, int gpu) {
    pthread_mutex_lock(&turn);
    char name[4096];
    snprintf(name, sizeof name, "%s.lock", path());
    lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    flock(lock, LOCK_EX);
    load();
    long long ms = number(0, "sleep.%s", function), code = number(0, "ret.%s", function);
    if (gpu >= 0) { ms = number(ms, "g%d.sleep.%s", gpu, function); code = number(code, "g%d.ret.%s", gpu, function); }
    if (ms > 0) {
        close(lock);
        pthread_mutex_unlock(&turn);
        stall(ms);
        pthread_mutex_lock(&turn);
        lock = open(name, O_RDWR | O_CLOEXEC);
        flock(lock, LOCK_EX);
        load();
    }
    if (sessions == 0 && strcmp(function, "nvmlInitWithFlags") != 0) return 1;
    if (code != 0) return (int)code;
    return gpu >= 0 && number(0, "g%d.lost", gpu) ? 15 : 0;
}

int finish(int code) {
    close(lock);
    pthread_mutex_unlock(&turn);
    return code;
}
