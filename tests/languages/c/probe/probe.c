#define _POSIX_C_SOURCE 200809L
#include "probe.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *probe_strerror(int code) { return code == PROBE_BAD ? "it is bad" : "it is something else"; }

bool probe_truth(bool x) { return x; }
long probe_whole(long x) { return x; }
uint8_t probe_small(uint8_t x) { return x; }
double probe_number(double x) { return x; }
float probe_narrow(float x) { return x; }
const char *probe_text(const char *x) { return x; }
int probe_integer(int x, int *out) {
  *out = x;
  return 0;
}
int probe_total(const double *restrict x, size_t n, double *total) {
  *total = x || n == 0 ? 0.0 : -1.0;
  for (size_t i = 0; i < n; ++i) *total += x[i];
  if (!x) *total = -1.0;
  return 0;
}
int probe_wholes(const int *x, size_t n, int *total) {
  *total = 0;
  for (size_t i = 0; i < n; ++i) *total += x[i];
  return 0;
}
int probe_echo(const double *x, size_t n, double *out) {
  memcpy(out, x, n * sizeof *x);
  return 0;
}
int probe_turned(const double *x, size_t rows, size_t cols, double *out, size_t out_rows, size_t out_cols) {
  if (out_rows != cols || out_cols != rows) return PROBE_BAD;
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < cols; ++j) out[j * rows + i] = x[i * cols + j];
  return 0;
}
int probe_described(const double *x, size_t n, char *text, size_t room) {
  snprintf(text, room, "%zu numbers from %g", n, n ? x[0] : 0.0);
  return 0;
}
int probe_two(double x, const double *y, size_t n, double *twice, double *more) {
  *twice = 2 * x;
  for (size_t i = 0; i < n; ++i) more[i] = y[i] + x;
  return 0;
}

int probe_fill(double value, int count, probe_result *out) {
  out->value = value;
  out->count = count;
  out->good = count > 0;
  snprintf(out->name, sizeof out->name, "result %d", count);
  for (int i = 0; i < 4; ++i) out->fixed[i] = i;
  out->free_length = calloc((size_t)count, sizeof(double));
  if (count > 0 && !out->free_length) return PROBE_BAD;
  for (int i = 0; i < count; ++i) out->free_length[i] = value;
  out->square[0][1] = 1.0;
  out->inner.sigma = 5.0;
  return 0;
}
void probe_result_free(probe_result *result) { free(result->free_length); }

struct probe_counter {
  double count, step, table[6];
};
static int alive = 0;
int probe_counter_new(double start, double step, probe_counter **out) {
  if (step < 0) return PROBE_BAD;
  *out = calloc(1, sizeof **out);
  if (!*out) return PROBE_BAD;
  (*out)->count = start;
  (*out)->step = step;
  for (int i = 0; i < 6; ++i) (*out)->table[i] = i;
  ++alive;
  return 0;
}
double probe_counter_value(const probe_counter *counter) { return counter->count; }
const double *probe_counter_table(const probe_counter *counter) { return counter->table; }
double probe_counter_add(probe_counter *counter, int times) { return counter->count += times * counter->step; }
int probe_counter_grown(const probe_counter *counter, const double *by, size_t n, double *out) {
  for (size_t i = 0; i < n; ++i) out[i] = by[i] + counter->count;
  return 0;
}
void probe_counter_free(probe_counter *counter) {
  free(counter);
  --alive;
}
double probe_read(const probe_counter *counter) { return counter ? counter->count : -1.0; }
int probe_alive(void) { return alive == 0 ? 0 : PROBE_BAD; }

int probe_fail(int code) { return code; }
probe_status probe_fail_by_enum(bool worse) { return worse ? PROBE_WORSE : PROBE_FINE; }
int probe_scale(double *x, size_t n, double by) {
  for (size_t i = 0; i < n; ++i) x[i] *= by;
  return 0;
}
int probe_loud(void) {
  printf("printed ");
  fflush(stdout);
  fprintf(stderr, "warned");
  return 0;
}
int probe_overrun(double *out) {
  for (int i = 0; i < 4; ++i) out[i] = i;
  return 0;
}
int probe_silent(double *out) {
  (void)out;
  return 0;
}
int probe_hostile(const char *how) {
  if (!strcmp(how, "fault")) raise(SIGSEGV);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "exit")) exit(0);
  if (!strcmp(how, "sleep")) sleep(1000);
  if (!strcmp(how, "allocate"))
    for (void *all = NULL;;) {
      void *more = malloc((size_t)1 << 24);
      if (!more) return PROBE_BAD;
      memset(more, 1, (size_t)1 << 24);
      *(void **)more = all;
      all = more;
    }
  if (!strcmp(how, "garbage"))
    for (int file = 3; file < 20; ++file)
      if (write(file, "this is no frame at all", 23) < 0) continue;
  return 0;
}
