#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PROBE_BAD 3
typedef enum { PROBE_FINE = 0, PROBE_WORSE = 7 } probe_status;

const char *probe_strerror(int code);

/* values */
bool probe_truth(bool x);
long probe_whole(long x);
uint8_t probe_small(uint8_t x);
double probe_number(double x);
float probe_narrow(float x);
const char *probe_text(const char *x);
int probe_integer(int x, int *out);
int probe_total(const double *restrict x, size_t n, double *total);
int probe_wholes(const int *x, size_t n, int *total);
int probe_echo(const double *x, size_t n, double *out);
int probe_turned(const double *x, size_t rows, size_t cols, double *out, size_t out_rows, size_t out_cols);
int probe_described(const double *x, size_t n, char *text, size_t room);
int probe_two(double x, const double *y, size_t n, double *twice, double *more);

/* structs and objects */
typedef struct {
  double value;
  int count;
  bool good;
  char name[16];
  double fixed[4];
  double *free_length;
  double square[2][2];
  struct {
    double sigma;
  } inner;
} probe_result;
int probe_fill(double value, int count, probe_result *out);
void probe_result_free(probe_result *result);

typedef struct probe_counter probe_counter;
int probe_counter_new(double start, double step, probe_counter **out);
double probe_counter_value(const probe_counter *counter);
const double *probe_counter_table(const probe_counter *counter);
double probe_counter_add(probe_counter *counter, int times);
int probe_counter_grown(const probe_counter *counter, const double *by, size_t n, double *out);
void probe_counter_free(probe_counter *counter);
double probe_read(const probe_counter *counter);
int probe_alive(void);

/* errors, output, what no package should do */
int probe_fail(int code);
probe_status probe_fail_by_enum(bool worse);
int probe_scale(double *x, size_t n, double by);
int probe_loud(void);
int probe_overrun(double *out);
int probe_silent(double *out);
int probe_hostile(const char *how);

#endif
