/** @file
 *  A peer in a child process: one line of numbers in, one line of numbers out. The peer's library
 *  stays out of our process, with its exceptions, its threads and its output. */
#ifndef SN_CHILD_H
#define SN_CHILD_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct child {
  pid_t pid;
  FILE *in, *out; /**< of the child */
  char *line;     /**< the last one read */
  size_t line_size;
} child;

/** Start argv[0] with these arguments; ends the program with a message if that fails. */
void child_start(child *c, char *const argv[]);

/** Next line of the child, without its end; NULL if there is none. Valid until the next call. */
char *child_read(child *c);

/** Send @p n numbers as a line. */
void child_write(child *c, size_t n, const double *x);

/** Read a line of @p n numbers; ends the program with a message if it is not one. */
void child_read_numbers(child *c, size_t n, double *x);

/** The same as native doubles, for many of them. What was written is sent with the next read. */
void child_write_doubles(child *c, size_t n, const double *x);
void child_read_doubles(child *c, size_t n, double *x);

/** Close and wait. @return the exit status */
int child_end(child *c);

#endif
