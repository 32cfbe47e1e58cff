/*
 * Stands between a process and its disk (LD_PRELOAD): writes down what reaches the files below one
 * folder and when it is synced, and makes the disk full, read-only, slow or failing, and the
 * calendar wrong, as a control file says. See faultyDisk.ts and journal.ts for the other side.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* The same order as in faultyDisk.ts. */
struct control {
  _Atomic int64_t room_bytes; /* By how much files may still grow; below 0 without a limit. */
  _Atomic int64_t read_only;
  _Atomic int64_t sync_delay_us;
  _Atomic int64_t clock_offset_ms;
  _Atomic int64_t sync_fails;
  _Atomic int64_t writes;
  _Atomic int64_t syncs;
  _Atomic int64_t refused;
};

enum kind { WRITE = 1, TRUNCATE, SYNC, CREATE, UNLINK, RENAME, SYNC_FOLDER };

/* Followed by the path, then by the bytes written or by the path that a rename leads to. */
struct record {
  uint32_t kind;
  uint32_t path_bytes;
  uint64_t offset; /* Of a write; the size of a truncation; the journal's end when a sync began. */
  uint64_t data_bytes;
};

enum { descriptors_max = 4096 };

static const struct control calm = {.room_bytes = -1};
static struct control *control = (struct control *)&calm;
static char folder[PATH_MAX];
static size_t folder_bytes;
static int journal = -1;
static uint64_t journal_bytes;
/* Below the folder, without it; NULL for every other descriptor. */
static char *_Atomic paths[descriptors_max];
static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t started = PTHREAD_ONCE_INIT;

static int (*real_open)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_unlink)(const char *);
static int (*real_rename)(const char *, const char *);
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

static void start(void) {
  real_open = dlsym(RTLD_NEXT, "open");
  real_openat = dlsym(RTLD_NEXT, "openat");
  real_close = dlsym(RTLD_NEXT, "close");
  real_write = dlsym(RTLD_NEXT, "write");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_writev = dlsym(RTLD_NEXT, "writev");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_rename = dlsym(RTLD_NEXT, "rename");
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  /* The oldest version of the symbol would be another function. */
  real_timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (real_timedwait == NULL) real_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");

  const char *name = getenv("FAULTYDISK_FOLDER");
  if (name != NULL && realpath(name, folder) != NULL) folder_bytes = strlen(folder);
  name = getenv("FAULTYDISK_JOURNAL");
  if (name != NULL) journal = real_open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (journal >= 0) journal_bytes = (uint64_t)lseek(journal, 0, SEEK_END);
  name = getenv("FAULTYDISK_CONTROL");
  int fd = name == NULL ? -1 : real_open(name, O_RDWR | O_CLOEXEC);
  if (fd >= 0) {
    void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared != MAP_FAILED) control = shared;
    real_close(fd);
  }
}

static void ready(void) { pthread_once(&started, start); }

static void count(_Atomic int64_t *counter) {
  if (control != &calm) atomic_fetch_add(counter, 1);
}

/* What of a path lies below the folder, or NULL. `whole` takes the absolute path. */
static const char *below(const char *path, char *whole) {
  if (folder_bytes == 0 || path == NULL) return NULL;
  size_t length = strlen(path);
  if (path[0] == '/') {
    if (length >= PATH_MAX) return NULL;
    memcpy(whole, path, length + 1);
  } else {
    if (getcwd(whole, PATH_MAX) == NULL) return NULL;
    size_t at = strlen(whole);
    if (at + length + 2 > PATH_MAX) return NULL;
    whole[at] = '/';
    memcpy(whole + at + 1, path, length + 1);
  }
  if (strncmp(whole, folder, folder_bytes) != 0) return NULL;
  if (whole[folder_bytes] == '\0') return whole + folder_bytes;
  return whole[folder_bytes] == '/' ? whole + folder_bytes + 1 : NULL;
}

static const char *path_of(int fd) {
  return fd >= 0 && fd < descriptors_max ? atomic_load(&paths[fd]) : NULL;
}

/* In one call, so that a process that is killed leaves whole records and at most one cut short. */
static void note(enum kind kind, const char *path, uint64_t offset, const void *data, size_t bytes) {
  if (journal < 0) return;
  struct record record = {kind, (uint32_t)strlen(path), offset, bytes};
  struct iovec parts[] = {
      {&record, sizeof record}, {(void *)path, record.path_bytes}, {(void *)data, bytes}};
  pthread_mutex_lock(&journal_lock);
  ssize_t done = real_writev(journal, parts, 3);
  if (done > 0) journal_bytes += (uint64_t)done;
  pthread_mutex_unlock(&journal_lock);
}

static uint64_t journal_end(void) {
  pthread_mutex_lock(&journal_lock);
  uint64_t end = journal_bytes;
  pthread_mutex_unlock(&journal_lock);
  return end;
}

static int refuse(int error) {
  count(&control->refused);
  errno = error;
  return -1;
}

/* How much of a write the disk takes; -1 with errno where it takes nothing. */
static ssize_t taken(int fd, size_t bytes, off_t offset) {
  if (atomic_load(&control->read_only)) return refuse(EROFS);
  if (atomic_load(&control->room_bytes) < 0) return (ssize_t)bytes;
  struct stat now;
  if (fstat(fd, &now) != 0) return -1;
  int64_t end = (int64_t)offset + (int64_t)bytes;
  int64_t growth = end - (int64_t)now.st_size;
  if (growth <= 0) return (ssize_t)bytes;
  int64_t room = atomic_fetch_sub(&control->room_bytes, growth);
  if (room >= growth) return (ssize_t)bytes;
  /* What does not fit is not taken from what is left. */
  atomic_store(&control->room_bytes, 0);
  int64_t fits = (int64_t)bytes - growth + (room > 0 ? room : 0);
  if (fits <= 0) return refuse(ENOSPC);
  count(&control->refused);
  return (ssize_t)fits;
}

static int opened(int fd, const char *path, int flags, int existed) {
  char whole[PATH_MAX];
  const char *inside = fd < 0 ? NULL : below(path, whole);
  if (inside == NULL || fd >= descriptors_max) return fd;
  if ((flags & O_CREAT) && !existed) note(CREATE, inside, 0, NULL, 0);
  if (flags & O_TRUNC) note(TRUNCATE, inside, 0, NULL, 0);
  free(atomic_exchange(&paths[fd], strdup(inside)));
  return fd;
}

static int may_open(const char *path, int flags) {
  char whole[PATH_MAX];
  if (!atomic_load(&control->read_only) || below(path, whole) == NULL) return 1;
  return (flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC));
}

static int exists(const char *path) {
  struct stat found;
  return stat(path, &found) == 0;
}

#define MODE_OF(flags, mode)                     \
  do {                                           \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {     \
      va_list rest;                              \
      va_start(rest, flags);                     \
      mode = va_arg(rest, mode_t);               \
      va_end(rest);                              \
    }                                            \
  } while (0)

int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  MODE_OF(flags, mode);
  ready();
  if (!may_open(path, flags)) return refuse(EROFS);
  int existed = exists(path);
  return opened(real_open(path, flags, mode), path, flags, existed);
}

int open64(const char *path, int flags, ...) {
  mode_t mode = 0;
  MODE_OF(flags, mode);
  return open(path, flags | O_LARGEFILE, mode);
}

int openat(int at, const char *path, int flags, ...) {
  mode_t mode = 0;
  MODE_OF(flags, mode);
  ready();
  if (path[0] != '/' && at != AT_FDCWD) return real_openat(at, path, flags, mode);
  return open(path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...) {
  mode_t mode = 0;
  MODE_OF(flags, mode);
  return openat(at, path, flags | O_LARGEFILE, mode);
}

int creat(const char *path, mode_t mode) {
  return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int fd) {
  ready();
  if (fd >= 0 && fd < descriptors_max) free(atomic_exchange(&paths[fd], NULL));
  return real_close(fd);
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off_t offset) {
  ready();
  const char *path = path_of(fd);
  if (path == NULL) return real_pwrite(fd, data, bytes, offset);
  ssize_t allowed = taken(fd, bytes, offset);
  if (allowed < 0) return -1;
  ssize_t done = real_pwrite(fd, data, (size_t)allowed, offset);
  if (done > 0) note(WRITE, path, (uint64_t)offset, data, (size_t)done);
  count(&control->writes);
  return done;
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
  return pwrite64(fd, data, bytes, offset);
}

ssize_t write(int fd, const void *data, size_t bytes) {
  ready();
  const char *path = path_of(fd);
  if (path == NULL) return real_write(fd, data, bytes);
  off_t offset = lseek(fd, 0, SEEK_CUR);
  ssize_t done = pwrite64(fd, data, bytes, offset);
  if (done > 0) lseek(fd, offset + done, SEEK_SET);
  return done;
}

/* A short count is a right answer, so that the first part is enough. */
ssize_t writev(int fd, const struct iovec *parts, int number) {
  ready();
  if (path_of(fd) == NULL) return real_writev(fd, parts, number);
  return number == 0 ? 0 : write(fd, parts[0].iov_base, parts[0].iov_len);
}

ssize_t pwritev(int fd, const struct iovec *parts, int number, off_t offset) {
  return number == 0 ? 0 : pwrite64(fd, parts[0].iov_base, parts[0].iov_len, offset);
}

int ftruncate64(int fd, off_t size) {
  ready();
  const char *path = path_of(fd);
  if (path == NULL) return real_ftruncate(fd, size);
  if (atomic_load(&control->read_only)) return refuse(EROFS);
  int done = real_ftruncate(fd, size);
  if (done == 0) note(TRUNCATE, path, (uint64_t)size, NULL, 0);
  return done;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int sync_with(int (*real)(int), int fd) {
  const char *path = path_of(fd);
  if (path == NULL) return real(fd);
  struct stat found;
  int is_folder = fstat(fd, &found) == 0 && S_ISDIR(found.st_mode);
  uint64_t end = journal_end();
  int64_t delay_us = atomic_load(&control->sync_delay_us);
  if (delay_us > 0) {
    struct timespec rest = {delay_us / 1000000, (delay_us % 1000000) * 1000};
    nanosleep(&rest, NULL);
  }
  if (atomic_load(&control->sync_fails)) return refuse(EIO);
  /* What is durable is what the journal says: the machine's own disk need not be waited for. */
  note(is_folder ? SYNC_FOLDER : SYNC, path, end, NULL, 0);
  count(&control->syncs);
  return journal >= 0 ? 0 : real(fd);
}

int fsync(int fd) {
  ready();
  return sync_with(real_fsync, fd);
}

int fdatasync(int fd) {
  ready();
  return sync_with(real_fdatasync, fd);
}

int unlink(const char *path) {
  ready();
  char whole[PATH_MAX];
  const char *inside = below(path, whole);
  if (inside == NULL) return real_unlink(path);
  if (atomic_load(&control->read_only)) return refuse(EROFS);
  int done = real_unlink(path);
  if (done == 0) note(UNLINK, inside, 0, NULL, 0);
  return done;
}

int rename(const char *from, const char *to) {
  ready();
  char whole_from[PATH_MAX], whole_to[PATH_MAX];
  const char *inside = below(from, whole_from);
  const char *target = below(to, whole_to);
  if (inside == NULL || target == NULL) return real_rename(from, to);
  if (atomic_load(&control->read_only)) return refuse(EROFS);
  int done = real_rename(from, to);
  if (done == 0) note(RENAME, inside, 0, target, strlen(target));
  return done;
}

static void shift(struct timespec *at, int64_t ms) {
  int64_t ns = (int64_t)at->tv_nsec + (ms % 1000) * 1000000;
  at->tv_sec += ms / 1000;
  while (ns < 0) ns += 1000000000, at->tv_sec--;
  while (ns >= 1000000000) ns -= 1000000000, at->tv_sec++;
  at->tv_nsec = ns;
}

int clock_gettime(clockid_t which, struct timespec *at) {
  ready();
  int done = real_clock_gettime(which, at);
  if (done == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
    shift(at, atomic_load(&control->clock_offset_ms));
  return done;
}

int gettimeofday(struct timeval *at, void *zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at != NULL) *at = now.tv_sec;
  return now.tv_sec;
}

/* The kernel knows nothing of the jump: a deadline on the calendar is told to it as it sees it. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                           const struct timespec *deadline) {
  ready();
  struct timespec real = *deadline;
  const time_t calendar_seconds_min = 500000000; /* Less is the time since the machine started. */
  if (real.tv_sec > calendar_seconds_min) shift(&real, -atomic_load(&control->clock_offset_ms));
  return real_timedwait(condition, lock, &real);
}
